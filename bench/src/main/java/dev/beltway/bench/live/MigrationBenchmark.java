package dev.beltway.bench.live;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * What a change of topology costs: a fifth node joins four with a million keys of 100 bytes while
 * clients work at a third of what the proxy can, beside the same load without a change; then the
 * same without load and without a throttle, beside a bare loop of MIGRATE; then one big key of each
 * type. All of it on real servers, in one run.
 */
public final class MigrationBenchmark {

  private static final int CLIENTS = 16;
  private static final int NODES = 4;
  private static final long THROTTLE = 20_000;

  private final Cluster cluster = new Cluster("bench-migration");
  private final List<Cluster.Server> nodes = new ArrayList<>();
  private final long keys;
  private final int fields;

  private MigrationBenchmark(long keys, int fields) throws IOException {
    this.keys = keys;
    this.fields = fields;
  }

  /**
   * Runs it.
   *
   * @param arguments how many keys, and how many fields the big hash has
   */
  public static void main(String[] arguments) throws Exception {
    long keys = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1_000_000;
    int fields = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    MigrationBenchmark benchmark = new MigrationBenchmark(keys, fields);
    try (Cluster cluster = benchmark.cluster) {
      benchmark.run();
      say("logs are in %s", cluster.folder());
    }
  }

  private static void say(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }

  private static String id(int number) {
    return "n" + number;
  }

