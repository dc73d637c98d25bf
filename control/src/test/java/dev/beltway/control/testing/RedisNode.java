package dev.beltway.control.testing;

import dev.beltway.resp.client.PlainClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;

/** A Redis server with a password, on a port of its own. */
@NullUnmarked
public final class RedisNode implements AutoCloseable {

  public static final String PASSWORD = "secret";

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final int port;
  private final List<String> command;
  private Process process;

  private RedisNode(int port, List<String> command) throws IOException {
    this.port = port;
    this.command = command;
    launch();
  }

  /** In memory only, with a password. */
  public static RedisNode start() throws IOException {
    return start("--requirepass", PASSWORD);
  }

  /** With these options beside the usual ones. */
  public static RedisNode start(String... options) throws IOException {
    int port = freePort();
    Path folder = Files.createTempDirectory("beltway-test-node");
    folder.toFile().deleteOnExit();
    List<String> command =
        new ArrayList<>(
            List.of(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                folder.toString()));
    command.addAll(List.of(options));
    return new RedisNode(port, command);
  }

  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void launch() throws IOException {
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < deadline && process.isAlive()) {
      try (PlainClient client = PlainClient.connect(socket(), TIMEOUT)) {
        client.tell("PING");
        return;
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
    throw new IOException(String.join(" ", command) + " did not start");
  }

  private InetSocketAddress socket() {
    return InetSocketAddress.createUnresolved("127.0.0.1", port);
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** What it says to its administrator. */
  public Object ask(String... words) throws IOException {
    try (PlainClient client = open()) {
      return client.ask(words);
    }
  }

  /** A connection of its administrator's. */
  public PlainClient open() throws IOException {
    PlainClient client = PlainClient.connect(socket(), TIMEOUT);
    if (command.contains("--requirepass")) {
      client.ask("AUTH", PASSWORD);
    }
    return client;
  }

  public long size() throws IOException {
    return (Long) ask("DBSIZE");
  }

  public void kill() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  public void restart() throws IOException {
    launch();
  }

  public void signal(String name) throws IOException {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
