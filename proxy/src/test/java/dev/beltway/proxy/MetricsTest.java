package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.telemetry.MetricsPages;
import dev.beltway.telemetry.ProxyMetrics;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** C37: the number of series is bounded, whatever clients do. */
@Tag("needs-redis")
@Tag("needs-promtool")
@NullUnmarked // A null where none should be fails the test.
class MetricsTest {

  private final HttpClient http = HttpClient.newHttpClient();

  private HttpResponse<String> get(MetricsPages pages, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + pages.address().getPort() + path))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static Map<String, Double> counters(String page) {
    Map<String, Double> counters = new HashMap<>();
    page.lines()
        .filter(line -> line.startsWith("beltway_") && line.contains("_total"))
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              counters.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
            });
    return counters;
  }

  @Test
  void seriesAreBoundedAndCountersNeverGoDown() throws Exception {
    try (Pool pool = Pool.of(3);
        MetricsPages pages =
            MetricsPages.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ProxyMetrics(pool.proxy::reading),
                pool.proxy::unready)) {
      try (PlainClient client = pool.client()) {
        client.ask("SET", "a", "1");
        client.ask("GET", "a");
        client.ask("PING");
        client.ask("INFO");
        client.tell("XYZ");
        client.tell("LPUSH", "a", "1");
      }
      String before = get(pages, "/metrics").body();
      for (int i = 0; i < 1_000; i++) {
        try (PlainClient client = pool.client()) {
          client.ask("SET", "key" + i, "v");
        }
      }
      try (PlainClient client = pool.client()) {
        for (int i = 0; i < 200; i++) {
          client.tell("XYZ" + i, "a");
          client.tell("CLIENT", "SETNAME", "client" + i);
          client.tell("GET", "key\"\\\n" + i);
        }
      }
      for (int version = 2; version < 52; version++) {
        List<Node> nodes = new ArrayList<>(pool.topology.nodes());
        if (version % 2 == 0) {
          nodes.add(Node.of("extra" + version).withAddress("127.0.0.1:1").withWeight(0));
        }
        assertThat(pool.proxy.reload(new Topology(version, pool.topology.rule(), nodes))).isEmpty();
      }
      String after = get(pages, "/metrics").body();
      assertThat(after.lines().count()).isLessThanOrEqualTo(before.lines().count() + 10);
      Map<String, Double> was = counters(before);
      Map<String, Double> is = counters(after);
      was.forEach(
          (series, value) -> assertThat(is.get(series)).as(series).isGreaterThanOrEqualTo(value));
      assertThat(is.get("beltway_requests_total{command=\"set\"}")).isEqualTo(1_001);
      assertThat(after)
          .doesNotContain("key1")
          .doesNotContain("XYZ1")
          .doesNotContain("client1")
          .doesNotContain("extra2")
          .contains("beltway_topology_epoch 51.0")
          .contains("beltway_node_up{node=\"n1\"} 1.0")
          .contains("beltway_node_request_seconds_bucket{class=\"read\",node=\"n2\",le=\"+Inf\"}");
      Process promtool =
          new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
      promtool.getOutputStream().write(after.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      promtool.getOutputStream().close();
      String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(promtool.waitFor()).as(said).isZero();
      assertThat(said.lines().filter(line -> line.startsWith("beltway_"))).isEmpty();
      assertThat(get(pages, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(pages, "/readyz").body()).isEqualTo("ready\n");
      for (var server : pool.servers) {
        server.kill();
      }
      Raw.until("it is not ready", () -> get(pages, "/readyz").statusCode() == 503);
    }
  }

  /** The alert rules are sound, and rules, dashboard and document name metrics that there are. */
  @Test
  void whatAlertsAndDashboardsAskForIsThere() throws Exception {
    Path root = Path.of(System.getProperty("beltway.root"));
    Process promtool =
        new ProcessBuilder(
                "promtool", "check", "rules", root.resolve("ops/beltway-alerts.yaml").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(promtool.waitFor()).as(said).isZero();
    try (Pool pool = Pool.of(2);
        PlainClient client = pool.client();
        MetricsPages pages =
            MetricsPages.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ProxyMetrics(pool.proxy::reading),
                pool.proxy::unready)) {
      client.ask("SET", "a", "1");
      String page = get(pages, "/metrics").body();
      // What begins with beltway_cluster is on the page of control.
      Pattern name = Pattern.compile("beltway_(?!cluster)[a-z_]+");
      for (String file :
          List.of("ops/beltway-alerts.yaml", "ops/beltway-dashboard.json", "docs/operations.md")) {
        Matcher asked = name.matcher(Files.readString(root.resolve(file)));
        int found = 0;
        while (asked.find()) {
          assertThat(page).as("%s: %s", file, asked.group()).contains(asked.group());
          found++;
        }
        assertThat(found).as(file).isGreaterThan(5);
      }
    }
  }

  @Test
  void nodeNamesAreEscaped() throws Exception {
    try (Pool one = Pool.of(1)) {
      Node odd = Node.of("od\"d\\").withAddress(one.servers.get(0).address());
      Topology topology = new Topology(1, one.topology.rule(), List.of(odd));
      try (Pool pool = Pool.over(one.servers, topology, s -> s);
          MetricsPages pages =
              MetricsPages.start(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                  new ProxyMetrics(pool.proxy::reading),
                  pool.proxy::unready)) {
        assertThat(get(pages, "/metrics").body()).contains("node=\"od\\\"d\\\\\"");
      }
    }
  }
}
