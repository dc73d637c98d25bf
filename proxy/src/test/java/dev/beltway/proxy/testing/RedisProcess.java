package dev.beltway.proxy.testing;

import dev.beltway.resp.client.PlainClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server of the machine's on a port of its own, which can be stopped, killed and frozen.
 */
public final class RedisProcess implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final int port;
  private final List<String> command;
  private Process process;

  private RedisProcess(int port, List<String> command) throws IOException {
    this.port = port;
    this.command = command;
    this.process = launch();
  }

  /** Starts one, in memory only, and waits until it answers. */
  public static RedisProcess start(String... options) throws IOException {
    return startAt(freePort(), options);
  }

  /** Starts one on a port. */
  public static RedisProcess startAt(int port, String... options) throws IOException {
    Path folder = Files.createTempDirectory("beltway-test-redis");
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
                "--appendonly",
                "no",
                "--dir",
                folder.toString()));
    command.addAll(Arrays.asList(options));
    return new RedisProcess(port, command);
  }

  /** A port that nobody listens on. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Process launch() throws IOException {
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < deadline && started.isAlive()) {
      try (PlainClient client =
          PlainClient.connect(InetSocketAddress.createUnresolved("127.0.0.1", port), TIMEOUT)) {
        client.tell("PING");
        return started;
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
    throw new IOException(String.join(" ", command) + " did not start");
  }

  public int port() {
    return port;
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** A client of this server. */
  public PlainClient client() throws IOException {
    return PlainClient.connect(InetSocketAddress.createUnresolved("127.0.0.1", port), TIMEOUT);
  }

  /** What the server is asked on a connection of its own. */
  public @Nullable Object ask(String... words) throws IOException {
    try (PlainClient client = client()) {
      return client.ask(words);
    }
  }

  /** SIGKILL. */
  public void kill() throws IOException {
    process.destroyForcibly();
    await();
  }

  /** Starts it again, empty. */
  public void restart() throws IOException {
    process = launch();
  }

  /** SIGSTOP: connections stay, nothing is answered. */
  public void freeze() throws IOException {
    signal("STOP");
  }

  /** SIGCONT. */
  public void thaw() throws IOException {
    signal("CONT");
  }

  private void signal(String name) throws IOException {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private void await() throws IOException {
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
