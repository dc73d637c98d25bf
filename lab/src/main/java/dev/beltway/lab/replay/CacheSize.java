package dev.beltway.lab.replay;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

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
   * The capacities of nodes, in the order of their ids. Those of a total add up to it exactly, by
   * the largest remainder.
   *
   * @param weights by id
   */
  SortedMap<String, Long> of(Map<String, Double> weights) {
    SortedMap<String, Long> capacities = new TreeMap<>();
    if (isUnlimited() || !total) {
      weights.forEach(
          (id, weight) ->
              capacities.put(
                  id, isUnlimited() ? amount : (long) Math.floor(amount * weight + 0.5)));
      return capacities;
    }
    double sum = 0; // In the order of ids: sums of doubles depend on it.
    for (double weight : new TreeMap<>(weights).values()) {
      sum += weight;
    }
    Map<String, Double> remainders = new HashMap<>();
    long left = amount;
    for (Map.Entry<String, Double> each : new TreeMap<>(weights).entrySet()) {
      double exact = sum == 0 ? 0 : amount * (each.getValue() / sum);
      long whole = Math.min(left, (long) Math.floor(exact));
      capacities.put(each.getKey(), whole);
      remainders.put(each.getKey(), exact - whole);
      left -= whole;
    }
    List<String> byRemainder =
        capacities.keySet().stream()
            .filter(id -> weights.getOrDefault(id, 0.0) > 0)
            .sorted(
                Comparator.comparingDouble((String id) -> remainders.getOrDefault(id, 0.0))
                    .reversed())
            .toList();
    for (int i = 0; i < byRemainder.size() && left > 0; i++, left--) {
      capacities.merge(byRemainder.get(i), 1L, Long::sum);
    }
    return capacities;
  }
}
