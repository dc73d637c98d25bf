package dev.beltway.token;

import java.util.Arrays;
import java.util.Locale;

/**
 * One change of a token map; see {@link TokenMap#changed}. A small change merges: the present
 * points are copied in long runs, and only where tokens join or leave is anything looked at. A
 * large one, or one that needs another number of buckets, builds the map anew from the present
 * tokens.
 */
final class TokenMapChange {

  private final TokenMap map;
  private final int[] ordinals;
  private final int newOwners;
  private final long[] removed;
  private final int[] removedCounts;
  private final long[] added;
  private final int[] addedCounts;

  TokenMapChange(
      TokenMap map,
      int[] ordinals,
      int newOwners,
      long[] removed,
      int[] removedCounts,
      long[] added,
      int[] addedCounts) {
    checkLength("ordinals", ordinals.length, map.owners);
    checkLength("removedCounts", removedCounts.length, map.owners);
    checkLength("addedCounts", addedCounts.length, newOwners);
    TokenMap.checkCounts(removed, removedCounts);
    TokenMap.checkCounts(added, addedCounts);
    this.map = map;
    this.ordinals = ordinals;
    this.newOwners = newOwners;
    this.removed = removed;
    this.removedCounts = removedCounts;
    this.added = added;
    this.addedCounts = addedCounts;
  }

  private static void checkLength(String name, int length, int wanted) {
    if (length != wanted) {
      throw new IllegalArgumentException(name + " has " + length + " entries instead of " + wanted);
    }
  }

  TokenMap apply() {
    int newSize = map.size - removed.length + added.length;
    boolean merges =
        newSize > 0
            && removed.length + added.length <= map.size / 4
            && TokenMap.bucketBits(newSize, newOwners) == map.bucketBits;
    return merges
        ? new Merge(newSize)
            .apply(new Points(map, removed, removedCounts), new Points(map, added, addedCounts))
        : rebuilt();
  }

  /** Tokens as points of a map, with their buckets, in ring order. */
  private static final class Points {

    private final int[] buckets;
    private final long[] points;
    private int count;

    Points(TokenMap map, long[] tokens, int[] counts) {
      this.buckets = new int[tokens.length];
      this.points = new long[tokens.length];
      TokenMap.of(tokens, counts)
          .forEachToken(
              (token, owner) -> {
                buckets[count] = (int) (token >>> map.shift);
                points[count++] = token << map.ownerBits | owner;
              });
    }
  }

  /** A new map by merging present points with those that join, in one pass from bottom to top. */
  private final class Merge {

    /** The first owner with a new number, and by how much its number changes. */
    private final int firstMoved;

    private final int movedBy;

    /** Whether all owners from the first on are renumbered by the same: one node joined or left. */
    private final boolean movedAlike;

    private final long[] newPoints;
    private final int[] newFirsts;
    private int read;
    private int written;
    private int bucket;

    Merge(int newSize) {
      this.newPoints = new long[newSize + TokenMap.COMPARED_AT_ONCE];
      this.newFirsts = new int[map.firsts.length];
      int first = 0;
      while (first < ordinals.length && ordinals[first] == first) {
        first++;
      }
      this.firstMoved = first;
      this.movedBy = first == ordinals.length ? 0 : ordinals[first] - first;
      boolean alike = true;
      for (int owner = first; owner < ordinals.length; owner++) {
        alike &= ordinals[owner] - owner == movedBy;
      }
      this.movedAlike = alike;
    }

    TokenMap apply(Points leaving, Points joining) {
      int l = 0;
      int j = 0;
      while (l < leaving.count || j < joining.count) {
        if (j == joining.count || l < leaving.count && leavesFirst(leaving, l, joining, j)) {
          remove(leaving.buckets[l], leaving.points[l]);
          l++;
        } else {
          add(joining.buckets[j], joining.points[j]);
          j++;
        }
      }
      copyUpTo(map.size);
      firstsUpTo(map.firsts.length - 1);
      return new TokenMap(written, map.bucketBits, newPoints, newFirsts, newOwners);
    }

    private boolean leavesFirst(Points leaving, int l, Points joining, int j) {
      return leaving.buckets[l] < joining.buckets[j]
          || leaving.buckets[l] == joining.buckets[j]
              && !isAfter(leaving.points[l], joining.points[j]);
    }

    /** Whether a present point stands after a new one of its bucket. */
    private boolean isAfter(long present, long joining) {
      return renumbered(present) > joining;
    }

