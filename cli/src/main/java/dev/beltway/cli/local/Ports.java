package dev.beltway.cli.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Ports of this machine that nobody uses; each is given once. */
final class Ports {

  private static final int TRIES = 200;

  private final Set<Integer> given = new HashSet<>();
  private final Consumer<String> told;

  /**
   * Gives ports.
   *
   * @param told when one that is wanted is in use
   */
  Ports(Consumer<String> told) {
    this.told = told;
  }

  /** Whether nobody listens there. */
  static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      // What has just been closed may be taken again, as servers do.
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Keeps one from being given. */
  synchronized void reserve(int port) {
    given.add(port);
  }

  /**
   * The first free one from here on.
   *
   * @param neighbours how many after it must be free too
   * @param what it is for
   * @throws IOException if there is none near
   */
  synchronized int take(int wanted, int neighbours, String what) throws IOException {
    for (int port = wanted; port < wanted + TRIES && port + neighbours < 65_536; port++) {
      boolean free = true;
      for (int at = port; at <= port + neighbours; at++) {
        free = free && !given.contains(at) && isFree(at);
      }
      if (free) {
        for (int at = port; at <= port + neighbours; at++) {
          given.add(at);
        }
        if (port != wanted && !given.contains(wanted)) {
          told.accept("port " + wanted + " is in use: " + what + " is on " + port);
        }
        return port;
      }
    }
    throw new IOException(
        "no free port for " + what + " from " + wanted + " to " + (wanted + TRIES - 1));
  }
}
