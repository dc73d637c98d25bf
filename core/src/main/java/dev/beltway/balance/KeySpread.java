package dev.beltway.balance;

import dev.beltway.hash.HashFunction;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.Topology;
import java.util.List;

/**
 * How well a hash spreads keys over the ring, and what that does to four equal servers.
 *
 * @param keys how many keys were looked at
 * @param unevenness χ² over its degrees of freedom for counts in {@value #ARCS} equal arcs; 1 for
 *     chance, more for keys that crowd
 * @param emptyArcs the part of the arcs without any key
 * @param fullestOfFour the part of the keys on the fullest of four servers of equal weight, 160
 *     well mixed points each
 */
public record KeySpread(long keys, double unevenness, double emptyArcs, double fullestOfFour) {

  /** Equal arcs of the ring that keys are counted in. */
  public static final int ARCS = 256;

  private static final int ARC_BITS = 8;
  private static final double MOST_UNEVENNESS = 2;
  private static final double MOST_ON_ONE = 0.5;

  /** Measures a hash over different keys, 1 or more. */
  public static KeySpread of(HashFunction hash, List<byte[]> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("no keys to look at");
    }
    RangedPlacement four =
        (RangedPlacement)
            Placements.of(
                Topology.of(
                    KetamaRule.of(KetamaVariant.TWEMPROXY),
                    List.of("server1", "server2", "server3", "server4")));
    long[] arcs = new long[ARCS];
    long[] servers = new long[four.owners().size()];
    for (byte[] key : keys) {
      long position = hash.position(key);
      arcs[(int) (position >>> Long.SIZE - ARC_BITS)]++;
      servers[four.ownerIndexAt(position)]++;
    }
    double expected = keys.size() / (double) ARCS;
    double squares = 0;
    int empty = 0;
    for (long count : arcs) {
      squares += (count - expected) * (count - expected) / expected;
      empty += count == 0 ? 1 : 0;
    }
    long fullest = 0;
    for (long count : servers) {
      fullest = Math.max(fullest, count);
    }
    return new KeySpread(
        keys.size(), squares / (ARCS - 1), empty / (double) ARCS, fullest / (double) keys.size());
  }

  /** Whether one of four servers would get more than half of the keys. */
  public boolean starves() {
    return fullestOfFour > MOST_ON_ONE;
  }

  /** Whether keys lie as chance would have them; unjudged below ten keys an arc. */
  public boolean isEven() {
    return unevenness <= MOST_UNEVENNESS || keys < 10L * ARCS;
  }
}
