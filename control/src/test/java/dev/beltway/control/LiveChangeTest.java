package dev.beltway.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.control.testing.LiveCluster;
import dev.beltway.control.testing.Load;
import dev.beltway.control.testing.RedisNode;
import dev.beltway.control.testing.Silent;
import dev.beltway.hash.HashFunctions;
import dev.beltway.proxy.Proxy;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes of topology on real servers, while clients go on. */
@Tag("needs-redis")
@Tag("long")
@NullUnmarked
@Timeout(120)
class LiveChangeTest {

  @TempDir Path folder;

  @Test
  void poolOfThreeGrowsAndShrinksTwiceUnderLoadWithoutAMiss() throws IOException {
    int keys = 100_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 4, 3)) {
      Proxy one = cluster.startProxy("one");
      Proxy two = cluster.startProxy("two");
      try (PlainClient client = cluster.client(one)) {
        LiveCluster.fill(client, keys);
        try (Load load = new Load(6, number -> cluster.client(number % 2 == 0 ? one : two))) {
          for (int round = 0; round < 2; round++) {
            long epoch = 2 + 2L * round;
            load.more(500);
            LiveCluster.Answer added = cluster.addNode(3);
            assertThat(added.status()).as("%s", added.body()).isEqualTo(202);
            cluster.awaitSteady(epoch);
            assertThat(cluster.nodes.get(3).size()).isGreaterThan(keys / 8);
            load.more(500);
            if (round == 0) {
              cluster.ask("DELETE", "/v1/nodes/n3", "");
              cluster.awaitSteady(epoch + 1);
              assertThat(cluster.nodes.get(3).size()).isZero();
            }
          }
          load.more(500);
          load.end();
          assertThat(load.wrong()).isEmpty();
          assertThat(load.done()).isGreaterThan(2_000);
        }
        LiveCluster.assertAllThere(client, keys);
        cluster.assertPlaced(cluster.topology(LiveCluster.ring(), 4));
      }
    }
  }

  @Test
  void moduloPoolOfEightBecomesARingOfTenLive() throws IOException {
    int keys = 100_000;
    try (LiveCluster cluster = new LiveCluster(folder)) {
      for (int i = 0; i < 10; i++) {
        cluster.addServer();
      }
      cluster.startControl(cluster.topology(new ModuloRule(HashFunctions.XXH3_64, true), 8));
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        try (Load load = new Load(4, number -> cluster.client(proxy))) {
          load.more(300);
          Topology ring = cluster.topology(LiveCluster.ring(), 10);
          assertThat(cluster.apply(ring).status()).isEqualTo(202);
          cluster.awaitSteady(2);
          load.more(300);
          load.end();
          assertThat(load.wrong()).isEmpty();
          LiveCluster.assertAllThere(client, keys);
          cluster.assertPlaced(ring);
        }
      }
    }
  }

  @Test
  void rollbackAndAbortBringEverythingBack() throws IOException {
    int keys = 20_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Topology two = cluster.topology(LiveCluster.ring(), 2);
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy);
          Load load = new Load(3, number -> cluster.client(proxy))) {
        LiveCluster.fill(client, keys);
        cluster.addNode(2);
        cluster.awaitSteady(2);
        assertThat(cluster.ask("POST", "/v1/rollback", "{\"to\":1}").status()).isEqualTo(202);
        cluster.awaitSteady(3);
        assertThat(cluster.nodes.get(2).size()).isZero();
        cluster.addNode(2);
        // Whenever it comes, it leads back: the epoch is the old mapping's or a copy of it.
        cluster.awaitStatus(
            "something to take back", status -> !status.path("phase").asText().equals("STEADY"));
        LiveCluster.Answer aborted = cluster.ask("POST", "/v1/abort", "");
        cluster.awaitStatus("steady", status -> status.path("phase").asText().equals("STEADY"));
        boolean late = aborted.status() != 200;
        load.end();
        assertThat(load.wrong()).isEmpty();
        LiveCluster.assertAllThere(client, keys);
        cluster.assertPlaced(late ? cluster.topology(LiveCluster.ring(), 3) : two);
      }
    }
  }

  @Test
  void refusalsSayWhyAndLeaveEverythingAsItWas() throws IOException {
    try (LiveCluster cluster = new LiveCluster(folder);
        RedisNode open = RedisNode.start("--appendonly", "no")) {
      for (int i = 0; i < 3; i++) {
        cluster.addServer();
      }
      cluster.startControl(cluster.topology(LiveCluster.ring(), 2));
      Proxy proxy = cluster.startProxy("one");
      assertThat(refusal(cluster, "127.0.0.1:1")).contains("does not answer");
      assertThat(refusal(cluster, open.address())).contains("node n2");
      cluster.nodes.get(2).ask("REPLICAOF", "127.0.0.1", "1");
      assertThat(refusal(cluster, cluster.nodes.get(2).address())).contains("replica");
      cluster.nodes.get(2).ask("REPLICAOF", "NO", "ONE");
      for (int i = 0; i < 50; i++) {
        cluster.nodes.get(2).ask("SET", "stray" + i, "x");
      }
      assertThat(refusal(cluster, cluster.nodes.get(2).address())).contains("50 keys already");
      assertThat(cluster.nodes.get(2).size()).isEqualTo(50);
      assertThat(cluster.status().path("epoch").asLong()).isEqualTo(1);
      assertThat(cluster.ask("DELETE", "/v1/nodes/nobody", "").status()).isEqualTo(404);
      assertThat(cluster.ask("POST", "/v1/rollback", "{\"to\":77}").status()).isEqualTo(404);
      assertThat(cluster.ask("POST", "/v1/nodes", "{\"id\":\"x\"}").status()).isEqualTo(400);
      assertThat(cluster.ask("POST", "/v1/nodes", "nonsense").status()).isEqualTo(400);
      assertThat(cluster.ask("GET", "/v1/nowhere", "").status()).isEqualTo(404);
      assertThat(cluster.ask("POST", "/v1/resume", "").status()).isEqualTo(409);
      try (PlainClient client = cluster.client(proxy)) {
        assertThat(client.ask("SET", "a", "b")).isNotNull();
      }
    }
  }

  /** The reason why a third node at this address is refused. */
  private static String refusal(LiveCluster cluster, String address) throws IOException {
    LiveCluster.Answer asked =
        cluster.ask("POST", "/v1/nodes", "{\"id\":\"n2\",\"address\":\"" + address + "\"}");
    assertThat(asked.status()).as("%s", asked.body()).isEqualTo(202);
    cluster.awaitStatus("steady", status -> status.path("phase").asText().equals("STEADY"));
    return cluster.ask("GET", "/v1/audit?limit=1", "").body().get(0).path("what").asText();
  }

  @Test
  void secondChangeAtOnceIsRefusedAndNamesTheFirst() throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 4, 2)) {
      cluster.startProxy("one");
      assertThat(cluster.addNode(2).status()).isEqualTo(202);
      LiveCluster.Answer second = cluster.addNode(3);
      assertThat(second.status()).isEqualTo(409);
      assertThat(second.body().path("detail").asText()).contains("add node n2");
      assertThat(second.body().path("remedy").asText()).contains("abort");
      cluster.awaitSteady(2);
    }
  }

  @Test
  void controlThatIsKilledInTheMidstFinishesWhenItStartsAgain() throws IOException {
    int keys = 20_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy);
          Load load = new Load(3, number -> cluster.client(proxy))) {
        LiveCluster.fill(client, keys);
        for (String phase : List.of("PREPARING", "FENCING", "MOVING")) {
          cluster.addNode(2);
          JsonPhase.await(cluster, phase);
          cluster.killControl();
          if (phase.equals("PREPARING")) {
            load.more(200); // Clients need no control; only keys that are held wait for it.
          }
          cluster.startControl(null);
          cluster.awaitStatus(
              "the change", status -> status.path("phase").asText().equals("STEADY"));
          assertThat(cluster.nodes.get(2).size()).isGreaterThan(keys / 8);
          cluster.ask("DELETE", "/v1/nodes/n2", "");
          cluster.awaitStatus(
              "the removal",
              status ->
                  status.path("phase").asText().equals("STEADY")
                      && status.path("nodes").size() == 2);
        }
        load.end();
        assertThat(load.wrong()).isEmpty();
        LiveCluster.assertAllThere(client, keys);
      }
    }
  }

  /** Waits for a phase, or for what comes after it. */
  private static final class JsonPhase {
    private static final List<String> ORDER = List.of("PREPARING", "FENCING", "MOVING", "STEADY");

    static void await(LiveCluster cluster, String phase) throws IOException {
      cluster.awaitStatus(
          phase, status -> ORDER.indexOf(status.path("phase").asText()) >= ORDER.indexOf(phase));
    }
  }

  @Test
  void silentProxyHoldsTheChangeUpAndFencingItLetsItGoOnSafely() throws IOException {
    int keys = 10_000;
    CountDownLatch hears = new CountDownLatch(1);
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy good = cluster.startProxy("good");
      Proxy silent = cluster.startProxy("silent", feed -> new Silent(feed, hears));
      try (PlainClient client = cluster.client(good);
          PlainClient other = cluster.client(silent)) {
        LiveCluster.fill(client, keys);
        cluster.addNode(2);
        cluster.awaitStatus(
            "waiting for the silent one",
            status -> status.path("waitsFor").toString().contains("proxy silent"));
        assertThat(cluster.status().path("phase").asText()).isEqualTo("FENCING");
        // It still serves what it knows, and that is right.
        assertThat(RespReader.text(other.ask("GET", "key:1"))).isEqualTo("value1");
        assertThat(cluster.ask("DELETE", "/v1/proxies/silent", "").status()).isEqualTo(200);
        cluster.awaitSteady(2);
        // Shut out, it can write nothing; what it is asked fails.
        int refused = 0;
        for (int i = 0; i < 200; i++) {
          refused += other.tell("SET", "key:" + i, "late") instanceof RespReader.Failed ? 1 : 0;
        }
        assertThat(refused).isEqualTo(200);
        LiveCluster.assertAllThere(client, keys);
        hears.countDown();
        // It registers anew and serves again, by the new mapping.
        awaitReply(other, "OK", "SET", "key:7", "value7");
        LiveCluster.assertAllThere(other, keys);
      }
    }
  }

  private static void awaitReply(PlainClient client, String expected, String... words)
      throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    Object last = null;
    while (System.nanoTime() < deadline) {
      last = client.tell(words);
      if (last instanceof byte[] bytes && RespReader.text(bytes).equals(expected)) {
        return;
      }
      Thread.onSpinWait();
    }
    throw new AssertionError("last reply: " + last);
  }
}
