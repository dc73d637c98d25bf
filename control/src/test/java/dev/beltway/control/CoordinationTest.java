package dev.beltway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.testing.LiveCluster;
import dev.beltway.handover.Change;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Way;
import dev.beltway.proxy.Proxy;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store: an ensemble that loses members, wrong secrets, one process a folder, old copies. */
@Tag("needs-redis")
@Tag("long")
@NullUnmarked
@Timeout(120)
class CoordinationTest {

  @TempDir Path folder;

  @Test
  void ensembleLosesOneMemberAndThenItsMajorityWhileClientsGoOn() throws Exception {
    try (TestingCluster ensemble = new TestingCluster(3)) {
      ensemble.start();
      try (LiveCluster cluster = new LiveCluster(folder, ensemble.getConnectString())) {
        for (int i = 0; i < 4; i++) {
          cluster.addServer();
        }
        cluster.startControl(cluster.topology(LiveCluster.ring(), 2));
        Proxy proxy = cluster.startProxy("one");
        try (PlainClient client = cluster.client(proxy)) {
          client.ask("SET", "a", "1");
          InstanceSpec[] members = ensemble.getInstances().toArray(new InstanceSpec[0]);
          ensemble.killServer(members[0]);
          awaitAccepted(cluster, 2);
          cluster.awaitStatus(
              "the change with two of three members",
              status ->
                  status.path("phase").asText().equals("STEADY")
                      && status.path("epoch").asLong() == 2);
          ensemble.killServer(members[1]);
          // No majority: nothing can be changed, and everything is served.
          for (int i = 0; i < 200; i++) {
            client.ask("SET", "k" + i, "v" + i);
            assertThat(RespReader.text(client.ask("GET", "k" + i))).isEqualTo("v" + i);
          }
          assertThat(cluster.addNode(3).status()).isEqualTo(503);
          ensemble.restartServer(members[1]);
          awaitAccepted(cluster, 3);
          cluster.awaitStatus(
              "the change when the majority is back",
              status ->
                  status.path("phase").asText().equals("STEADY")
                      && status.path("nodes").size() == 4);
          for (int i = 0; i < 200; i++) {
            assertThat(RespReader.text(client.ask("GET", "k" + i))).isEqualTo("v" + i);
          }
        }
      }
    }
  }

  /** Asks until the store has found its majority again. */
  private static void awaitAccepted(LiveCluster cluster, int node) throws IOException {
    long deadline = System.nanoTime() + 60_000_000_000L;
    LiveCluster.Answer answer;
    do {
      answer = cluster.addNode(node);
    } while (answer.status() == 503 && System.nanoTime() < deadline);
    // A first try may have been written though its answer was lost.
    assertThat(answer.status()).as("%s", answer.body()).isIn(202, 409);
  }

  @Test
  void folderBelongsToOneProcessAndASecretOpensTheStore() throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 1, 1);
        LiveCluster second = new LiveCluster(folder)) {
      second.addServer();
      assertThatThrownBy(() -> second.startControl(null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another control process");
      assertThatThrownBy(
              () -> ClusterStore.connect(cluster.servers(), "test", "wrong", Duration.ofSeconds(5)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("secret");
      assertThat(cluster.status().path("phase").asText()).isEqualTo("STEADY");
    }
  }

  @Test
  void storeThatKnowsLessThanAProxyAlarmsAndChangesNothing() throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      cluster.startProxy("one");
      cluster.addNode(2);
      cluster.awaitSteady(2);
      ClusterStore store = cluster.control.store();
      ClusterStore.Read read = store.state().orElseThrow();
      // As if the store had been put back to what it was before the change.
      assertThat(
              store.put(
                  read.revision(), ClusterState.first(1), List.of(), store.audit(1).get(0), -1))
          .isTrue();
      cluster.awaitStatus(
          "an alarm", status -> status.path("waitsFor").toString().contains("old copy"));
      ClusterStore.Read now = store.state().orElseThrow();
      store.put(
          now.revision(),
          now.routing()
              .state()
              .preparing(2, Way.STRAIGHT, new Change("again", "test", ""), Optional.empty()),
          List.of(),
          store.audit(1).get(0),
          -1);
      cluster.awaitStatus(
          "the alarm still", status -> status.path("waitsFor").toString().contains("old copy"));
      assertThat(cluster.status().path("phase").asText()).isEqualTo("PREPARING");
    }
  }

  @Test
  void foreignPagesAndNamesAreKeptOut() throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 1, 1)) {
      assertThat(cluster.raw("GET /v1/status HTTP/1.1", "Host: evil.example")).contains(" 403 ");
      assertThat(
              cluster.raw(
                  "POST /v1/abort HTTP/1.1", "Host: 127.0.0.1", "Origin: http://evil.example"))
          .contains(" 403 ");
      assertThat(cluster.raw("GET /v1/status HTTP/1.1", "Host: localhost")).contains(" 200 ");
      assertThat(cluster.ask("POST", "/v1/rollback", "{\"to\":1.5}").status()).isEqualTo(400);
      assertThat(cluster.ask("PATCH", "/v1/nodes/n0", "{\"wieght\":5}").status()).isEqualTo(400);
      String metrics = cluster.text("/metrics");
      assertThat(metrics)
          .contains("beltway_cluster_phase 0.0", "beltway_cluster_node_up{node=\"n0\"}");
      String document = cluster.ask("GET", "/v1/openapi.json", "").body().toString();
      assertThat(document).contains("/v1/nodes/{id}", "/v1/proxies/{name}", "/v1/events");
    }
  }
}
