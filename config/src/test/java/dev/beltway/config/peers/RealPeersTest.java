package dev.beltway.config.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Topology;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is exported is obeyed by the real nginx and HAProxy: every key goes where it should. */
@Tag("needs-peers")
class RealPeersTest {

  private static final int KEYS = 1_000;

  private final List<HttpServer> backends = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private @Nullable Process process;

  @BeforeEach
  void start() throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // Else each answer takes 40 ms.
    for (int i = 0; i < 4; i++) {
      HttpServer backend =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
      String id = "server-" + (i + 1);
      byte[] body = id.getBytes(StandardCharsets.UTF_8);
      backend.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      backend.setExecutor(Executors.newFixedThreadPool(2));
      backend.start();
      backends.add(backend);
      nodes.add(
          Node.of(id).withAddress("127.0.0.1:" + backend.getAddress().getPort()).withWeight(i + 1));
    }
  }

  @AfterEach
  void stop() {
    backends.forEach(backend -> backend.stop(0));
    if (process != null) {
      process.destroy();
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void compare(Topology topology, int port) throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    Placement placement = Placements.of(topology);
    long deadline = System.nanoTime() + 20_000_000_000L;
    int agreed = 0;
    for (int i = 0; i < KEYS; i++) {
      String key = "key-" + i;
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/?k=" + key)).build();
      HttpResponse<String> response;
      while (true) {
        try {
          response = http.send(request, HttpResponse.BodyHandlers.ofString());
          break;
        } catch (java.io.IOException e) {
          assertThat(System.nanoTime()).as("%s", e).isLessThan(deadline); // It is starting.
        }
      }
      assertThat(response.body()).as(key).isEqualTo(placement.owner(key).id());
      agreed++;
    }
    assertThat(agreed).isEqualTo(KEYS);
  }

  private Topology topology(PlacementRule rule) {
    return new Topology(0, rule, nodes);
  }

  @Test
  void nginx(@TempDir Path folder) throws Exception {
    int port = freePort();
    Topology topology = topology(NginxRule.DEFAULT);
    Path config = folder.resolve("nginx.conf");
    Files.writeString(
        config,
        "daemon off; worker_processes 1; pid "
            + folder
            + "/pid; error_log "
            + folder
            + "/error.log;\nevents {}\nhttp { access_log off; client_body_temp_path "
            + folder
            + "/b; proxy_temp_path "
            + folder
            + "/p; fastcgi_temp_path "
            + folder
            + "/f; uwsgi_temp_path "
            + folder
            + "/u; scgi_temp_path "
            + folder
            + "/s;\n"
            + NginxUpstream.write("pool", topology).replace("$request_uri", "$arg_k")
            + "server { listen 127.0.0.1:"
            + port
            + "; location / { proxy_pass http://pool; } } }\n");
    process =
        new ProcessBuilder("nginx", "-c", config.toString(), "-p", folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile())
            .start();
    compare(topology, port);
    Pool again = NginxUpstream.read(Files.readString(config)).get(0);
    assertThat(again.topology().fingerprint()).isNotNull();
    compare(renamed(again.topology()), port);
  }

  @Test
  void haproxy(@TempDir Path folder) throws Exception {
    for (boolean avalanche : new boolean[] {true, false}) {
      int port = freePort();
      Topology topology = topology(new HaproxyRule(avalanche ? "sdbm" : "crc32", avalanche));
      Path config = folder.resolve("haproxy-" + avalanche + ".cfg");
      Files.writeString(
          config,
          "defaults\n    mode http\n    timeout connect 5s\n    timeout client 5s\n    timeout server"
              + " 5s\nfrontend f\n    bind 127.0.0.1:"
              + port
              + "\n    default_backend pool\n"
              + HaproxyBackend.write("pool", topology)
                  .replace("balance uri", "balance url_param k"));
      Process haproxy =
          new ProcessBuilder("haproxy", "-db", "-f", config.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("out").toFile())
              .start();
      process = haproxy;
      compare(topology, port);
      compare(HaproxyBackend.read(Files.readString(config)).get(0).topology(), port);
      haproxy.destroy();
      haproxy.waitFor();
    }
  }

  /** With the ids that the backends answer with. */
  private Topology renamed(Topology topology) {
    List<Node> named = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      named.add(
          Node.of(nodes.get(i).id())
              .withAddress(topology.nodes().get(i).address().orElseThrow())
              .withWeight(topology.nodes().get(i).weight().value()));
    }
    return new Topology(0, topology.rule(), named);
  }
}
