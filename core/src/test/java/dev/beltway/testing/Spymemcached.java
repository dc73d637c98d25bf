package dev.beltway.testing;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.KetamaNodeKeyFormatter;
import net.spy.memcached.KetamaNodeLocator;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.NodeLocator;

/** The ketama of the real Java client, on servers that are only addresses. */
public final class Spymemcached {

  static {
    // With weights the client asserts a number of points that it doesn't make itself.
    Spymemcached.class
        .getClassLoader()
        .setClassAssertionStatus("net.spy.memcached.KetamaNodeLocator", false);
  }

  private Spymemcached() {}

  /** A locator on servers {@code ip:port} with their weights. */
  public static NodeLocator ketama(
      KetamaNodeKeyFormatter.Format format, Map<String, Integer> servers) {
    List<MemcachedNode> nodes = new ArrayList<>();
    Map<InetSocketAddress, Integer> weights = new java.util.HashMap<>();
    servers.forEach(
        (server, weight) -> {
          int colon = server.lastIndexOf(':');
          InetSocketAddress address =
              new InetSocketAddress(
                  server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
          weights.put(address, weight);
          nodes.add(node(address));
        });
    boolean equal = servers.values().stream().allMatch(weight -> weight == 1);
    return equal
        ? new KetamaNodeLocator(nodes, DefaultHashAlgorithm.KETAMA_HASH, format, Map.of())
        : new KetamaNodeLocator(nodes, DefaultHashAlgorithm.KETAMA_HASH, format, weights);
  }

  private static MemcachedNode node(SocketAddress address) {
    return (MemcachedNode)
        Proxy.newProxyInstance(
            MemcachedNode.class.getClassLoader(),
            new Class<?>[] {MemcachedNode.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getSocketAddress" -> address;
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> arguments != null && proxy == arguments[0];
                  case "toString" -> address.toString();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** The address of a key's server, {@code ip:port}. */
  public static String owner(NodeLocator locator, String key) {
    InetSocketAddress address = (InetSocketAddress) locator.getPrimary(key).getSocketAddress();
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
