package dev.beltway.handover;

import dev.beltway.placement.Placement;

/**
 * Over which {@link Waypoint}s a change goes: straight, with a {@link Canary} first, over a {@link
 * Halfway} mapping where keys would go in a circle, or both. Each part between two stops is a leg
 * with a barrier of its own.
 *
 * @param circular whether some nodes would give to each other
 * @param low first bucket of keys that the canary has at the second mapping
 * @param high behind the last one; as large as {@code low} where there is no canary
 */
public record Way(boolean circular, int low, int high) {

  /** Into how many parts keys fall by their hash. */
  public static final int BUCKETS = 65_536;

  /** From one mapping straight to the other. */
  public static final Way STRAIGHT = new Way(false, 0, 0);

  /** Checks the ranges. */
  public Way {
    if (low < 0 || high < low || high > BUCKETS || low > 0 && high < BUCKETS && low != high) {
      throw new IllegalArgumentException(
          "buckets " + low + " to " + high + " are no beginning or end of 0 to " + BUCKETS);
    }
  }

  /**
   * A way.
   *
   * @param canary share of the moving keys that goes first, 0 to 1; 0 for no canary
   */
  public static Way of(boolean circular, double canary) {
    if (!(canary >= 0 && canary < 1)) {
      throw new IllegalArgumentException("canary " + canary + " is outside 0 to 1");
    }
    int buckets = canary == 0 ? 0 : Math.max(1, (int) Math.round(canary * BUCKETS));
    return new Way(circular, 0, Math.min(buckets, BUCKETS - 1));
  }

  /** Whether some keys go first. */
  public boolean hasCanary() {
    return low < high && !(low == 0 && high == BUCKETS);
  }

  /** How many legs it has. */
  public int legs() {
    return (hasCanary() ? 2 : 1) * (circular ? 2 : 1);
  }

  /** The same way back. */
  public Way reversed() {
    if (!hasCanary()) {
      return this;
    }
    return low == 0 ? new Way(circular, high, BUCKETS) : new Way(circular, 0, low);
  }

  /** Whether a leg is about the few keys that go first. */
  public boolean isCanary(int leg) {
    boolean fewFirst = low == 0;
    return hasCanary() && (leg < legs() / 2) == fewFirst;
  }

  /** The mapping at a stop; 0 is where the way begins, {@link #legs} where it ends. */
  Placement stop(int number, Placement from, Placement to) {
    if (number == 0) {
      return from;
    } else if (number == legs()) {
      return to;
    } else if (!hasCanary()) {
      return new Halfway(from, to);
    }
    Canary canary = new Canary(from, to, low, high);
    if (!circular || number == 2) {
      return canary;
    }
    return number == 1 ? new Halfway(from, canary) : new Halfway(canary, to);
  }

  /** Who gives keys to whom in a leg, where all legs together are these flows. */
  Flows flows(int leg, Flows all) {
    return circular ? all.towards(leg % 2 == 0) : all;
  }
}
