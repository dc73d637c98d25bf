package dev.beltway.plan;

/** Different longs, up to a bound; open addressing, 8 bytes an entry at half load. */
final class LongSet {

  private final int most;
  private long[] table = new long[1 << 12];
  private int size;
  private boolean hasZero;
  private boolean overflowed;

  LongSet(int most) {
    this.most = most;
  }

  /** Adds a value; returns whether it is new. Past the bound nothing is added or known. */
  boolean add(long value) {
    if (overflowed) {
      return false;
    }
    if (value == 0) {
      boolean added = !hasZero;
      hasZero = true;
      return added;
    }
    if (2 * size >= table.length) {
      grow();
    }
    int at = slot(table, value);
    if (table[at] == value) {
      return false;
    }
    if (size >= most) {
      overflowed = true;
      table = new long[2];
      return false;
    }
    table[at] = value;
    size++;
    return true;
  }

  /** Whether there were more values than the bound. */
  boolean overflowed() {
    return overflowed;
  }

  private void grow() {
    long[] larger = new long[2 * table.length];
    for (long value : table) {
      if (value != 0) {
        larger[slot(larger, value)] = value;
      }
    }
    table = larger;
  }

  /** The values are hashes already: their low bits choose the place. */
  private static int slot(long[] table, long value) {
    int mask = table.length - 1;
    int at = (int) value & mask;
    while (table[at] != 0 && table[at] != value) {
      at = (at + 1) & mask;
    }
    return at;
  }
}
