package dev.beltway.bench;

import dev.beltway.placement.BoundedLoads;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.Replicas;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** What stands on a ring: bounded loads with two threads, preference lists of 1,000 nodes. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class BoundedBenchmark {

  /** Shared by all threads: a ring of 100 nodes at c = 1.25 that carries 10,000 already. */
  @State(Scope.Benchmark)
  public static class Shared {
    BoundedLoads loads = BoundedLoads.of(ring(1, false), 1.25);

    /** Fills the nodes. */
    @Setup
    public void fill() {
      loads = BoundedLoads.of(ring(100, false), 1.25);
      Keys keys = new Keys();
      for (int i = 0; i < 10_000; i++) {
        loads.acquire(keys.next());
      }
    }
  }

  /** Each thread's own. */
  @State(Scope.Thread)
  public static class Own {
    final Keys keys = new Keys();
    final OrderedPlacement ring = ring(1000, true);
    final Replicas nodes = Replicas.of(ring, 3, FailureDomain.NODE);
    final Replicas zones = Replicas.of(ring, 3, FailureDomain.ZONE);
    final int[] three = new int[3];
  }

  private static OrderedPlacement ring(int nodes, boolean zones) {
    return Placements.ordered(
        new Topology(
            0,
            RingRule.DEFAULT.withVnodes(100),
            IntStream.range(0, nodes)
                .mapToObj(i -> Node.of("node-" + i))
                .map(node -> zones ? node.withZone("zone-" + node.id().hashCode() % 5) : node)
                .toList()));
  }

  /** Takes room for a key and gives it back, two threads at once. */
  @Benchmark
  @Threads(2)
  public int acquireAndRelease(Shared shared, Own own) {
    Node node = shared.loads.acquire(own.keys.next());
    shared.loads.release(node);
    return node.id().length();
  }

  /** The same by position and index. */
  @Benchmark
  @Threads(2)
  public int acquireAndReleaseByIndex(Shared shared, Own own) {
    int owner = shared.loads.acquire(own.ring.partitioner().position(own.keys.next()));
    shared.loads.release(owner);
    return owner;
  }

  /** The same by one thread: what it costs without contention. */
  @Benchmark
  public int acquireAndReleaseAlone(Shared shared, Own own) {
    int owner = shared.loads.acquire(own.ring.partitioner().position(own.keys.next()));
    shared.loads.release(owner);
    return owner;
  }

  /** Three distinct nodes for a key. */
  @Benchmark
  public int threeNodes(Own own) {
    return own.nodes.list(own.ring.partitioner().position(own.keys.next()), own.three);
  }

  /** Three nodes in distinct zones for a key. */
  @Benchmark
  public int threeZones(Own own) {
    return own.zones.list(own.ring.partitioner().position(own.keys.next()), own.three);
  }
}
