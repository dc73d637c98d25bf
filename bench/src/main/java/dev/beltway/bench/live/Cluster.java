package dev.beltway.bench.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.resp.client.PlainClient;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Redis servers, a ZooKeeper, control processes and proxies, each a process of its own. */
public final class Cluster implements AutoCloseable {

  /** What every server asks its administrator for. */
  public static final String PASSWORD = "secret";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Path folder;
  private final List<Server> all = new ArrayList<>();
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

  /** In a folder of its own, which keeps the logs. */
  public Cluster(String name) throws IOException {
    folder = Files.createTempDirectory("beltway-" + name);
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** Where logs and data are. */
  public Path folder() {
    return folder;
  }

  /** A process that can be killed and started again. */
  public final class Server {
    private final String name;
    private final int port;
    private final List<String> command;
    private @Nullable Process process;

    Server(String name, int port, List<String> command) throws IOException {
      this.name = name;
      this.port = port;
      this.command = List.copyOf(command);
      all.add(this);
      start();
    }

    /** Its name. */
    public String name() {
      return name;
    }

    /** Where it listens. */
    public int port() {
      return port;
    }

    /** As host:port. */
    public String address() {
      return "127.0.0.1:" + port;
    }

    /** Starts it, or starts it again. */
    public void start() throws IOException {
      File log = folder.resolve(name + ".log").toFile();
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log));
      builder.environment().put("BELTWAY_NODE_PASSWORD", PASSWORD);
      builder.environment().put("BELTWAY_SECRET", "a secret of this run");
      process = builder.start();
    }

    /** Sends a signal. */
    public void signal(String signal) throws IOException {
      Process running = process;
      if (running != null && running.isAlive()) {
        try {
          new ProcessBuilder("kill", "-" + signal, Long.toString(running.pid())).start().waitFor();
          if (signal.equals("KILL")) {
            running.waitFor(10, TimeUnit.SECONDS);
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /** Whether it runs. */
    public boolean isAlive() {
      return process != null && process.isAlive();
    }

    /** CPU seconds that it took so far. */
    public double cpuSeconds() throws IOException {
      Process running = process;
      if (running == null) {
        return 0;
      }
      String stat = Files.readString(Path.of("/proc/" + running.pid() + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    /** Waits until something listens there. */
    public Server await() throws IOException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (System.nanoTime() < deadline) {
        try (Socket socket = new Socket()) {
          socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
          return this;
        } catch (IOException e) {
          pause(20);
        }
      }
      throw new IOException(name + " does not listen; see " + folder);
    }

    /** A connection; of the administrator's if it is a node. */
    public PlainClient connect() throws IOException {
      PlainClient client =
          PlainClient.connect(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT);
      if (command.contains("--requirepass")) {
        client.ask("AUTH", PASSWORD);
      }
      return client;
    }
  }

  /** Waits a moment. */
  public static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An answer that is a list. */
  static List<?> list(@Nullable Object reply) {
    if (reply instanceof List<?> list) {
      return list;
    }
    throw new IllegalStateException("no list: " + reply);
  }

  /** An answer that is a number. */
  static long number(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("no number: " + reply);
  }

  /** A port that nobody listens on. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** A Redis server with a password. */
  public Server redis(String name, String... options) throws IOException {
    int port = freePort();
    Path data = Files.createDirectories(folder.resolve("data-" + name));
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
                data.toString(),
                "--requirepass",
                PASSWORD));
    command.addAll(Arrays.asList(options));
    return new Server(name, port, command).await();
  }

  private List<String> java(String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xms32m",
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=64g",
                "-cp",
                System.getProperty("java.class.path")));
    command.addAll(Arrays.asList(more));
    return command;
  }

  /** A ZooKeeper server. */
  public Server zooKeeper() throws IOException {
    int port = freePort();
    Path data = Files.createDirectories(folder.resolve("zookeeper"));
    Path config = folder.resolve("zookeeper.cfg");
    Files.writeString(
        config,
        "dataDir="
            + data
            + "\nclientPort="
            + port
            + "\nclientPortAddress=127.0.0.1\ntickTime=500\nadmin.enableServer=false\n");
    List<String> command =
        java("org.apache.zookeeper.server.quorum.QuorumPeerMain", config.toString());
    return new Server("zookeeper", port, command).await();
  }

  /** A control process; with a ZooKeeper of its own unless one is named. */
  public Server control(String name, Path topology, @Nullable String zooKeeper) throws IOException {
    int port = freePort();
    List<String> command =
        java(
            "-XX:TieredStopAtLevel=1",
            "dev.beltway.cli.Main",
            "control",
            "--data",
            folder.resolve("control-" + name).toString(),
            "--listen",
            "127.0.0.1:" + port,
            "--topology",
            topology.toString());
    if (zooKeeper != null) {
      command.addAll(List.of("--zookeeper", zooKeeper));
    } else {
      command.addAll(List.of("--zookeeper-listen", "127.0.0.1:" + freePort()));
    }
    return new Server(name, port, command);
  }

  /** A proxy of a control process. */
  public Server proxy(String name, Server control, String... options) throws IOException {
    int port = freePort();
    List<String> command =
        java(
            "dev.beltway.cli.Main",
            "proxy",
            "--control",
            control.address(),
            "--name",
            name,
            "--listen",
            "127.0.0.1:" + port);
    command.addAll(Arrays.asList(options));
    return new Server(name, port, command);
  }

  /** An answer of the API. */
  public record Answer(int status, JsonNode body) {}

  /** Asks a control process. */
  public Answer ask(Server control, String method, String path, String body) throws IOException {
    try {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create("http://" + control.address() + path))
                  .timeout(Duration.ofSeconds(15))
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

  /** Looks until it is so; says what it was last if that takes too long. */
  public JsonNode await(Server control, String what, int seconds, Predicate<JsonNode> so)
      throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    String last = "";
    while (System.nanoTime() < deadline) {
      try {
        Answer answer = ask(control, "GET", "/v1/status", "");
        last = String.valueOf(answer.body());
        if (answer.status() == 200 && so.test(answer.body())) {
          return answer.body();
        }
      } catch (IOException e) {
        last = String.valueOf(e.getMessage());
      }
      pause(20);
    }
    throw new IOException(
        String.format(Locale.ROOT, "%s did not come in %d s; last: %s", what, seconds, last));
  }

  /** Whether nothing is going on, at this epoch or a later one. */
  public static Predicate<JsonNode> steady(long epoch) {
    return status ->
        status.path("phase").asText().equals("STEADY")
            && !status.has("gradual")
            && status.path("epoch").asLong() >= epoch;
  }

  /** Whether so many proxies serve. */
  public static Predicate<JsonNode> proxies(int count) {
    return status -> {
      int live = 0;
      for (JsonNode proxy : status.path("proxies")) {
        live += proxy.path("live").asBoolean() && proxy.path("admitted").asBoolean() ? 1 : 0;
      }
      return live >= count;
    };
  }

  @Override
  public void close() {
    for (Server server : all) {
      Process process = server.process;
      if (process != null) {
        process.destroyForcibly();
      }
    }
  }
}
