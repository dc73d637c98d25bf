package dev.beltway.resp.client;

/**
 * How long to wait before trying again: doubling from the first delay to the last, each drawn
 * between half and all of that, so that many who lost the same node don't return together.
 *
 * @param firstMillis before the second try
 * @param lastMillis at most
 */
public record Backoff(int firstMillis, int lastMillis) {

  /** From 50 ms to 2 s. */
  public static final Backoff USUAL = new Backoff(50, 2_000);

  /** Checks the ranges. */
  public Backoff {
    if (firstMillis < 1 || lastMillis < firstMillis) {
      throw new IllegalArgumentException("backoff " + firstMillis + " to " + lastMillis + " ms");
    }
  }

  /**
   * The delay in milliseconds.
   *
   * @param failures how often it has failed in a row, from 1
   * @param chance from 0 to 1
   */
  public long millis(int failures, double chance) {
    long whole =
        Math.min(lastMillis, (long) firstMillis << Math.min(30, Math.max(0, failures - 1)));
    return whole / 2 + (long) (whole / 2.0 * chance);
  }
}
