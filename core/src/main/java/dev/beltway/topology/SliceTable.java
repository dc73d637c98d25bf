package dev.beltway.topology;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The ring cut into intervals, each with an owner; neighbours have different owners. Immutable.
 *
 * <p>Interval bounds are multiples of 2⁸ positions, so the ring has {@link #UNITS} units. That is
 * fine enough to give every share of 2⁻²⁴ or more to within 1 part in 2³², and keeps tables short.
 */
public final class SliceTable {

  /** The units of the whole ring, 2⁵⁶. */
  public static final long UNITS = 1L << 56;

  /** The bits of a position below a unit. */
  static final int UNIT_BITS = 8;

  /** The most intervals of a table. */
  public static final int MOST_INTERVALS = 500_000;

  /** Nine for a length, three for an owner's index. */
  private static final int MOST_BYTES_PER_INTERVAL = 12;

  /** Nothing is owned. */
  public static final SliceTable EMPTY = new SliceTable(List.of(), new long[0], new int[0]);

  /**
   * What {@link #changedTo} came to last. A topology is asked for its table by its placement, its
   * fingerprint and every report; the answer is always the same, so it is worked out once. Held
   * weakly, or each table of a history would keep the next.
   */
  private record Memo(List<Node> nodes, long tolerance, SliceTable table) {}

  private volatile WeakReference<Memo> memo = new WeakReference<>(null);

  private final List<String> owners;
  private final long[] starts;
  private final int[] ownerOf;

  /** The arrays are taken over; owners in order of ids, each with an interval. */
  SliceTable(List<String> owners, long[] starts, int[] ownerOf) {
    this.owners = List.copyOf(owners);
    this.starts = starts;
    this.ownerOf = ownerOf;
    if (starts.length > MOST_INTERVALS) {
      throw new IllegalArgumentException(
          starts.length
              + " intervals are more than "
              + MOST_INTERVALS
              + ": allow a tolerance above 0, or start anew without a table");
    }
  }

  /**
   * The table for other nodes and weights that moves no more than the growing nodes gain.
   *
   * <p>Every node whose share is within the tolerance of its weight's keeps it. With tolerance 0 a
   * share is the exact one, rounded down or up to a unit, and nothing that is rounded right already
   * changes. O(intervals · log intervals). The order of the nodes means nothing.
   *
   * @param tolerance in millionths of a node's fair share, 0 to 500,000
   * @throws IllegalArgumentException if there would be more than {@link #MOST_INTERVALS}
   */
  public SliceTable changedTo(List<Node> nodes, long tolerance) {
    Memo last = memo.get();
    if (last != null && last.tolerance == tolerance && last.nodes.equals(nodes)) {
      return last.table;
    }
    SliceTable table = new SliceChange(this, nodes, tolerance).apply();
    memo = new WeakReference<>(new Memo(List.copyOf(nodes), tolerance, table));
    return table;
  }

  /** The ids of the nodes with intervals, in the order of their UTF-8 bytes. */
  public List<String> owners() {
    return owners;
  }

  /** The number of intervals. */
  public int intervals() {
    return starts.length;
  }

  /** The owner of an interval, as an index into {@link #owners()}. */
  public int ownerIndex(int interval) {
    return ownerOf[interval];
  }

  /** The last position of an interval. */
  public long lastPosition(int interval) {
    return (end(interval) << UNIT_BITS) - 1;
  }

  long start(int interval) {
    return starts[interval];
  }

  long end(int interval) {
    return interval + 1 == starts.length ? UNITS : starts[interval + 1];
  }

  /** By owner, how many units it has; the sum is {@link #UNITS} unless the table is empty. */
  public Map<String, Long> units() {
    long[] sums = new long[owners.size()];
    for (int i = 0; i < starts.length; i++) {
      sums[ownerOf[i]] += end(i) - starts[i];
    }
    Map<String, Long> units = new LinkedHashMap<>();
    for (int owner = 0; owner < sums.length; owner++) {
      units.put(owners.get(owner), sums[owner]);
    }
    return units;
  }

  /**
   * The table as text: for each interval its length in units and its owner's index, both as
   * base-128 numbers with the low seven bits first and the top bit set on all bytes but the last;
   * all bytes in Base64 without padding.
   */
  public String encoded() {
    ByteBuffer bytes = ByteBuffer.allocate(MOST_BYTES_PER_INTERVAL * starts.length);
    for (int i = 0; i < starts.length; i++) {
      writeNumber(bytes, end(i) - starts[i]);
      writeNumber(bytes, ownerOf[i]);
    }
    byte[] written = Arrays.copyOf(bytes.array(), bytes.position());
    return Base64.getEncoder().withoutPadding().encodeToString(written);
  }

  private static void writeNumber(ByteBuffer bytes, long number) {
    long rest = number;
    while (rest >= 0x80) {
      bytes.put((byte) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    bytes.put((byte) rest);
  }

  /**
   * The table that {@link #encoded()} wrote.
   *
   * @param owners the ids in the order of the table's indexes
   * @throws IllegalArgumentException if the text is damaged: not Base64, cut short, not the whole
   *     ring, or with owners that don't fit
   */
  public static SliceTable decoded(List<String> owners, String text) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("is not Base64: " + e.getMessage(), e);
    }
    for (int i = 1; i < owners.size(); i++) {
      if (NodeId.UTF8_ORDER.compare(owners.get(i - 1), owners.get(i)) >= 0) {
        throw new IllegalArgumentException(
            "nodes are not in the order of their ids: " + owners.get(i));
      }
    }
    return new Reader(bytes).table(owners);
  }

  private static final class Reader {

    private final byte[] bytes;
    private int at;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    SliceTable table(List<String> owners) {
      long[] starts = new long[Math.min(bytes.length / 2, MOST_INTERVALS + 1)];
      int[] ownerOf = new int[starts.length];
      boolean[] seen = new boolean[owners.size()];
      long start = 0;
      int count = 0;
      while (at < bytes.length) {
        long length = number();
        long owner = number();
        if (length < 1 || length > UNITS - start || owner < 0 || owner >= owners.size()) {
          throw new IllegalArgumentException(
              "interval " + count + " has length " + length + " and owner " + owner);
        }
        if (count > 0 && ownerOf[count - 1] == owner) {
          throw new IllegalArgumentException(
              "interval " + count + " repeats its neighbour's owner");
        }
        if (count == starts.length) {
          throw new IllegalArgumentException("has more than " + MOST_INTERVALS + " intervals");
        }
        starts[count] = start;
        ownerOf[count++] = (int) owner;
        seen[(int) owner] = true;
        start += length;
      }
      if (start != UNITS && count > 0 || count == 0 && !owners.isEmpty()) {
        throw new IllegalArgumentException("doesn't cover the whole ring");
      }
      for (int owner = 0; owner < seen.length; owner++) {
        if (!seen[owner]) {
          throw new IllegalArgumentException(
              "node " + owners.get(owner) + " is listed without an interval");
        }
      }
      return new SliceTable(owners, Arrays.copyOf(starts, count), Arrays.copyOf(ownerOf, count));
    }

    private long number() {
      long number = 0;
      for (int shift = 0; shift < 63; shift += 7) {
        if (at == bytes.length) {
          throw new IllegalArgumentException("is cut short");
        }
        byte octet = bytes[at++];
        number |= (octet & 0x7fL) << shift;
        if (octet >= 0) {
          return number;
        }
      }
      throw new IllegalArgumentException("has a number that is too large");
    }
  }

  /** The units that have another owner in the other table; all of them if one table is empty. */
  public long unitsMovedTo(SliceTable other) {
    if (starts.length == 0 || other.starts.length == 0) {
      return starts.length == other.starts.length ? 0 : UNITS;
    }
    Map<String, Integer> index = new HashMap<>();
    for (int i = 0; i < owners.size(); i++) {
      index.put(owners.get(i), i);
    }
    long moved = 0;
    long at = 0;
    int i = 0;
    int j = 0;
    while (i < starts.length && j < other.starts.length) {
      long next = Math.min(end(i), other.end(j));
      int same = index.getOrDefault(other.owners.get(other.ownerOf[j]), -1);
      moved += same == ownerOf[i] ? 0 : next - at;
      at = next;
      i += end(i) == next ? 1 : 0;
      j += other.end(j) == next ? 1 : 0;
    }
    return moved;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SliceTable table
        && owners.equals(table.owners)
        && Arrays.equals(starts, table.starts)
        && Arrays.equals(ownerOf, table.ownerOf);
  }

  @Override
  public int hashCode() {
    return 31 * owners.hashCode() + Arrays.hashCode(starts);
  }

  @Override
  public String toString() {
    return "SliceTable[" + owners.size() + " owners, " + starts.length + " intervals]";
  }
}
