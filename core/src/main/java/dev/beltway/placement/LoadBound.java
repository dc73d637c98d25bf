package dev.beltway.placement;

import dev.beltway.topology.Node;
import java.util.List;
import java.util.Map;

/**
 * How much each node may carry: ⌈c · share · total⌉, where a node's share is its weight's among the
 * nodes that own anything (Mirrokni, Thorup and Zadimoghaddam, 2018; weights after HAProxy).
 * Immutable.
 *
 * <p>With c ≥ 1 the caps add up to the total at least, so there is always room for one more.
 */
final class LoadBound {

  /** The largest factor; beyond it there is no bound to speak of. */
  static final double MOST_FACTOR = 1000;

  /**
   * Products that are whole in exact arithmetic come out a few units in the last place off; that
   * must not cost a node one more. Up to 10¹² of load the caps still add up to the total.
   */
  private static final double ROUNDING = 1 - 1e-14;

  private final double[] perUnit;

  LoadBound(OrderedPlacement placement, double factor) {
    if (!(factor >= 1 && factor <= MOST_FACTOR)) {
      throw new IllegalArgumentException(
          "load factor " + factor + " is outside 1 to " + (int) MOST_FACTOR);
    }
    List<Node> owners = placement.owners();
    Map<String, Double> fair = placement.topology().fairShares();
    double[] weights = new double[owners.size()];
    double sum = 0;
    double lost = 0; // What the sum is too small by: 100,000 roundings would exceed the margin.
    for (int i = 0; i < weights.length; i++) {
      weights[i] = fair.getOrDefault(owners.get(i).id(), 0.0);
      double next = sum + (weights[i] + lost);
      lost = weights[i] + lost - (next - sum);
      sum = next;
    }
    this.perUnit = new double[weights.length];
    for (int i = 0; i < weights.length; i++) {
      perUnit[i] = factor * weights[i] / sum * ROUNDING;
    }
  }

  /** The cap of a node, 1 at least, when the total is so much. */
  long cap(int owner, long total) {
    return (long) Math.ceil(perUnit[owner] * total);
  }
}
