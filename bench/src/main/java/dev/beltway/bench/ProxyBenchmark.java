package dev.beltway.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The proxy beside twemproxy and one Redis without a proxy, in turn: redis-benchmark with 50
 * connections, GET and SET, small and larger values, one and many requests at a time. Three real
 * Redis servers behind each proxy. Throughput and latency as redis-benchmark says them; CPU of the
 * proxy process from /proc, which is what carries over to other machines where all share two cores.
 */
public final class ProxyBenchmark {

  private static final int CLIENTS = 50;
  private static final int KEYS = 100_000;
  private static final long PAGE = 4096;
  private static final double TICKS = 100;

  private final List<Process> processes = new ArrayList<>();
  private final Path folder;
  private final int rounds;

  private ProxyBenchmark(Path folder, int rounds) {
    this.folder = folder;
    this.rounds = rounds;
  }

  /**
   * Runs it.
   *
   * @param arguments rounds, and {@code memory} for the memory alone
   */
  public static void main(String[] arguments) throws Exception {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
    boolean memoryOnly = arguments.length > 1 && arguments[1].equals("memory");
    ProxyBenchmark benchmark =
        new ProxyBenchmark(Files.createTempDirectory("beltway-bench-proxy"), rounds);
    try {
      benchmark.run(memoryOnly);
    } finally {
      benchmark.processes.forEach(Process::destroyForcibly);
    }
  }

  /** Something under load. */
  private record Target(String name, int port, long pid) {}

  /** What one run of redis-benchmark has said, and the CPU that the target took. */
  private record Result(double perSecond, double p50, double p99, double microsPerRequest) {}

  private void run(boolean memoryOnly) throws Exception {
    int[] redis = new int[3];
    for (int i = 0; i < redis.length; i++) {
      redis[i] = freePort();
      start(
          "redis-server",
          "--port",
          Integer.toString(redis[i]),
          "--bind",
          "127.0.0.1",
          "--save",
          "",
          "--appendonly",
          "no",
          "--dir",
          folder.toString());
    }
    Target direct = new Target("direct", redis[0], processes.get(0).pid());
    Target twemproxy = twemproxy(redis);
    Target beltway = beltway(redis);
    for (Target target : List.of(direct, twemproxy, beltway)) {
      await(target.port());
    }
    warm(beltway);
    if (!memoryOnly) {
      cells(List.of(direct, twemproxy, beltway));
    }
    memory(beltway);
  }

  private Target twemproxy(int[] redis) throws IOException {
    int port = freePort();
    StringBuilder config =
        new StringBuilder("pool:\n  listen: 127.0.0.1:" + port + "\n")
            .append("  hash: fnv1a_64\n  distribution: ketama\n  hash_tag: \"{}\"\n")
            .append("  redis: true\n  timeout: 5000\n  server_connections: 1\n  servers:\n");
    for (int i = 0; i < redis.length; i++) {
      config.append("   - 127.0.0.1:").append(redis[i]).append(":1 r").append(i).append('\n');
    }
    Path file = folder.resolve("nutcracker.yml");
    Files.writeString(file, config);
    Process process =
        start("nutcracker", "-c", file.toString(), "-s", Integer.toString(freePort()));
    return new Target("twemproxy", port, process.pid());
  }

