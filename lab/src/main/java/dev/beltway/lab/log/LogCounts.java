package dev.beltway.lab.log;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What was read of a log.
 *
 * @param lines all lines
 * @param used the lines that gave a request
 * @param requests the requests that they stand for: a line may count for many, or name many keys
 * @param bytes of the values of all requests
 * @param skipped the other lines by reason, those reasons only that occurred
 * @param unended whether a last line had no line end: it may have been cut, which nothing else
 *     tells of a log that isn't packed
 */
public record LogCounts(
    long lines, long used, long requests, long bytes, Map<Skip, Skipped> skipped, boolean unended) {

  /** How many requests and bytes one log may have. */
  static final long MOST_TOTAL = 1L << 61;

  /** Nothing read so far. */
  public static final LogCounts NONE = new LogCounts(0, 0, 0, 0, Map.of(), false);

  /**
   * Lines skipped for one reason.
   *
   * @param lines how many
   * @param first the number of the first one, from 1
   */
  public record Skipped(long lines, long first) {}

  /** Copies the map, in the order of the reasons. */
  public LogCounts {
    Map<Skip, Skipped> ordered = new EnumMap<>(Skip.class);
    ordered.putAll(skipped);
    skipped = Collections.unmodifiableMap(ordered);
  }

  /** The lines skipped for that reason. */
  public long skipped(Skip reason) {
    Skipped those = skipped.get(reason);
    return those == null ? 0 : those.lines();
  }

  /** The lines skipped for any reason. */
  public long allSkipped() {
    return lines - used;
  }

  /** Whether the sums are so large that another log might make them overflow. */
  public boolean isTooLargeToGoOn() {
    return requests > MOST_TOTAL || bytes > MOST_TOTAL;
  }

  /** The counts of two logs, the other after this one; line numbers of firsts go on. */
  public LogCounts plus(LogCounts next) {
    Map<Skip, Skipped> sum = new EnumMap<>(Skip.class);
    sum.putAll(skipped);
    next.skipped.forEach(
        (reason, those) ->
            sum.merge(
                reason,
                new Skipped(those.lines(), lines + those.first()),
                (a, b) -> new Skipped(a.lines() + b.lines(), a.first())));
    return new LogCounts(
        lines + next.lines,
        used + next.used,
        requests + next.requests,
        bytes + next.bytes,
        sum,
        unended || next.unended);
  }
}
