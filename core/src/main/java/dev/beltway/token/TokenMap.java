package dev.beltway.token;

import java.util.Arrays;

/**
 * The compiled lookup structure of one epoch: sorted tokens and the owner of each range {@code
 * (previous token, token]}.
 *
 * <p>Owners are ordinals, 0 to {@link #owners()} − 1; whoever builds the map decides what they
 * stand for and orders them so that the smaller ordinal wins where tokens are equal. Positions and
 * tokens are unsigned. Immutable, so safe for use by any number of threads; a lookup allocates
 * nothing.
 *
 * <p>A lookup takes O(1) expected time for well mixed tokens and O(log tokens) at worst, whatever
 * the tokens are. The map takes at most 16 bytes a token where nodes have two tokens or more on
 * average.
 */
public final class TokenMap {

  /*
   * The tokens are spread evenly, so the top bits of a position nearly tell where in the sorted
   * array its owner stands. `firsts` has one entry per value of the top `bucketBits` bits, at least
   * as many as there are tokens: the index of the first token in that bucket. A lookup reads two
   * neighbouring entries of it and then the few tokens between them.
   *
   * An entry of `points` packs a token and its owner into one long, so that finding the token is
   * finding the owner, in the same cache line. The bits come from the bucket: within a bucket the
   * top bits are known, so the token's upper `ownerBits` = `bucketBits` − 1 bits are shifted out and
   * the owner's ordinal fills the space at the bottom. Dropping one bit less than the bucket knows
   * keeps all entries of a bucket within one aligned window of 2⁶³, so the sign of a wrapping
   * subtraction compares two of them without a branch; no prediction can fail there, and successive
   * lookups overlap in the processor. Entries of other buckets may compare wrongly: the end of the
   * bucket, where the search stops, takes care of that.
   *
   * Points sort by (token, ordinal), equal tokens included, since the ordinal is the low part. Three
   * compared tokens are enough for 98 % of the buckets at one token a bucket; fuller ones, which only
   * few buckets have unless the hash is weak, are searched by halving.
   */
  static final int COMPARED_AT_ONCE = 3;

  /** The empty map: no tokens, no owner. */
  public static final TokenMap EMPTY =
      new TokenMap(0, 1, new long[COMPARED_AT_ONCE], new int[3], 0);

  final int size;
  final int owners;
  final int bucketBits;
  final int ownerBits;
  final int shift;
  final long ownerMask;
  final long[] points;
  final int[] firsts;

  TokenMap(int size, int bucketBits, long[] points, int[] firsts, int owners) {
    this.size = size;
    this.owners = owners;
    this.bucketBits = bucketBits;
    this.ownerBits = bucketBits - 1;
    this.shift = Long.SIZE - bucketBits;
    this.ownerMask = (1L << ownerBits) - 1;
    this.points = points;
    this.firsts = firsts;
    // Past the last token the first one owns: one more entry instead of a branch in every lookup.
    points[size] = points[0];
  }

  /**
   * Builds a map from tokens grouped by owner: first {@code counts[0]} tokens of owner 0, then
   * {@code counts[1]} of owner 1, and so on, in any order within a group. O(tokens) expected,
   * O(tokens log tokens) at worst. The arrays are read only.
   *
   * @throws IllegalArgumentException if the counts don't add up to the number of tokens
   */
  public static TokenMap of(long[] tokens, int[] counts) {
    checkCounts(tokens, counts);
    if (tokens.length == 0) {
      return EMPTY;
    }
    int bucketBits = bucketBits(tokens.length, counts.length);
    int shift = Long.SIZE - bucketBits;
    int ownerBits = bucketBits - 1;
    int buckets = 1 << bucketBits;

    int[] firsts = new int[buckets + 1];
    for (long token : tokens) {
      firsts[(int) (token >>> shift)]++;
    }
    int sum = 0;
    for (int bucket = 0; bucket <= buckets; bucket++) {
      sum += firsts[bucket];
      firsts[bucket] = sum;
    }
    // Each `firsts` entry is now its bucket's end; filling from the back turns it into the begin.
    long[] points = new long[tokens.length + COMPARED_AT_ONCE];
    int at = tokens.length;
    for (int owner = counts.length - 1; owner >= 0; owner--) {
      for (int i = 0; i < counts[owner]; i++) {
        long token = tokens[--at];
        points[--firsts[(int) (token >>> shift)]] = token << ownerBits | owner;
      }
    }
    for (int bucket = 0; bucket < buckets; bucket++) {
      sort(points, firsts[bucket], firsts[bucket + 1]);
    }
    return new TokenMap(tokens.length, bucketBits, points, firsts, counts.length);
  }

  static void checkCounts(long[] tokens, int[] counts) {
    long sum = 0;
    for (int count : counts) {
      if (count < 0) {
        throw new IllegalArgumentException("a token count of " + count + " is negative");
      }
      sum += count;
    }
    if (sum != tokens.length) {
      throw new IllegalArgumentException(
          "counts add up to " + sum + ", but there are " + tokens.length + " tokens");
    }
  }

