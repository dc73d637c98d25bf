package dev.beltway.placement;

import dev.beltway.hash.HashFunctions;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of acquires and releases, tried by Lincheck's model checker. Results need not be
 * those of some order of whole calls, since a cap follows the total of a moment within the call;
 * what must hold is checked in the operations and after each run.
 */
public class BoundedLoadsConcurrencyTest {

  static {
    // It warns of each field of a record that it can't look into, none of which matters here.
    System.setProperty("lincheck.logLevel", "ERROR");
  }

  private static final int NODES = 3;

  /** One token a node: a walk of hundreds of stops would look like a loop without an end. */
  private final OrderedPlacement placement =
      Placements.ordered(
          Topology.of(
              new RingRule(HashFunctions.XXH3_64, 1, 1, "#", false, Replication.NONE, 3),
              List.of("a", "b", "c")));

  private final BoundedLoads loads = BoundedLoads.of(placement, 1);
  private final AtomicInteger[] held = {
    new AtomicInteger(), new AtomicInteger(), new AtomicInteger()
  };

  /** At least the total at every instant: up before it goes up, down after it has gone down. */
  private final AtomicInteger bound = new AtomicInteger();

  private final AtomicInteger begun = new AtomicInteger();

  /** Takes room; the node was below the cap of the largest total there can have been. */
  @Operation
  public void acquire(@Param(gen = IntGen.class, conf = "0:3") int key) {
    int begunBefore = begun.incrementAndGet();
    int most = bound.incrementAndGet();
    int owner = loads.acquire(key * 0x4000_0000_0000_0000L);
    int mine = held[owner].incrementAndGet();
    // The total during the call was at most what it was at its begin, and what has begun since.
    long cap = loads.cap(owner, most + begun.get() - begunBefore);
    if (mine > cap) {
      throw new IllegalStateException(mine + " on node " + owner + " are above the cap " + cap);
    }
  }

  /** Gives back what is held on a node, if anything is. */
  @Operation
  public void release(@Param(gen = IntGen.class, conf = "0:2") int owner) {
    int seen = held[owner].get();
    if (seen > 0 && held[owner].compareAndSet(seen, seen - 1)) {
      loads.release(owner);
      bound.decrementAndGet();
    }
  }

  /** After each run: nothing is lost, nothing is counted twice. */
  @Validate
  public void everythingIsCounted() {
    long sum = 0;
    for (int owner = 0; owner < NODES; owner++) {
      long load = loads.load(placement.owners().get(owner).id());
      if (load != held[owner].get()) {
        throw new IllegalStateException("load " + load + " where " + held[owner] + " are held");
      }
      sum += load;
    }
    if (sum != loads.total()) {
      throw new IllegalStateException("total " + loads.total() + " of loads " + sum);
    }
  }

  @Test
  void noInterleavingLosesOrOverfills() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(3)
        .verifier(EpsilonVerifier.class)
        .check(BoundedLoadsConcurrencyTest.class);
  }
}