    private void remove(int pointBucket, long point) {
      int end = map.firsts[pointBucket + 1];
      // Not before `read`: one of several equal points may have been removed already.
      int at = Math.max(read, map.search(map.firsts[pointBucket], end, point));
      if (at >= end || map.points[at] != point) {
        throw new IllegalArgumentException(
            "owner "
                + (point & map.ownerMask)
                + " has no token in bucket "
                + pointBucket
                + " to remove");
      }
      copyUpTo(at);
      firstsUpTo(pointBucket);
      read++;
    }

    private void add(int pointBucket, long point) {
      int at = Math.max(read, map.firsts[pointBucket]);
      int end = map.firsts[pointBucket + 1];
      while (at < end && !isAfter(map.points[at], point)) {
        at++;
      }
      copyUpTo(at);
      firstsUpTo(pointBucket);
      newPoints[written++] = point;
    }

    private void copyUpTo(int end) {
      int count = end - read;
      if (movedBy == 0) {
        System.arraycopy(map.points, read, newPoints, written, count);
      } else if (movedAlike) {
        copyMovedAlike(count);
      } else {
        for (int i = 0; i < count; i++) {
          newPoints[written + i] = renumbered(map.points[read + i]);
        }
      }
      read = end;
      written += count;
    }

    /** Without a look-up or a branch, so that the compiler makes vector instructions of it. */
    private void copyMovedAlike(int count) {
      long[] from = map.points;
      long[] to = newPoints;
      long mask = map.ownerMask;
      long last = firstMoved - 1L;
      long by = movedBy;
      int offset = read;
      int target = written;
      for (int i = 0; i < count; i++) {
        long point = from[offset + i];
        long isMoved = (last - (point & mask)) >>> 63; // 1 or 0.
        to[target + i] = point + (-isMoved & by);
      }
    }

    private long renumbered(long point) {
      int owner = (int) (point & map.ownerMask);
      return point - owner + ordinals[owner];
    }

    /** Sets the begins of all buckets up to and including {@code last}, shifted by what changed. */
    private void firstsUpTo(int last) {
      int shiftBy = written - read;
      for (; bucket <= last; bucket++) {
        newFirsts[bucket] = map.firsts[bucket] + shiftBy;
      }
    }
  }

  private TokenMap rebuilt() {
    long[][] byOwner = tokensByOwner();
    long[][] kept = new long[newOwners][0];
    int from = 0;
    for (int owner = 0; owner < map.owners; owner++) {
      long[] leaving = Arrays.copyOfRange(removed, from, from + removedCounts[owner]);
      from += removedCounts[owner];
      long[] rest = without(byOwner[owner], leaving, owner);
      if (rest.length > 0) {
        kept[ordinals[owner]] = rest;
      }
    }
    long[] tokens = new long[map.size - removed.length + added.length];
    int[] counts = new int[newOwners];
    int written = 0;
    int read = 0;
    for (int owner = 0; owner < newOwners; owner++) {
      System.arraycopy(kept[owner], 0, tokens, written, kept[owner].length);
      written += kept[owner].length;
      System.arraycopy(added, read, tokens, written, addedCounts[owner]);
      written += addedCounts[owner];
      read += addedCounts[owner];
      counts[owner] = kept[owner].length + addedCounts[owner];
    }
    return TokenMap.of(tokens, counts);
  }

  private long[][] tokensByOwner() {
    int[] counts = map.counts();
    long[][] byOwner = new long[map.owners][];
    for (int owner = 0; owner < map.owners; owner++) {
      byOwner[owner] = new long[counts[owner]];
    }
    int[] fill = new int[map.owners];
    map.forEachToken((token, owner) -> byOwner[owner][fill[owner]++] = token);
    return byOwner;
  }

  private static long[] without(long[] ascending, long[] leaving, int owner) {
    // Signed order of numbers with their top bit turned is unsigned order.
    long[] sorted = Arrays.stream(leaving).map(token -> token ^ Long.MIN_VALUE).sorted().toArray();
    long[] rest = new long[Math.max(0, ascending.length - sorted.length)];
    int at = 0;
    int written = 0;
    for (long token : ascending) {
      if (at < sorted.length && sorted[at] == (token ^ Long.MIN_VALUE)) {
        at++;
      } else if (written < rest.length) {
        rest[written++] = token;
      }
    }
    if (at < sorted.length) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "owner %d has no token %016x to remove",
              owner,
              sorted[at] ^ Long.MIN_VALUE));
    }
    return rest;
  }
}
