package dev.beltway.proxy;

import dev.beltway.proxy.access.Users;
import dev.beltway.resp.client.NodeSettings;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * How a proxy behaves.
 *
 * @param name what it calls itself at the nodes, after {@code beltway-}
 * @param listen where clients connect
 * @param loops event loops, each with connections of its own to every node
 * @param databases how many databases clients may select
 * @param clients the most clients
 * @param pipelined the most requests of one client that are under way
 * @param memoryBytes what buffers may take; the client that holds the most is closed above it
 * @param allowFlush whether FLUSHDB and FLUSHALL are done
 * @param policy what happens to keys of a node that is down
 * @param users who may do what
 * @param tls how clients must encrypt, if so
 * @param nodes how nodes are talked to
 * @param slow from how long on a request is noted as slow
 * @param drain how long a stop waits for what is under way
 * @param hold how long a request may wait for keys that move, before its client is told to try
 *     again
 */
public record ProxySettings(
    String name,
    InetSocketAddress listen,
    int loops,
    int databases,
    int clients,
    int pipelined,
    long memoryBytes,
    boolean allowFlush,
    FailurePolicy policy,
    Users users,
    Optional<SslContext> tls,
    NodeSettings nodes,
    Duration slow,
    Duration drain,
    Duration hold) {

  /** How long requests wait for keys that move, unless it is set. */
  public static final Duration HOLD = Duration.ofSeconds(3);

  /** Checks the ranges. */
  public ProxySettings {
    check("loops", loops, 1, 64);
    check("databases", databases, 1, 1024);
    check("clients", clients, 1, 1_000_000);
    check("pipelined", pipelined, 1, 1 << 20);
    check("memory", memoryBytes, 16L << 20, 1L << 40);
    if (!name.matches("[A-Za-z0-9_.-]{1,64}")) {
      throw new IllegalArgumentException(
          "name \"" + name + "\" is not 1 to 64 letters, digits, dots, dashes or underscores");
    }
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          what + " " + value + " is outside " + least + " to " + most);
    }
  }

  /** The usual settings. */
  public static ProxySettings usual(String name, InetSocketAddress listen) {
    return new ProxySettings(
        name,
        listen,
        1,
        16,
        10_000,
        1_024,
        256L << 20,
        false,
        FailurePolicy.ERROR,
        Users.OPEN,
        Optional.empty(),
        NodeSettings.plain("beltway-" + name),
        Duration.ofMillis(100),
        Duration.ofSeconds(10),
        HOLD);
  }
}
