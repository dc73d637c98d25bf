package dev.beltway.bench;

import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Building a ring of 1,000 nodes with 1,000 vnodes each, and changing one node of it, beside the
 * least that any ring must do: hash as many labels and sort the tokens.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+AlwaysPreTouch"})
public class BuildBenchmark {

  private static final int NODES = 1_000;
  private static final int VNODES = 1_000;

  private Topology topology = Topology.ring();
  private Topology joined = topology;
  private Topology left = topology;
  private Placement ring = Placements.of(topology);

  /** Makes the topologies. */
  @Setup
  public void prepare() {
    RingRule rule = RingRule.DEFAULT.withVnodes(VNODES).withMaxTokens(2 * NODES * VNODES);
    List<String> ids = IntStream.range(0, NODES).mapToObj(i -> "node-" + i).toList();
    topology = Topology.of(rule, ids);
    joined = topology.plus(Node.of("node-500a"));
    left = topology.minus("node-500");
    ring = Placements.of(topology);
  }

  /** The whole ring. */
  @Benchmark
  public Placement build() {
    return Placements.of(topology);
  }

  /** The baseline: hash a million labels, sort a million longs. */
  @Benchmark
  public long[] hashAndSort() {
    long[] tokens = new long[NODES * VNODES];
    byte[] label = new byte[32];
    int at = 0;
    for (int node = 0; node < NODES; node++) {
      byte[] id = ("node-" + node + "#").getBytes(StandardCharsets.UTF_8);
      System.arraycopy(id, 0, label, 0, id.length);
      for (int i = 0; i < VNODES; i++) {
        int length = id.length;
        int digits = i < 10 ? 1 : i < 100 ? 2 : 3;
        int rest = i;
        for (int digit = digits - 1; digit >= 0; digit--) {
          label[length + digit] = (byte) ('0' + rest % 10);
          rest /= 10;
        }
        tokens[at++] = HashFunctions.XXH3_64.hash(label, 0, length + digits);
      }
    }
    Arrays.sort(tokens);
    return tokens;
  }

  /** One node joins 1,000. */
  @Benchmark
  public Placement addNode() {
    return Placements.of(joined, ring);
  }

  /** One node of 1,000 leaves. */
  @Benchmark
  public Placement removeNode() {
    return Placements.of(left, ring);
  }
}
