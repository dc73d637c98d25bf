package dev.beltway.proxy;

import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Real servers behind a proxy, all of it ended by {@link #close()}. */
final class Pool implements AutoCloseable {

  static final Duration TIMEOUT = Duration.ofSeconds(20);

  final List<RedisProcess> servers;
  final Topology topology;
  final Proxy proxy;

  private Pool(List<RedisProcess> servers, Topology topology, Proxy proxy) {
    this.servers = servers;
    this.topology = topology;
    this.proxy = proxy;
  }

  static Pool of(int nodes) throws IOException {
    return of(nodes, settings -> settings);
  }

  static Pool of(int nodes, UnaryOperator<ProxySettings> change, String... options)
      throws IOException {
    List<RedisProcess> servers = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      servers.add(RedisProcess.start(options));
    }
    return over(servers, topology(servers), change);
  }

  static Pool over(
      List<RedisProcess> servers, Topology topology, UnaryOperator<ProxySettings> change)
      throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ProxySettings settings = change.apply(ProxySettings.usual("test", any));
    return new Pool(servers, topology, Proxy.start(settings, topology));
  }

  /** A ring with hash tags over the servers, {@code n1}, {@code n2} … */
  static Topology topology(List<RedisProcess> servers) {
    RingRule usual = RingRule.DEFAULT;
    List<Node> nodes = new ArrayList<>();
    for (RedisProcess server : servers) {
      nodes.add(Node.of("n" + (nodes.size() + 1)).withAddress(server.address()));
    }
    return new Topology(
        1,
        new RingRule(
            usual.hash(),
            usual.vnodes(),
            usual.minVnodes(),
            usual.separator(),
            true,
            Replication.NONE,
            usual.maxTokens()),
        nodes);
  }

  InetSocketAddress address() {
    return InetSocketAddress.createUnresolved("127.0.0.1", proxy.address().getPort());
  }

  int port() {
    return proxy.address().getPort();
  }

  /** A client of the proxy. */
  PlainClient client() throws IOException {
    return PlainClient.connect(address(), TIMEOUT);
  }

  /** The server that owns a key. */
  RedisProcess owner(String key) {
    String id = proxy.routing().placement().owner(key).id();
    return servers.get(Integer.parseInt(id.substring(1)) - 1);
  }

  /** A key that begins with the text and that the server of this number, from 0, owns. */
  String keyOn(int server, String begin) {
    for (int i = 0; ; i++) {
      if (owner(begin + i) == servers.get(server)) {
        return begin + i;
      }
    }
  }

  @Override
  public void close() {
    proxy.close();
    servers.forEach(RedisProcess::close);
  }
}
