package dev.beltway.lab.replay;

/**
 * How large the simulated caches are.
 *
 * @param amount in entries or bytes, 1 or more
 * @param unit what is limited
 * @param total whether the amount is that of all nodes together, shared out by weight and the same
 *     before and after the change; else it is that of a node of weight 1
 */
public record CacheSize(long amount, Unit unit, boolean total) {

  /** What is limited. */
  public enum Unit {
    /** The number of keys. */
    ENTRIES,
    /** The bytes of keys and values. */
    BYTES
  }

  /** Caches that keep everything. */
  public static final CacheSize UNLIMITED = new CacheSize(Long.MAX_VALUE, Unit.ENTRIES, false);

  /** Checks the range. */
  public CacheSize {
    if (amount < 1) {
      throw new IllegalArgumentException("a cache size of " + amount + " is less than 1");
    }
  }

  /** Whether nothing is ever evicted. */
  public boolean isUnlimited() {
    return amount == Long.MAX_VALUE;
  }

  /**
   * The capacity of one node.
   *
   * @param weight of the node
   * @param sum of the weights of all nodes
   */
  long of(double weight, double sum) {
    if (isUnlimited()) {
      return amount;
    }
    double share = total ? weight / sum : weight;
    return (long) Math.floor(amount * share + 0.5);
  }
}
