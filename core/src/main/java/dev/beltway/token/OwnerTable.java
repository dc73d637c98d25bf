package dev.beltway.token;

import java.util.Arrays;

/**
 * The owner of a position by its top bits alone, where these decide it: a table in front of a
 * {@link TokenMap} whose ranges are long. One read answers most lookups; the others, at most one in
 * {@value #ENTRIES_PER_TOKEN}, go to the map. Immutable, safe for any number of threads.
 */
public final class OwnerTable {

  /** What stands in for an owner where the top bits don't decide. */
  public static final int UNDECIDED = -1;

  private static final int ENTRIES_PER_TOKEN = 8;
  private static final int LEAST_BITS = 6;
  private static final int MOST_BITS = 22;

  private final int[] owners;
  private final int shift;

  private OwnerTable(int[] owners, int shift) {
    this.owners = owners;
    this.shift = shift;
  }

  /** The table of a map; 4 bytes for each of eight entries a token, rounded up to a power of 2. */
  public static OwnerTable of(TokenMap map) {
    long wanted = Math.max(1, (long) map.size() * ENTRIES_PER_TOKEN - 1);
    int bits =
        Math.max(LEAST_BITS, Math.min(MOST_BITS, Long.SIZE - Long.numberOfLeadingZeros(wanted)));
    int shift = Long.SIZE - bits;
    int[] owners = new int[1 << bits];
    Arrays.fill(owners, UNDECIDED);
    map.forEachRange(
        (start, end, owner) -> {
          int from = (int) (start >>> shift) + 1;
          int to = (int) (end >>> shift) + (isLastOfEntry(end, shift) ? 1 : 0);
          if (Long.compareUnsigned(start, end) >= 0) { // Past the top and on from 0.
            Arrays.fill(owners, from, owners.length, owner);
            from = 0;
          }
          if (from < to) {
            Arrays.fill(owners, from, to, owner);
          }
        });
    return new OwnerTable(owners, shift);
  }

  private static boolean isLastOfEntry(long position, int shift) {
    return (position + 1 & (1L << shift) - 1) == 0;
  }

  /** The ordinal of the position's owner, or {@link #UNDECIDED}. */
  public int ownerAt(long position) {
    return owners[(int) (position >>> shift)];
  }

  /** The memory that the table takes, in bytes, without the objects' headers. */
  public long bytes() {
    return (long) owners.length * Integer.BYTES;
  }
}
