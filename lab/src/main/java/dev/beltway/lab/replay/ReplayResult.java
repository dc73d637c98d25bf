package dev.beltway.lab.replay;

import java.util.List;

/**
 * What came of a replay.
 *
 * @param size of the caches
 * @param requests of the log
 * @param at how many of them came before the change
 * @param window how many requests a window has
 * @param other requests that do nothing which a cache would notice; they count as requests only
 * @param comparisons one a strategy
 */
public record ReplayResult(
    CacheSize size, long requests, long at, long window, long other, List<Comparison> comparisons) {

  /** Copies the list. */
  public ReplayResult {
    comparisons = List.copyOf(comparisons);
  }

  /** How many requests the first window after the change really has. */
  public long firstRequests() {
    return comparisons.isEmpty() ? 0 : comparisons.get(0).unchanged().first().requests();
  }

  /**
   * One strategy.
   *
   * @param strategy which
   * @param unchanged what would have come of it without the change
   * @param changed what came of it, by mode
   */
  public record Comparison(Strategy strategy, Outcome unchanged, List<Outcome> changed) {

    /** Copies the list. */
    public Comparison {
      changed = List.copyOf(changed);
    }
  }
}
