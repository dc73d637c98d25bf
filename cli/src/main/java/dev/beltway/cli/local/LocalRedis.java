package dev.beltway.cli.local;

import dev.beltway.resp.client.PlainClient;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server on this machine, in a folder of its own. It ends when this process ends, however
 * that comes about: a small shell holds a pipe from this process, and ends the server when the pipe
 * closes, which the system does also after {@code kill -9}.
 */
public final class LocalRedis implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(10);
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final String PID_FILE = "redis.pid";
  private static final String PORT_FILE = "port";
  private static final String LOG_FILE = "redis.log";

  /**
   * Where there is setsid, Ctrl-C reaches this process alone, which then ends the server in order.
   * The server's pid is written for a later start to find, should the shell be killed too.
   */
  private static final String SHELL =
      "exec 3<&0; pid=$1; shift; \"$@\" 3<&- </dev/null & child=$!; echo $child >\"$pid\";"
          + " (read -r nothing <&3; kill $child 2>/dev/null) & watch=$!;"
          + " wait $child; code=$?; kill $watch 2>/dev/null; rm -f \"$pid\"; exit $code";

  private static final String LAUNCH =
      "if command -v setsid >/dev/null 2>&1; then exec setsid sh -c \"$0\" sh \"$@\"; fi;"
          + " exec sh -c \"$0\" sh \"$@\"";

  private final Path folder;
  private final int port;
  private final String password;
  private final Process shell;

  /** The server itself, from when it has answered. */
  private volatile @Nullable ProcessHandle server;

  private LocalRedis(Path folder, int port, String password, Process shell) {
    this.folder = folder;
    this.port = port;
    this.password = password;
    this.shell = shell;
  }

  /**
   * Starts one; {@link #await} says when it answers.
   *
   * @param binary the server's program
   * @param folder of its own; made if it is missing
   * @param password that it asks for; empty for none
   * @param durable whether it writes each change to the folder
   * @throws IOException if the folder can't be written or the program not be run
   */
  public static LocalRedis start(
      Path binary, Path folder, int port, String password, boolean durable) throws IOException {
    Private.folder(folder);
    Files.writeString(folder.resolve(PORT_FILE), Integer.toString(port));
    List<String> words =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                LAUNCH,
                SHELL,
                folder.resolve(PID_FILE).toString(),
                binary.toString(),
                // In a file: a password on a command line can be seen by everybody.
                folder.resolve("redis.conf").toString()));
    StringBuilder config = new StringBuilder();
    config.append("port ").append(port).append('\n');
    config.append("bind 127.0.0.1\n");
    config.append("save \"\"\n");
    config.append("appendonly ").append(durable ? "yes" : "no").append('\n');
    config.append("dir ").append(quoted(folder.toString())).append('\n');
    if (!password.isEmpty()) {
      config.append("requirepass ").append(quoted(password)).append('\n');
    }
    Private.write(folder.resolve("redis.conf"), config.toString());
    Process shell =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(LOG_FILE).toFile())
            .start();
    return new LocalRedis(folder, port, password, shell);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /** The port that a server in this folder had; 0 if there was none. */
  static int portOf(Path folder) throws IOException {
    Path file = folder.resolve(PORT_FILE);
    String text = Files.isRegularFile(file) ? Files.readString(file).strip() : "";
    int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    return port > 65_535 ? 0 : port;
  }

  /**
   * Waits until it answers.
   *
   * @throws IOException if it doesn't start, or something else has the port; the message says which
   */
  public LocalRedis await() throws IOException {
    long deadline = System.nanoTime() + START.toNanos();
    while (System.nanoTime() < deadline && shell.isAlive()) {
      try (PlainClient client = login(port, password)) {
        if (process(client) != pidOf(folder)) {
          throw new IOException("port " + port + " is taken by another server");
        }
        server = ProcessHandle.of(pidOf(folder)).orElse(null);
        return this;
      } catch (ConnectException e) {
        pause();
      } catch (IOException e) {
        if (String.valueOf(e.getMessage()).startsWith("LOADING")) {
          pause();
        } else if (!shell.isAlive() || pidOf(folder) > 0) {
          throw e;
        }
      }
    }
    throw new IOException(
        "the server on port " + port + " did not start; its log is " + folder.resolve(LOG_FILE));
  }

  /** What became of a server that an earlier run may have left. */
  enum LeftOver {
    /** There is none. */
    NONE,
    /** It was there, and has been ended. */
    ENDED,
    /** Something is there that can't be told apart from it, or doesn't end; nothing was done. */
    STAYS
  }

  /**
   * Ends a server that an earlier run has left in this folder: the one whose pid it wrote there,
   * and only if the server on that port is that process and says that it works in this folder.
   */
  static LeftOver endLeftOver(Path folder, String password) throws IOException {
    long pid = pidOf(folder);
    int port = portOf(folder);
    if (pid > 0 && port > 0 && ProcessHandle.of(pid).isPresent()) {
      try (PlainClient client = login(port, password)) {
        boolean ours =
            process(client) == pid
                && client.ask("CONFIG", "GET", "dir") instanceof List<?> pair
                && pair.size() == 2
                && Path.of(text(pair.get(1))).toRealPath().equals(folder.toRealPath());
        if (!ours) {
          return LeftOver.STAYS;
        }
        shutDown(client);
      } catch (ConnectException e) {
        // Nobody is at the port: the pid is another program's by now.
        Files.deleteIfExists(folder.resolve(PID_FILE));
        return LeftOver.NONE;
      } catch (IOException e) {
        return LeftOver.STAYS;
      }
      long deadline = System.nanoTime() + START.toNanos();
      while (ProcessHandle.of(pid).isPresent()) {
        if (System.nanoTime() > deadline) {
          return LeftOver.STAYS;
        }
        pause();
      }
      Files.deleteIfExists(folder.resolve(PID_FILE));
      return LeftOver.ENDED;
    }
    Files.deleteIfExists(folder.resolve(PID_FILE));
    return LeftOver.NONE;
  }

  private static void shutDown(PlainClient client) {
    try {
      client.tell("SHUTDOWN", "NOSAVE");
    } catch (IOException e) {
      return; // It hangs up as it goes.
    }
  }

  private static PlainClient login(int port, String password) throws IOException {
    PlainClient client =
        PlainClient.connect(
            InetSocketAddress.createUnresolved("127.0.0.1", port), Duration.ofSeconds(2));
    try {
      if (!password.isEmpty()) {
        client.ask("AUTH", password);
      }
      return client;
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  /** The process that a server says it is. */
  private static long process(PlainClient client) throws IOException {
    return text(client.ask("INFO", "server"))
        .lines()
        .filter(line -> line.startsWith("process_id:"))
        .map(line -> Long.parseLong(line.substring("process_id:".length()).strip()))
        .findFirst()
        .orElse(-1L);
  }

  private static String text(@Nullable Object reply) {
    return reply instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : String.valueOf(reply);
  }

  private static long pidOf(Path folder) throws IOException {
    Path file = folder.resolve(PID_FILE);
    String text = Files.isRegularFile(file) ? Files.readString(file).strip() : "";
    return text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether it has not ended. */
  boolean isRunning() {
    ProcessHandle own = server;
    return own == null ? shell.isAlive() : own.isAlive();
  }

  /** Where it is. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Its port. */
  public int port() {
    return port;
  }

  /** Ends it, and waits until it has ended; also if its shell is gone, or it is stopped. */
  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      shell.waitFor(CLOSE.toSeconds(), TimeUnit.SECONDS);
      ProcessHandle own = server;
      if (own != null && own.isAlive()) {
        own.destroyForcibly();
        own.onExit().get(CLOSE.toSeconds(), TimeUnit.SECONDS);
      }
      shell.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | ExecutionException | TimeoutException e) {
      shell.destroyForcibly();
    }
  }
}
