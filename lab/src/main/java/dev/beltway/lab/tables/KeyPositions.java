package dev.beltway.lab.tables;

import dev.beltway.token.TokenMap;
import java.util.Arrays;

/** The sorted positions of many keys: counts keys by range instead of looking each one up. */
final class KeyPositions {

  /** Ascending as signed numbers: each position with its top bit turned. */
  private final long[] sorted;

  KeyPositions(long[] positions) {
    this.sorted = Arrays.stream(positions).map(p -> p ^ Long.MIN_VALUE).sorted().toArray();
  }

  int size() {
    return sorted.length;
  }

  /** The number of keys in {@code (start, end]}. */
  private int count(long start, long end) {
    int upToEnd = upTo(end);
    int upToStart = upTo(start);
    boolean wraps = Long.compareUnsigned(start, end) >= 0;
    return wraps ? sorted.length - upToStart + upToEnd : upToEnd - upToStart;
  }

  private int upTo(long position) {
    long value = position ^ Long.MIN_VALUE;
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] <= value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The keys of each owner. */
  int[] loads(TokenMap tokens) {
    int[] loads = new int[tokens.owners()];
    tokens.forEachRange((start, end, owner) -> loads[owner] += count(start, end));
    return loads;
  }

  /**
   * What moves when one ring becomes another whose owners have the same numbers, new ones at the
   * end.
   *
   * @param total keys that change their owner
   * @param betweenOld those of them that go to an owner which was there before
   */
  record Moved(int total, int betweenOld) {}

  Moved moved(TokenMap before, TokenMap after) {
    int[] moved = new int[2];
    TokenMap.forEachCommonRange(
        before,
        after,
        (start, end, was, is) -> {
          if (was != is) {
            int keys = count(start, end);
            moved[0] += keys;
            moved[1] += is < before.owners() ? keys : 0;
          }
        });
    return new Moved(moved[0], moved[1]);
  }
}
