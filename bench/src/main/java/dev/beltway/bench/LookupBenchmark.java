package dev.beltway.bench;

import com.dynatrace.hash4j.consistent.ConsistentBucketSetHasher;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A String key to its node, 100 vnodes a node, beside a TreeMap ring and two floors.
 *
 * <p>A floor is what no ring on this hash can undercut: hash the key, read one random entry of a
 * table as large as the ring. {@code floor} hashes as this library does, in place; {@code
 * floorGetBytes} makes an array of the key's bytes first, as most programs do.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class LookupBenchmark {

  private static final int VNODES = 100;
  private static final Hasher64 XXH3 = Hashing.xxh3_64();

  /** Nodes. */
  @Param({"10", "100", "1000", "10000"})
  public int nodes;

  private Keys keys = new Keys();
  private Placement ring = Placements.of(Topology.ring());
  private Placement slices = Placements.of(Topology.ring());
  private Placement slicesAged = Placements.of(Topology.ring());
  private ConsistentBucketSetHasher anchor = SliceHistories.anchor(1);
  private TreeMap<Long, Node> treeMap = new TreeMap<>();
  private long[] table = {};
  private int shift;

  /** Builds the rings. */
  @Setup
  public void build() {
    keys = new Keys();
    List<String> ids = IntStream.range(0, nodes).mapToObj(i -> "node-" + i).toList();
    Topology topology =
        Topology.of(RingRule.DEFAULT.withVnodes(VNODES).withMaxTokens(nodes * VNODES), ids);
    ring = Placements.of(topology);
    Topology cut = Topology.of(SlicesRule.DEFAULT, ids);
    slices = Placements.of(cut);
    slicesAged = Placements.of(SliceHistories.changedAtRandom(cut, 50));
    anchor = SliceHistories.anchor(nodes);
    treeMap = new TreeMap<>();
    for (Node node : topology.nodes()) {
      for (int i = 0; i < VNODES; i++) {
        treeMap.put(HashFunctions.MURMUR3_32.hash(node.id() + "#" + i), node);
      }
    }
    // Twice the ring's entries rounded up to a power of two: as many bytes as the ring takes.
    int bits = 33 - Integer.numberOfLeadingZeros(nodes * VNODES - 1);
    table = new long[1 << bits];
    java.util.Arrays.setAll(table, i -> i);
    shift = 64 - bits;
  }

  /** Beltway's ring. */
  @Benchmark
  public Node ring() {
    return ring.owner(keys.next());
  }

  /** Slices, one interval a node. */
  @Benchmark
  public Node slices() {
    return slices.owner(keys.next());
  }

  /** Slices after 50 random joins, leaves and re-weightings. */
  @Benchmark
  public Node slicesAged() {
    return slicesAged.owner(keys.next());
  }

  /** hash4j's JumpBackAnchor on the library's hash: a bucket's number, without a node. */
  @Benchmark
  public int jumpBackAnchor() {
    return anchor.getBucket(HashFunctions.XXH3_64.hash(keys.next()));
  }

  /** The same with an array made of each key. */
  @Benchmark
  public int jumpBackAnchorGetBytes() {
    byte[] bytes = keys.next().getBytes(StandardCharsets.UTF_8);
    return anchor.getBucket(XXH3.hashBytesToLong(bytes));
  }

  /** The floor: the library's hash and one random read. */
  @Benchmark
  public long floor() {
    return table[(int) (HashFunctions.XXH3_64.hash(keys.next()) >>> shift)];
  }

  /** The floor with an array made of each key. */
  @Benchmark
  public long floorGetBytes() {
    byte[] bytes = keys.next().getBytes(StandardCharsets.UTF_8);
    return table[(int) (XXH3.hashBytesToLong(bytes) >>> shift)];
  }

  /** The usual ring: a sorted map of murmur3 tokens. */
  @Benchmark
  public Node treeMapMurmur3() {
    long hash = HashFunctions.MURMUR3_32.hash(keys.next());
    Map.Entry<Long, Node> entry = treeMap.ceilingEntry(hash);
    return (entry == null ? treeMap.firstEntry() : entry).getValue();
  }
}