  private Topology topology(int count) {
    List<Node> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(Node.of(id(i)).withAddress(nodes.get(i).address()));
    }
    return new Topology(1, RingRule.DEFAULT, all);
  }

  private Path topologyFile() throws IOException {
    StringBuilder text = new StringBuilder("version: 1\nplacement: { algorithm: ring }\nnodes:\n");
    for (int i = 0; i < NODES; i++) {
      text.append("  - { id: ").append(id(i)).append(", address: \"");
      text.append(nodes.get(i).address()).append("\" }\n");
    }
    Path file = cluster.folder().resolve("pool.yaml");
    Files.writeString(file, text);
    return file;
  }

  private void run() throws Exception {
    for (int i = 0; i <= NODES; i++) {
      nodes.add(cluster.redis(id(i)));
    }
    Cluster.Server control = cluster.control("control", topologyFile(), null).await();
    Cluster.Server proxy = cluster.proxy("proxy", control).await();
    cluster.await(control, "the proxy", 60, Cluster.proxies(1));
    Placement before = Placements.of(topology(NODES));
    Placement after = Placements.of(topology(NODES + 1));
    boolean[] moves = new boolean[(int) keys];
    long planned = 0;
    for (int i = 0; i < keys; i++) {
      String key = SteadyLoad.key(i);
      moves[i] = !before.owner(key).id().equals(after.owner(key).id());
      planned += moves[i] ? 1 : 0;
    }
    for (int round = 0; round < 3; round++) { // Control is no benchmark's first change either.
      change(control, "POST", "/v1/nodes", added());
      change(control, "DELETE", "/v1/nodes/" + id(NODES), "");
    }
    try (PlainClient client = proxy.connect()) {
      fill(client, keys);
    }
    say("%,d keys of 100 bytes at %d nodes; a fifth gets %,d of them", keys, NODES, planned);
    double most = most(proxy);
    underLoad(control, proxy, most / 3, moves, planned);
    alone(control, planned);
    bigKeys(control, proxy);
  }

  /** Writes the first keys, a thousand at a time. */
  private static void fill(PlainClient client, long count) throws IOException {
    for (long from = 0; from < count; from += 1_000) {
      ByteBuf requests = Unpooled.buffer();
      long to = Math.min(count, from + 1_000);
      for (long i = from; i < to; i++) {
        RespWriter.request(
            requests, bytes("SET"), bytes(SteadyLoad.key(i)), bytes(SteadyLoad.value(i)));
      }
      client.write(requests);
      for (long i = from; i < to; i++) {
        client.next();
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** What the proxy does with as many clients as it can. */
  private double most(Cluster.Server proxy) {
    double most = 0;
    for (int round = 0; round < 3; round++) { // The first warms it up.
      try (SteadyLoad load = new SteadyLoad(CLIENTS, 0, keys, key -> false, i -> proxy.connect())) {
        Cluster.pause(6_000);
        most = load.done() / 6.0;
      }
    }
    say(
        "the proxy answers %,.0f requests a second to %d clients, a request at a time",
        most, CLIENTS);
    return most;
  }

  private void underLoad(
      Cluster.Server control, Cluster.Server proxy, double rate, boolean[] moves, long planned)
      throws IOException {
    try (SteadyLoad load =
        new SteadyLoad(CLIENTS, rate, keys, key -> moves[(int) key], i -> proxy.connect())) {
      Cluster.pause(3_000);
      load.take();
      Cluster.pause(15_000);
      Histogram quiet = load.take();
      JsonNode dry = add(control, true).body();
      long asked = System.nanoTime();
      Cluster.Answer answer = add(control, false);
      if (answer.status() != 202) {
        throw new IOException("refused: " + answer.body());
      }
      String phase = "";
      long fencing = 0;
      long moving = 0;
      double[] cpu = cpu(control, proxy);
      double[] prepared = cpu;
      long end = System.nanoTime() + 180_000_000_000L;
      while (!phase.equals("STEADY") && System.nanoTime() < end) {
        String now = cluster.ask(control, "GET", "/v1/status", "").body().path("phase").asText();
        if (!now.equals(phase)) {
          phase = now;
          load.fencing(phase.equals("PREPARING") || phase.equals("FENCING"));
          fencing = phase.equals("FENCING") ? System.nanoTime() : fencing;
          moving = phase.equals("MOVING") ? System.nanoTime() : moving;
          prepared = phase.equals("FENCING") ? cpu(control, proxy) : prepared;
        }
        Cluster.pause(50);
      }
      double took = (System.nanoTime() - asked) / 1e9;
      double[] ended = cpu(control, proxy);
      Histogram changing = load.take();
      Cluster.pause(2_000);
      say("");
      say("GET and SET 9:1 at %,.0f/s, a third of that; throttle %,d keys/s", rate, THROTTLE);
      say("                      p50      p99    p99.9      max ms   requests");
      latency("without a change", quiet);
      latency("while keys move", changing);
      say(
          "p99 %.2f x; %d errors, %d misses %s",
          ratio(changing, quiet, 99), load.errors(), load.misses(), load.example());
      say(
          "requests on moving keys sent before MOVING: p99 %.1f, max %.1f ms (%d)",
          load.held().getValueAtPercentile(99) / 1e3,
          load.held().getMaxValue() / 1e3,
          load.held().getTotalCount());
      if (fencing > 0 && moving > 0) {
        say("FENCING took about %.0f ms", (moving - fencing) / 1e6);
      }
      say(
          "CPU seconds of control, proxy, nodes: %s while it was prepared, in %.1f s; %s while keys"
              + " moved",
          shown(prepared, cpu), (fencing - asked) / 1e9, shown(ended, prepared));
      JsonNode move = cluster.ask(control, "GET", "/v1/moves", "").body().get(0);
      long moved = moved(move);
      double rateOfMove = moved / move.path("secondsToLastKey").asDouble();
      say(
          "moved %,d keys, planned %,d; %.1f s to the last one, %.1f s in all, %,.0f keys/s, %+.1f %%"
              + " of the throttle",
          moved,
          planned,
          move.path("secondsToLastKey").asDouble(),
          move.path("seconds").asDouble(),
          rateOfMove,
          (rateOfMove / THROTTLE - 1) * 100);
      double estimate = dry.path("seconds").asDouble();
      say(
          "the plan said %.1f s, it took %.1f s: %+.0f %%",
          estimate, took, (took / estimate - 1) * 100);
      say("keys at the new node: %d", size(nodes.get(NODES)));
    }
  }

  private double[] cpu(Cluster.Server control, Cluster.Server proxy) throws IOException {
    double all = 0;
    for (Cluster.Server node : nodes) {
      all += node.cpuSeconds();
    }
    return new double[] {control.cpuSeconds(), proxy.cpuSeconds(), all};
  }

  private static String shown(double[] later, double[] before) {
    return String.format(
        Locale.ROOT,
        "%.1f, %.1f, %.1f",
        later[0] - before[0],
        later[1] - before[1],
        later[2] - before[2]);
  }

  private String added() {
    return "{\"id\":\"" + id(NODES) + "\",\"address\":\"" + nodes.get(NODES).address() + "\"}";
  }

  private static double ratio(Histogram one, Histogram other, double percentile) {
    return (double) one.getValueAtPercentile(percentile) / other.getValueAtPercentile(percentile);
  }

  private static void latency(String what, Histogram micros) {
    say(
        "%-18s %7.2f  %7.2f  %7.2f  %8.1f  %,9d",
        what,
        micros.getValueAtPercentile(50) / 1e3,
        micros.getValueAtPercentile(99) / 1e3,
        micros.getValueAtPercentile(99.9) / 1e3,
        micros.getMaxValue() / 1e3,
        micros.getTotalCount());
  }

  private static long moved(JsonNode move) {
    long moved = 0;
    for (JsonNode source : move.path("sources")) {
      for (JsonNode count : source.path("keys")) {
        moved += count.asLong();
      }
    }
    return moved;
  }

  private static long size(Cluster.Server node) throws IOException {
    try (PlainClient client = node.connect()) {
      return Cluster.number(client.ask("DBSIZE"));
    }
  }

  private Cluster.Answer add(Cluster.Server control, boolean dryRun) throws IOException {
    return cluster.ask(
        control,
        "POST",
        "/v1/nodes",
        "{\"id\":\""
            + id(NODES)
            + "\",\"address\":\""
            + nodes.get(NODES).address()
            + "\",\"keysPerSecond\":"
            + THROTTLE
            + ",\"dryRun\":"
            + dryRun
            + "}");
  }

  // ---------------------------------------------------------------- without load

  /** Out and in again, as fast as it goes; beside it MIGRATE in a loop. */
  private void alone(Cluster.Server control, long planned) throws IOException {
    say("");
    say("without load and throttle");
    change(control, "DELETE", "/v1/nodes/" + id(NODES), "");
    double best = 0;
    double[] probes = new double[2];
    for (int round = 0; round < 3; round++) {
      try (Probe probe = new Probe(nodes.get(0))) {
        change(control, "POST", "/v1/nodes", added());
        JsonNode move = cluster.ask(control, "GET", "/v1/moves", "").body().get(0);
        double rate = moved(move) / move.path("seconds").asDouble();
        if (rate > best) {
          best = rate;
          probes[0] = probe.millis(99);
          probes[1] = probe.millis(100);
        }
      }
      change(control, "DELETE", "/v1/nodes/" + id(NODES), "");
    }
    double bare = 0;
    double bareProbe = 0;
    for (int round = 0; round < 3; round++) {
      double[] measured = bare(planned);
      if (measured[0] > bare) {
        bare = measured[0];
        bareProbe = measured[1];
      }
    }
    say(
        "MIGRATE in a loop, 100 keys each: %,.0f keys/s; probe of the source p99 %.2f ms",
        bare, bareProbe);
    say(
        "beltway: %,.0f keys/s, %.2f x; probe of a source p99 %.2f, max %.2f ms (best of 3 each)",
        best, best / bare, probes[0], probes[1]);
  }

  private void change(Cluster.Server control, String method, String path, String body)
      throws IOException {
    Cluster.Answer answer = cluster.ask(control, method, path, body);
    if (answer.status() != 202) {
      throw new IOException("refused: " + answer.body());
    }
    cluster.await(control, "the end", 300, Cluster.steady(answer.body().path("epoch").asLong()));
  }

  /** Keys a second, and what a probe of the source says. */
  private double[] bare(long count) throws IOException {
    Cluster.Server source = cluster.redis("bare-source" + System.nanoTime());
    Cluster.Server target = cluster.redis("bare-target" + System.nanoTime());
    try (PlainClient client = source.connect();
        Probe probe = new Probe(source)) {
      fill(client, count);
      long begun = System.nanoTime();
      String cursor = "0";
      do {
        List<?> both = Cluster.list(client.ask("SCAN", cursor, "COUNT", "500"));
        cursor = text(both.get(0));
        List<?> found = (List<?>) both.get(1);
        for (int from = 0; from < found.size(); from += 100) {
          List<byte[]> words = new ArrayList<>();
          for (String word :
              List.of(
                  "MIGRATE",
                  "127.0.0.1",
                  Integer.toString(target.port()),
                  "",
                  "0",
                  "5000",
                  "AUTH",
                  Cluster.PASSWORD,
                  "KEYS")) {
            words.add(bytes(word));
          }
          found
              .subList(from, Math.min(found.size(), from + 100))
              .forEach(key -> words.add((byte[]) key));
          client.tell(words.toArray(new byte[0][]));
        }
      } while (!cursor.equals("0"));
      double took = (System.nanoTime() - begun) / 1e9;
      return new double[] {size(target) / took, probe.millis(99)};
    } finally {
      source.signal("KILL");
      target.signal("KILL");
    }
  }

  private static String text(Object reply) {
    return reply instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.ISO_8859_1)
        : String.valueOf(reply);
  }

  // ---------------------------------------------------------------- big keys

  private void bigKeys(Cluster.Server control, Cluster.Server proxy) throws IOException {
    say("");
    say("one big key, under GET and SET at 1,000/s; longest that a node answered nobody");
    say("type        MB  elements      s   source p99   max   target p99   max ms");
    for (String type : List.of("hash", "set", "zset", "list", "stream", "string")) {
      Placement before = Placements.of(topology(NODES));
      Placement after = Placements.of(topology(NODES + 1));
      String key = "";
      for (int i = 0; key.isEmpty(); i++) {
        String name = "big:" + type + ":" + i;
        boolean moves =
            before.owner(name).id().equals(id(0)) && after.owner(name).id().equals(id(NODES));
        key = moves ? name : "";
      }
      long elements = fill(type, key);
      long bytes;
      try (PlainClient client = nodes.get(0).connect()) {
        bytes = Cluster.number(client.ask("MEMORY", "USAGE", key));
      }
      try (SteadyLoad load = new SteadyLoad(2, 1_000, keys, number -> false, i -> proxy.connect());
          Probe source = new Probe(nodes.get(0));
          Probe target = new Probe(nodes.get(NODES))) {
        long begun = System.nanoTime();
        change(control, "POST", "/v1/nodes", added());
        double took = (System.nanoTime() - begun) / 1e9;
        say(
            "%-8s  %4.0f  %,9d  %5.1f  %10.2f  %6.2f  %9.2f  %6.2f    %d errors, %d misses",
            type,
            bytes / 1e6,
            elements,
            took,
            source.millis(99),
            source.millis(100),
            target.millis(99),
            target.millis(100),
            load.errors(),
            load.misses());
      }
      try (PlainClient client = nodes.get(NODES).connect()) {
        if (!Long.valueOf(1).equals(client.ask("EXISTS", key))) {
          throw new IOException(key + " did not arrive");
        }
        client.ask("UNLINK", key);
      }
      change(control, "DELETE", "/v1/nodes/" + id(NODES), "");
    }
  }

  /** A key of about as many bytes as a hash of a million fields. */
  private long fill(String type, String key) throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    try (PlainClient client = nodes.get(0).connect()) {
      if (type.equals("string")) {
        byte[] part = new byte[1 << 20];
        Arrays.fill(part, (byte) 'x');
        long parts = Math.max(1, fields / 10_000);
        for (long i = 0; i < parts; i++) {
          client.tell(bytes("APPEND"), bytes(key), part);
        }
        return parts << 20;
      }
      int most = type.equals("stream") ? fields / 5 : fields;
      for (int from = 0; from < most; from += 500) {
        List<byte[]> words = new ArrayList<>();
        ByteBuf requests = Unpooled.buffer();
        int added = 0;
        for (int i = from; i < Math.min(most, from + 500); i++) {
          byte[] element = bytes("element:" + i);
          byte[] value = bytes(String.format(Locale.ROOT, "%032x", random.nextLong()));
          switch (type) {
            case "hash" -> words.addAll(List.of(element, value));
            case "set" -> words.add(value);
            case "zset" ->
                words.addAll(List.of(bytes(Double.toString(random.nextDouble())), value));
            case "list" -> words.add(value);
            default -> {
              RespWriter.request(
                  requests, bytes("XADD"), bytes(key), bytes((i + 1) + "-0"), element, value);
              added++;
            }
          }
        }
        if (!type.equals("stream")) {
          String command =
              switch (type) {
                case "hash" -> "HSET";
                case "set" -> "SADD";
                case "zset" -> "ZADD";
                default -> "RPUSH";
              };
          words.addAll(0, List.of(bytes(command), bytes(key)));
          RespWriter.request(requests, words.toArray(new byte[0][]));
          added = 1;
        }
        client.write(requests);
        for (int i = 0; i < added; i++) {
          client.next();
        }
      }
      return most;
    }
  }
}