  /** One bucket for each token at least, and room for an owner's ordinal in one bit less. */
  static int bucketBits(int tokens, int owners) {
    int forTokens = Integer.SIZE - Integer.numberOfLeadingZeros(tokens - 1);
    int forOwners = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(owners, 1) - 1) + 1;
    return Math.max(1, Math.max(forTokens, forOwners));
  }

  private static void sort(long[] points, int from, int to) {
    if (to - from > 16) {
      // Signed order is the order here: the top bit is the same throughout a bucket.
      Arrays.sort(points, from, to);
      return;
    }
    for (int i = from + 1; i < to; i++) {
      long point = points[i];
      int j = i;
      while (j > from && points[j - 1] > point) {
        points[j] = points[j - 1];
        j--;
      }
      points[j] = point;
    }
  }

  /** The number of tokens. */
  public int size() {
    return size;
  }

  /** The number of owners, some of which may have no token; 0 for a map without tokens. */
  public int owners() {
    return owners;
  }

  /**
   * The ordinal of the position's owner: that of the first token ≥ {@code position}, unsigned,
   * wrapping past the top.
   *
   * <p>The map must not be empty; on an empty map the result means nothing.
   */
  public int ownerAt(long position) {
    return (int) (points[indexAt(position)] & ownerMask);
  }

  /**
   * The ordinal of the owner of a token further on: with 0 that of {@link #ownerAt(long)}, with 1
   * that of the next token clockwise, and so on. The map must not be empty.
   *
   * @param steps 0 to {@link #size()}
   */
  public int ownerAt(long position, int steps) {
    int index = indexAt(position) + steps;
    return (int) (points[index < size ? index : (index - size) % size] & ownerMask);
  }

  /** The index of the first point at or after the position; {@code size} stands for index 0. */
  private int indexAt(long position) {
    int bucket = (int) (position >>> shift);
    int from = firsts[bucket];
    int to = firsts[bucket + 1];
    long sought = position << ownerBits;
    if (to - from > COMPARED_AT_ONCE) {
      return search(from, to, sought);
    }
    long first = points[from] - sought;
    long second = first & points[from + 1] - sought;
    long third = second & points[from + 2] - sought;
    return Math.min(from + (int) ((first >>> 63) + (second >>> 63) + (third >>> 63)), to);
  }

  int search(int from, int to, long sought) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (points[middle] - sought < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Writes the first distinct owners clockwise from the position into {@code into}, the owner of
   * the position first, and returns how many there are: {@code into.length}, or fewer if fewer own
   * tokens. Allocates nothing. Visits each token once at most.
   */
  public int walk(long position, int[] into) {
    if (size == 0) {
      return 0;
    }
    int most = Math.min(into.length, owners);
    int found = 0;
    int index = indexAt(position);
    if (index == size) {
      index = 0;
    }
    for (int visited = 0; visited < size && found < most; visited++) {
      int owner = (int) (points[index] & ownerMask);
      if (!contains(into, found, owner)) {
        into[found++] = owner;
      }
      if (++index == size) {
        index = 0;
      }
    }
    return found;
  }

  private static boolean contains(int[] owners, int count, int owner) {
    for (int i = 0; i < count; i++) {
      if (owners[i] == owner) {
        return true;
      }
    }
    return false;
  }

  /** Takes one token after the other; see {@link #forEachToken}. */
  @FunctionalInterface
  public interface TokenVisitor {
    /** One token and its owner's ordinal. */
    void visit(long token, int owner);
  }

  /** Takes one range after the other; see {@link #forEachRange}. */
  @FunctionalInterface
  public interface RangeVisitor {
    /** The range {@code (start, end]} and its owner's ordinal. */
    void visit(long start, long end, int owner);
  }

  /** All tokens, equal ones included, in ascending unsigned order, ties by ordinal. */
  public void forEachToken(TokenVisitor visitor) {
    for (int bucket = 0; bucket + 1 < firsts.length; bucket++) {
      long top = (long) (bucket >>> 1) << (Long.SIZE - ownerBits);
      for (int i = firsts[bucket]; i < firsts[bucket + 1]; i++) {
        visitor.visit(top | points[i] >>> ownerBits, (int) (points[i] & ownerMask));
      }
    }
  }

  /**
   * All ranges in ascending order of their ends, neighbours of one owner joined, except across the
   * top of the ring; the first range wraps. A sole owner has one range, the whole ring.
   */
  public void forEachRange(RangeVisitor visitor) {
    Boundaries boundaries = Boundaries.of(this);
    int count = boundaries.count();
    for (int i = 0; i < count; i++) {
      long start = boundaries.end((i == 0 ? count : i) - 1);
      visitor.visit(start, boundaries.end(i), boundaries.owner(i));
    }
  }

  /** Takes one range after the other; see {@link #forEachCommonRange}. */
  @FunctionalInterface
  public interface CommonRangeVisitor {
    /** The range {@code (start, end]} with its owner's ordinal in either map. */
    void visit(long start, long end, int firstOwner, int secondOwner);
  }

  /**
   * The ring cut at every boundary of either map, in ascending order of the ranges' ends,
   * neighbours with the same pair of owners joined. Covers the ring exactly once; the first range
   * wraps. O(tokens of both). Visits nothing if one of the maps is empty.
   */
  public static void forEachCommonRange(
      TokenMap first, TokenMap second, CommonRangeVisitor visitor) {
    if (first.size == 0 || second.size == 0) {
      return;
    }
    Boundaries a = Boundaries.of(first);
    Boundaries b = Boundaries.of(second);
    long lastEnd = max(a.end(a.count() - 1), b.end(b.count() - 1));
    long start = lastEnd;
    int i = 0;
    int j = 0;
    while (i < a.count() || j < b.count()) {
      int ownerA = a.owner(i % a.count());
      int ownerB = b.owner(j % b.count());
      long end = 0;
      boolean same = true;
      while (same && (i < a.count() || j < b.count())) {
        end = i == a.count() ? b.end(j) : j == b.count() ? a.end(i) : min(a.end(i), b.end(j));
        i += i < a.count() && a.end(i) == end ? 1 : 0;
        j += j < b.count() && b.end(j) == end ? 1 : 0;
        same = a.owner(i % a.count()) == ownerA && b.owner(j % b.count()) == ownerB;
      }
      visitor.visit(start, end, ownerA, ownerB);
      start = end;
    }
  }

  private static long max(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0 ? a : b;
  }

  private static long min(long a, long b) {
    return Long.compareUnsigned(a, b) <= 0 ? a : b;
  }

  /** The owned part of the ring by ordinal; the sum is the whole ring unless the map is empty. */
  public Share[] shares() {
    long[] units = new long[owners];
    Share[] shares = new Share[owners];
    Arrays.fill(shares, Share.NONE);
    forEachRange(
        (start, end, owner) -> {
          units[owner] += end - start;
          shares[owner] = Share.between(start, end);
        });
    for (int owner = 0; owner < owners; owner++) {
      shares[owner] = shares[owner].whole() ? Share.WHOLE : Share.of(units[owner]);
    }
    return shares;
  }

  /** The number of tokens of each owner. */
  public int[] counts() {
    int[] counts = new int[owners];
    for (int i = 0; i < size; i++) {
      counts[(int) (points[i] & ownerMask)]++;
    }
    return counts;
  }

  /** How many tokens equal the one before them: points that own nothing. */
  public int collisions() {
    long[] previous = new long[1];
    int[] seen = new int[2];
    forEachToken(
        (token, owner) -> {
          if (seen[0]++ > 0 && token == previous[0]) {
            seen[1]++;
          }
          previous[0] = token;
        });
    return seen[1];
  }

  /**
   * The part of all positions whose owner is found by a fixed number of comparisons; the others are
   * searched for by halving. Near 1 for well mixed tokens.
   */
  public double directPart() {
    int direct = 0;
    for (int bucket = 0; bucket + 1 < firsts.length; bucket++) {
      direct += firsts[bucket + 1] - firsts[bucket] <= COMPARED_AT_ONCE ? 1 : 0;
    }
    return direct / (double) (firsts.length - 1);
  }

  /** The memory that the map takes, in bytes, without the objects' headers. */
  public long bytes() {
    return (long) points.length * Long.BYTES + (long) firsts.length * Integer.BYTES;
  }

  /**
   * The map after some tokens have left and others have joined: equal to building it anew, but for
   * a small change much quicker, since nothing is hashed or sorted again and the untouched tokens
   * are copied in long runs. O(tokens).
   *
   * @param ordinals the new ordinal of each present owner, never descending, so that ties keep
   *     their order; an owner that leaves for good has the ordinal of the next one that stays
   * @param newOwners the number of owners afterwards
   * @param removed the tokens that leave, grouped by owner
   * @param removedCounts how many leave of each present owner
   * @param added the tokens that join, grouped by owner
   * @param addedCounts how many join of each new owner
   * @throws IllegalArgumentException if a token that should leave is not there, or a count is wrong
   */
  public TokenMap changed(
      int[] ordinals,
      int newOwners,
      long[] removed,
      int[] removedCounts,
      long[] added,
      int[] addedCounts) {
    return new TokenMapChange(this, ordinals, newOwners, removed, removedCounts, added, addedCounts)
        .apply();
  }

  /** Equal if the same owners own the same tokens. */
  @Override
  public boolean equals(Object other) {
    return other instanceof TokenMap map
        && size == map.size
        && owners == map.owners
        && Arrays.equals(points, 0, size, map.points, 0, size)
        && Arrays.equals(firsts, map.firsts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(points);
  }

  @Override
  public String toString() {
    return "TokenMap[" + size + " tokens, " + owners + " owners]";
  }
}
