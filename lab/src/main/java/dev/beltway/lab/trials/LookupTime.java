package dev.beltway.lab.trials;

import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Topology;

/**
 * What lookups and rebuilding cost here and now: rough figures from a few hundred milliseconds, for
 * comparing two placements in one run. The benchmarks of the project measure with more care.
 *
 * @param lookupNanos a key of some 16 characters to its owner, in nanoseconds
 * @param rebuildMillis the placement from its topology, in milliseconds
 */
public record LookupTime(double lookupNanos, double rebuildMillis) {

  private static final int KEYS = 1 << 14;
  private static final int LOOKUPS = 1 << 19;
  private static final int ROUNDS = 7;

  /** Measures; the best of some rounds counts, since everything that disturbs makes slower. */
  public static LookupTime of(Topology topology) {
    String[] keys = new String[KEYS];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = "user:" + (10_000_000_000L + i * 7_919L);
    }
    double rebuild = Double.POSITIVE_INFINITY;
    double lookup = Double.POSITIVE_INFINITY;
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      Placement placement = Placements.of(topology);
      rebuild = Math.min(rebuild, (double) (System.nanoTime() - start));
      start = System.nanoTime();
      for (int i = 0; i < LOOKUPS; i++) {
        sum += placement.owner(keys[i & KEYS - 1]).id().length();
      }
      lookup = Math.min(lookup, (System.nanoTime() - start) / (double) LOOKUPS);
    }
    if (sum == 0) {
      throw new IllegalStateException("no key has an owner with a name");
    }
    return new LookupTime(lookup, rebuild / 1e6);
  }
}
