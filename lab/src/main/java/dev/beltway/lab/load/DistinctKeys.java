package dev.beltway.lab.load;

import com.dynatrace.hash4j.distinctcount.UltraLogLog;
import dev.beltway.hash.Finalizers;
import org.jspecify.annotations.Nullable;

/**
 * How many different keys there are, by their hashes: exactly up to a number, then by an
 * UltraLogLog (Ertl, 2024). Not thread-safe.
 */
final class DistinctKeys {

  /** A standard error of one register, by Ertl's analysis of the estimator used. */
  private static final double ERROR = 0.782;

  /** Bounds hold for 95 of 100 logs: two standard errors. */
  private static final int STANDARD_ERRORS = 2;

  private final int precision;
  private final int mostExact;
  private long[] table = new long[16];
  private int size;
  private boolean hasZero;
  private @Nullable UltraLogLog sketch;

  /**
   * Nothing counted so far.
   *
   * @param precision of the sketch, which takes {@code 2^precision} bytes
   * @param mostExact up to how many keys are counted exactly, at 16 to 32 bytes each
   */
  DistinctKeys(int precision, int mostExact) {
    this.precision = precision;
    this.mostExact = mostExact;
  }

  /** The hash of a key, prepared once for all counters that get it. */
  static long mixed(long hash) {
    // A node's keys have hashes from its own arcs of the ring; the sketch wants them from
    // everywhere.
    return Finalizers.splitmix64(hash);
  }

  /** Counts a key by its {@link #mixed} hash. */
  void add(long mixed) {
    if (sketch != null) {
      sketch.add(mixed);
    } else {
      addExactly(mixed);
    }
  }

  private void addExactly(long mixed) {
    if (mixed == 0) {
      hasZero = true;
      return;
    }
    int slot = slot(table, mixed);
    if (table[slot] == mixed) {
      return;
    }
    if (size == mostExact) {
      overflow();
      add(mixed);
      return;
    }
    table[slot] = mixed;
    size++;
    if (2 * size > table.length) {
      long[] larger = new long[2 * table.length];
      for (long value : table) {
        if (value != 0) {
          larger[slot(larger, value)] = value;
        }
      }
      table = larger;
    }
  }

  private void overflow() {
    sketch = UltraLogLog.create(precision);
    for (long value : table) {
      if (value != 0) {
        sketch.add(value);
      }
    }
    if (hasZero) {
      sketch.add(0);
    }
    table = new long[0];
  }

  private static int slot(long[] table, long value) {
    int mask = table.length - 1;
    int at = (int) value & mask;
    while (table[at] != 0 && table[at] != value) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /** What was counted. */
  Count count() {
    if (sketch == null) {
      return Count.exactly(size + (hasZero ? 1 : 0));
    }
    double estimate = sketch.getDistinctCountEstimate();
    double error = STANDARD_ERRORS * ERROR / Math.sqrt(1 << precision);
    return new Count(estimate, estimate * (1 - error), estimate * (1 + error));
  }
}