  private Target beltway(int[] redis) throws IOException {
    int port = freePort();
    StringBuilder topology =
        new StringBuilder("version: 1\nplacement: { algorithm: ring, hashTags: true }\nnodes:\n");
    for (int i = 0; i < redis.length; i++) {
      topology.append("  - { id: r").append(i).append(", address: \"127.0.0.1:");
      topology.append(redis[i]).append("\" }\n");
    }
    Path file = folder.resolve("pool.yaml");
    Files.writeString(file, topology);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xms32m",
                "-Xmx160m",
                "-XX:MaxDirectMemorySize=64g",
                "-Dio.netty.leakDetection.level=disabled"));
    String more = System.getenv("BELTWAY_JAVA_OPTS");
    if (more != null && !more.isBlank()) {
      command.addAll(Arrays.asList(more.strip().split(" +")));
    }
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "dev.beltway.cli.Main",
            "proxy",
            "--topology",
            file.toString(),
            "--listen",
            "127.0.0.1:" + port));
    String options = System.getenv("BELTWAY_PROXY_OPTS");
    if (options != null && !options.isBlank()) {
      command.addAll(Arrays.asList(options.strip().split(" +")));
    }
    Process process = start(command.toArray(new String[0]));
    return new Target("beltway", port, process.pid());
  }

  private Process start(String... command) throws IOException {
    File log = folder.resolve("log-" + processes.size()).toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    processes.add(process);
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void await(int port) throws Exception {
    for (int i = 0; i < 200; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
        return;
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    throw new IOException("nothing listens on port " + port);
  }

  private void warm(Target beltway) throws Exception {
    for (int pipeline : new int[] {1, 16, 64}) {
      for (String test : List.of("set", "get")) {
        for (int bytes : new int[] {3, 512}) {
          load(beltway, CLIENTS, pipeline == 1 ? 100_000 : 600_000, pipeline, bytes, test);
        }
      }
    }
  }

  private void cells(List<Target> targets) throws Exception {
    System.out.println(
        "bytes  P   cmd  target      req/s   x twemproxy  p50 ms  p99 ms  x tw.  CPU us/req  x tw.");
    Map<String, double[]> worst = new TreeMap<>();
    for (int bytes : new int[] {3, 512}) {
      for (int pipeline : new int[] {1, 16, 64}) {
        for (String test : List.of("set", "get")) {
          cell(targets, bytes, pipeline, test, worst);
        }
      }
    }
    System.out.println();
    worst.forEach(
        (pipeline, values) ->
            System.out.printf(
                Locale.ROOT,
                "P=%s: throughput at least %.2f x twemproxy, CPU at most %.2f x, p99 at most %.2f x%n",
                pipeline.strip(),
                values[0],
                values[1],
                values[2]));
  }

  private void cell(
      List<Target> targets, int bytes, int pipeline, String test, Map<String, double[]> worst)
      throws Exception {
    Map<String, List<Result>> results = new TreeMap<>();
    int requests = pipeline == 1 ? 150_000 : pipeline == 16 ? 800_000 : 1_500_000;
    for (int round = 0; round < rounds; round++) {
      for (Target target : targets) {
        results
            .computeIfAbsent(target.name(), name -> new ArrayList<>())
            .add(load(target, CLIENTS, requests, pipeline, bytes, test));
      }
    }
    Result other = median(results.getOrDefault("twemproxy", List.of()));
    for (Target target : targets) {
      Result own = median(results.getOrDefault(target.name(), List.of()));
      System.out.printf(
          Locale.ROOT,
          "%5d  %-2d  %-3s  %-9s  %,9.0f  %10.2f  %7.2f  %6.2f  %5.2f  %9.2f  %6.2f%n",
          bytes,
          pipeline,
          test,
          target.name(),
          own.perSecond(),
          own.perSecond() / other.perSecond(),
          own.p50(),
          own.p99(),
          own.p99() / other.p99(),
          own.microsPerRequest(),
          own.microsPerRequest() / other.microsPerRequest());
      if (target.name().equals("beltway")) {
        double[] values =
            worst.computeIfAbsent(
                String.format(Locale.ROOT, "%2d", pipeline),
                p -> new double[] {Double.MAX_VALUE, 0, 0});
        values[0] = Math.min(values[0], own.perSecond() / other.perSecond());
        values[1] = Math.max(values[1], own.microsPerRequest() / other.microsPerRequest());
        values[2] = Math.max(values[2], own.p99() / other.p99());
      }
    }
  }

  private static Result median(List<Result> results) {
    return new Result(
        median(results.stream().mapToDouble(Result::perSecond).toArray()),
        median(results.stream().mapToDouble(Result::p50).toArray()),
        median(results.stream().mapToDouble(Result::p99).toArray()),
        median(results.stream().mapToDouble(Result::microsPerRequest).toArray()));
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private Result load(
      Target target, int clients, int requests, int pipeline, int bytes, String test)
      throws Exception {
    double before = cpuSeconds(target.pid());
    Process process =
        new ProcessBuilder(
                "redis-benchmark",
                "-p",
                Integer.toString(target.port()),
                "-c",
                Integer.toString(clients),
                "-n",
                Integer.toString(requests),
                "-r",
                Integer.toString(KEYS),
                "-P",
                Integer.toString(pipeline),
                "-d",
                Integer.toString(bytes),
                "-t",
                test,
                "--csv")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String last = "";
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = line;
      }
    }
    process.waitFor();
    double after = cpuSeconds(target.pid());
    // "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99…","max…"
    String[] fields = last.replace("\"", "").split(",", -1);
    return new Result(
        Double.parseDouble(fields[1]),
        Double.parseDouble(fields[4]),
        Double.parseDouble(fields[6]),
        (after - before) * 1e6 / requests);
  }

  private static double cpuSeconds(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS;
  }

  private static long residentMb(long pid) throws IOException {
    String[] fields = Files.readString(Path.of("/proc/" + pid + "/statm")).split(" ", -1);
    return Long.parseLong(fields[1]) * PAGE >> 20;
  }

  private void memory(Target beltway) throws Exception {
    System.out.printf(
        Locale.ROOT,
        "%nresident after all that, 50 connections: %d MB%n",
        residentMb(beltway.pid()));
    long[] most = new long[1];
    Thread watch =
        new Thread(
            () -> {
              try {
                while (!Thread.currentThread().isInterrupted()) {
                  most[0] = Math.max(most[0], residentMb(beltway.pid()));
                  TimeUnit.MILLISECONDS.sleep(20);
                }
              } catch (IOException | InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    watch.start();
    Result set = load(beltway, 1_000, 3_000_000, 64, 512, "set");
    Result get = load(beltway, 1_000, 3_000_000, 64, 512, "get");
    watch.interrupt();
    watch.join();
    System.out.printf(
        Locale.ROOT,
        "1,000 connections, P=64, 512 bytes: SET %,.0f/s, GET %,.0f/s, resident at most %d MB%n",
        set.perSecond(),
        get.perSecond(),
        most[0]);
    TimeUnit.SECONDS.sleep(60);
    System.out.printf(
        Locale.ROOT, "a minute after they have closed: %d MB%n", residentMb(beltway.pid()));
  }
}
