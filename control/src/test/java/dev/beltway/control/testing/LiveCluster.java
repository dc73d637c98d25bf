package dev.beltway.control.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.config.TopologyText;
import dev.beltway.control.ControlServer;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.StoreFeed;
import dev.beltway.handover.RoutingFeed;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.proxy.Proxy;
import dev.beltway.proxy.ProxySettings;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullUnmarked;

/** Real servers, a real store, a control process and proxies, all of this process's own. */
@NullUnmarked
public final class LiveCluster implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int CONTROL_DATABASE = 15;

  public final List<RedisNode> nodes = new ArrayList<>();
  public final List<Proxy> proxies = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Path folder;
  private final int zooKeeperPort;
  private final String servers;
  private final boolean embedded;
  private int port;
  public ControlServer control;

  /** So many servers, of which the first ones are a ring already. */
  public static LiveCluster started(Path folder, int servers, int nodes) throws IOException {
    LiveCluster cluster = new LiveCluster(folder);
    try {
      for (int i = 0; i < servers; i++) {
        cluster.addServer();
      }
      cluster.startControl(cluster.topology(ring(), nodes));
      return cluster;
    } catch (IOException e) {
      cluster.close();
      throw e;
    }
  }

  public LiveCluster(Path folder) throws IOException {
    this(folder, "");
  }

  /** On an ensemble; embedded if none is named. */
  public LiveCluster(Path folder, String ensemble) throws IOException {
    this.folder = folder;
    this.embedded = ensemble.isEmpty();
    this.zooKeeperPort = RedisNode.freePort();
    this.servers = embedded ? "127.0.0.1:" + zooKeeperPort : ensemble;
  }

  /** The ring that tests use: hash tags are on. */
  public static RingRule ring() {
    return RingRule.DEFAULT.withHashTags(true);
  }

  public RedisNode addServer() throws IOException {
    RedisNode node = RedisNode.start();
    nodes.add(node);
    return node;
  }

  public static String id(int number) {
    return "n" + number;
  }

  /** The topology of the first servers. */
  public Topology topology(PlacementRule rule, int count) {
    List<Node> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(Node.of(id(i)).withAddress(nodes.get(i).address()));
    }
    return new Topology(1, rule, all);
  }

  public void startControl(Topology first) throws IOException {
    control =
        ControlServer.start(
            new ControlServer.Setup(
                loopback(port),
                embedded
                    ? Optional.of(new ControlServer.Embedded(folder, "127.0.0.1", zooKeeperPort))
                    : Optional.empty(),
                servers,
                "test",
                "opensesame",
                ApiKeys.OPEN,
                null,
                NodeSettings.plain("beltway-control").withLogin("default", RedisNode.PASSWORD),
                CONTROL_DATABASE,
                folder.resolve("kept"),
                "c" + System.nanoTime()),
            Optional.ofNullable(first));
    port = control.port();
  }

  private static InetSocketAddress loopback(int at) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), at);
  }

  public RoutingFeed feed() throws IOException {
    return new StoreFeed(
        ClusterStore.connect(servers, "test", "opensesame", Duration.ofSeconds(20)),
        CONTROL_DATABASE);
  }

  public Proxy startProxy(String name) throws IOException {
    return startProxy(name, feed -> feed);
  }

  /** One that holds requests for so long. */
  public Proxy startProxy(String name, Duration hold) throws IOException {
    ProxySettings usual = ProxySettings.usual(name, loopback(0));
    Proxy proxy =
        Proxy.start(
            new ProxySettings(
                usual.name(),
                usual.listen(),
                2,
                usual.databases(),
                usual.clients(),
                usual.pipelined(),
                usual.memoryBytes(),
                true,
                usual.policy(),
                usual.users(),
                usual.tls(),
                usual.nodes(),
                usual.slow(),
                usual.drain(),
                hold),
            feed());
    proxies.add(proxy);
    return proxy;
  }

  public Proxy startProxy(String name, UnaryOperator<RoutingFeed> wrapped) throws IOException {
    Proxy proxy = Proxy.start(ProxySettings.usual(name, loopback(0)), wrapped.apply(feed()));
    proxies.add(proxy);
    return proxy;
  }

  public PlainClient client(Proxy proxy) throws IOException {
    return PlainClient.connect(
        InetSocketAddress.createUnresolved("127.0.0.1", proxy.address().getPort()),
        Duration.ofSeconds(20));
  }

  /** Writes that many keys, each with a value of its own. */
  public static void fill(PlainClient client, int keys) throws IOException {
    for (int i = 0; i < keys; i += 500) {
      String[] words = new String[1001];
      words[0] = "MSET";
      for (int j = 0; j < 500; j++) {
        words[1 + 2 * j] = "key:" + (i + j);
        words[2 + 2 * j] = "value" + (i + j);
      }
      client.ask(words);
    }
  }

  /** Every key that was written so has its value. */
  public static void assertAllThere(PlainClient client, int keys) throws IOException {
    for (int i = 0; i < keys; i += 500) {
      String[] words = new String[501];
      words[0] = "MGET";
      for (int j = 0; j < 500; j++) {
        words[1 + j] = "key:" + (i + j);
      }
      List<?> values = (List<?>) client.ask(words);
      for (int j = 0; j < 500; j++) {
        assertThat(RespReader.text(values.get(j))).isEqualTo("value" + (i + j));
      }
    }
  }

  /** Every key is on its owner and nowhere else. */
  public void assertPlaced(Topology topology) throws IOException {
    Placement placement = Placements.of(topology);
    for (int i = 0; i < nodes.size(); i++) {
      for (Object each : (List<?>) nodes.get(i).ask("KEYS", "*")) {
        assertThat(placement.owner((byte[]) each).id())
            .as("owner of %s", RespReader.text(each))
            .isEqualTo(id(i));
      }
    }
  }

  public String servers() {
    return servers;
  }

  /** The first line of what is answered to these lines. */
  public String raw(String... lines) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      String text =
          String.join("\r\n", lines) + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      byte[] bytes = socket.getInputStream().readAllBytes();
      return new String(bytes, StandardCharsets.US_ASCII).lines().findFirst().orElse("");
    }
  }

  /** An answer of the API. */
  public record Answer(int status, JsonNode body) {}

  public Answer ask(String method, String path, String body) throws IOException {
    try {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                  .timeout(Duration.ofSeconds(30))
                  .method(
                      method,
                      body.isEmpty()
                          ? HttpRequest.BodyPublishers.noBody()
                          : HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), JSON.readTree(response.body()));
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** A page that is no JSON. */
  public String text(String path) throws IOException {
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  public JsonNode status() throws IOException {
    return ask("GET", "/v1/status", "").body();
  }

  /** Looks again and again until it is so; says what it was last if that takes too long. */
  public JsonNode awaitStatus(String what, Predicate<JsonNode> so) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    JsonNode last = null;
    while (System.nanoTime() < deadline) {
      last = status();
      if (so.test(last)) {
        return last;
      }
      Thread.onSpinWait();
    }
    throw new AssertionError(what + " did not come; last: " + last);
  }

  public JsonNode awaitSteady(long epoch) throws IOException {
    return awaitStatus(
        "steady at epoch " + epoch,
        status ->
            status.path("phase").asText().equals("STEADY")
                && status.path("epoch").asLong() == epoch);
  }

  public Answer addNode(int number) throws IOException {
    return addNode(number, "\"why\":\"\"");
  }

  /** With further fields. */
  public Answer addNode(int number, String fields) throws IOException {
    String address = nodes.get(number).address();
    String body = "{\"id\":\"" + id(number) + "\",\"address\":\"" + address + "\"," + fields + "}";
    return ask("POST", "/v1/nodes", body);
  }

  public Answer apply(Topology topology) throws IOException {
    return ask("PUT", "/v1/topology", TopologyText.json(topology));
  }

  /** Ends the control process as a kill would: nothing is put in order. */
  public void killControl() {
    control.close();
  }

  @Override
  public void close() {
    proxies.forEach(Proxy::close);
    if (control != null) {
      control.close();
    }
    nodes.forEach(RedisNode::close);
  }
}
