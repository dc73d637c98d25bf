package dev.beltway.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.testing.Seeded;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The token map beside a dumb twin: a sorted list searched from its begin. */
class TokenMapTest {

  /** One token of one owner. */
  record Point(long token, int owner) {}

  /** The twin. */
  record Twin(List<Point> points) {

    static Twin of(List<Point> points) {
      List<Point> sorted = new ArrayList<>(points);
      sorted.sort(
          Comparator.<Point, Long>comparing(p -> p.token ^ Long.MIN_VALUE)
              .thenComparing(Point::owner));
      return new Twin(sorted);
    }

    int index(long position) {
      for (int i = 0; i < points.size(); i++) {
        if (Long.compareUnsigned(points.get(i).token, position) >= 0) {
          return i;
        }
      }
      return 0;
    }

    int owner(long position) {
      return points.get(index(position)).owner;
    }

    List<Integer> walk(long position, int most) {
      Set<Integer> owners = new LinkedHashSet<>();
      for (int i = 0; i < points.size() && owners.size() < most; i++) {
        owners.add(points.get((index(position) + i) % points.size()).owner);
      }
      return List.copyOf(owners);
    }
  }

  private static TokenMap map(List<Point> points, int owners) {
    int[] counts = new int[owners];
    long[] tokens = new long[points.size()];
    int at = 0;
    for (int owner = 0; owner < owners; owner++) {
      for (Point point : points) {
        if (point.owner == owner) {
          tokens[at++] = point.token;
          counts[owner]++;
        }
      }
    }
    return TokenMap.of(tokens, counts);
  }

  /** Tokens of every shape: even, narrow, clumped, equal, at the edges. */
  private static List<Point> points(Seeded random, int owners, int count) {
    int shape = random.nextInt(6);
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long token =
          switch (shape) {
            case 0 -> random.nextLong();
            case 1 -> random.nextLong() << 32;
            case 2 -> random.nextLong() << 48;
            case 3 -> (random.nextLong() >>> 40) + (random.oneIn(2) ? Long.MIN_VALUE : 0);
            case 4 -> random.nextInt(3) - 1; // −1, 0 and 1: many equal tokens at the edges.
            default -> random.nextLong() & 0x8000_0000_0000_0003L;
          };
      points.add(new Point(token, random.nextInt(owners)));
    }
    return points;
  }

  private static List<Long> interesting(Seeded random, List<Point> points) {
    List<Long> positions =
        new ArrayList<>(List.of(0L, 1L, -1L, -2L, Long.MIN_VALUE, Long.MAX_VALUE));
    for (int i = 0; i < 60; i++) {
      positions.add(random.nextLong());
      long token = random.pick(points).token;
      positions.addAll(List.of(token - 1, token, token + 1));
    }
    return positions;
  }

  @Test
  void findsWhatALinearSearchFinds() {
    Seeded.forSeeds(
        400,
        random -> {
          int owners = random.between(1, random.oneIn(4) ? 300 : 6);
          List<Point> points =
              points(random, owners, random.between(1, random.oneIn(4) ? 600 : 20));
          Twin twin = Twin.of(points);
          TokenMap map = map(points, owners);
          for (long position : interesting(random, points)) {
            assertThat(map.ownerAt(position)).isEqualTo(twin.owner(position));
            int[] walked = new int[random.between(1, 5)];
            int found = map.walk(position, walked);
            assertThat(Arrays.stream(walked, 0, found).boxed().toList())
                .isEqualTo(twin.walk(position, walked.length));
          }
          List<Point> visited = new ArrayList<>();
          map.forEachToken((token, owner) -> visited.add(new Point(token, owner)));
          assertThat(visited).isEqualTo(twin.points);
        });
  }

  @Test
  void rangesCoverTheRingOnceAndAgreeWithLookups() {
    Seeded.forSeeds(
        300,
        random -> {
          int owners = random.between(1, 8);
          List<Point> points = points(random, owners, random.between(1, 60));
          TokenMap map = map(points, owners);
          List<TokenRange> ranges = new ArrayList<>();
          BigInteger[] total = {BigInteger.ZERO};
          BigInteger[] byOwner = new BigInteger[owners];
          Arrays.fill(byOwner, BigInteger.ZERO);
          map.forEachRange(
              (start, end, owner) -> {
                TokenRange range = new TokenRange(start, end);
                ranges.add(range);
                total[0] = total[0].add(range.share().positions());
                byOwner[owner] = byOwner[owner].add(range.share().positions());
                assertThat(map.ownerAt(end)).isEqualTo(owner);
                assertThat(map.ownerAt(start + 1)).isEqualTo(owner);
              });
          assertThat(total[0]).isEqualTo(BigInteger.ONE.shiftLeft(64));
          for (int owner = 0; owner < owners; owner++) {
            assertThat(map.shares()[owner].positions()).isEqualTo(byOwner[owner]);
          }
          for (int i = 0; i < 20; i++) {
            long position = random.nextLong();
            assertThat(ranges.stream().filter(r -> r.contains(position)).count()).isEqualTo(1);
          }
        });
  }

  @Test
  void aChangeGivesTheMapThatBuildingAnewGives() {
    Seeded.forSeeds(
        600,
        random -> {
          int owners = random.between(1, 12);
          List<Point> points =
              points(random, owners, random.between(1, random.oneIn(3) ? 500 : 40));
          TokenMap map = map(points, owners);
          int newOwners = random.between(1, 12);
          // Each present owner keeps its place in the order, gets a new number, or leaves.
          int[] ordinals = new int[owners];
          boolean[] leaves = new boolean[owners];
          int next = 0;
          for (int owner = 0; owner < owners; owner++) {
            next += random.nextInt(3) == 0 && next < newOwners - 1 ? 1 : 0;
            ordinals[owner] = Math.min(next, newOwners - 1);
            leaves[owner] = next >= newOwners || random.oneIn(6);
            next += leaves[owner] ? 0 : 1;
          }
          List<Point> removed = new ArrayList<>();
          List<Point> after = new ArrayList<>();
          int removeOneIn = random.oneIn(2) ? 20 : 3;
          for (Point point : points) {
            if (leaves[point.owner] || random.oneIn(removeOneIn)) {
              removed.add(point);
            } else {
              after.add(new Point(point.token, ordinals[point.owner]));
            }
          }
          List<Point> added = new ArrayList<>();
          int joining = random.nextInt(random.oneIn(2) ? 4 : 40);
          for (int i = 0; i < joining; i++) {
            long token = random.oneIn(2) ? random.nextLong() : random.pick(points).token;
            added.add(new Point(token, random.nextInt(newOwners)));
          }
          after.addAll(added);
          TokenMap changed =
              map.changed(
                  ordinals,
                  newOwners,
                  tokens(removed, owners),
                  counts(removed, owners),
                  tokens(added, newOwners),
                  counts(added, newOwners));
          assertThat(changed).isEqualTo(after.isEmpty() ? TokenMap.EMPTY : map(after, newOwners));
        });
  }

  private static long[] tokens(List<Point> points, int owners) {
    long[] tokens = new long[points.size()];
    int at = 0;
    for (int owner = 0; owner < owners; owner++) {
      for (Point point : points) {
        if (point.owner == owner) {
          tokens[at++] = point.token;
        }
      }
    }
    return tokens;
  }

  private static int[] counts(List<Point> points, int owners) {
    int[] counts = new int[owners];
    points.forEach(point -> counts[point.owner]++);
    return counts;
  }

  @Test
  void removingATokenThatIsNotThereIsRefused() {
    TokenMap map = TokenMap.of(new long[] {1, 2, 3, 4, 5, 6, 7, 8}, new int[] {4, 4});
    for (int extra = 1; extra <= 8; extra += 7) { // By copying and by building anew.
      long[] removed = new long[extra];
      Arrays.fill(removed, 99);
      int[] removedCounts = {extra, 0};
      assertThatThrownBy(
              () ->
                  map.changed(new int[] {0, 1}, 2, removed, removedCounts, new long[0], new int[2]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no token");
    }
  }

  @Test
  void takesAtMost16BytesAToken() {
    Seeded random = new Seeded(7);
    for (int size : new int[] {1000, 1024, 1025, 10_000, 65_537, 1_000_000}) {
      long[] tokens = new long[size];
      for (int i = 0; i < size; i++) {
        tokens[i] = random.nextLong();
      }
      int[] counts = new int[size / 100];
      Arrays.fill(counts, 100);
      counts[0] += size - 100 * counts.length;
      TokenMap map = TokenMap.of(tokens, counts);
      assertThat((double) map.bytes() / size)
          .as("bytes a token of %d", size)
          .isLessThanOrEqualTo(16.1);
    }
  }

  @Test
  void clumpedTokensAreFoundInLogarithmicTime() {
    // 200,000 tokens in one bucket; a linear search would visit 10^10 of them.
    long[] tokens = new long[200_000];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = 2L * i;
    }
    TokenMap map = TokenMap.of(tokens, new int[] {100_000, 100_000});
    int owned = 0;
    for (int i = 0; i < 400_000; i++) {
      owned += map.ownerAt(i);
    }
    // Owner 0 has the positions 0 to 199,998 and those past the last token, 399,999 and up.
    assertThat(owned).isEqualTo(200_000);
  }

  @Test
  void countsThatDoNotAddUpAreRefused() {
    assertThatThrownBy(() -> TokenMap.of(new long[3], new int[] {1, 1}))
        .hasMessage("counts add up to 2, but there are 3 tokens");
    assertThatThrownBy(() -> TokenMap.of(new long[0], new int[] {1, -1}))
        .hasMessage("a token count of -1 is negative");
  }

  @Test
  void anEmptyMapHasNoRangesAndNoWalk() {
    assertThat(TokenMap.of(new long[0], new int[0])).isSameAs(TokenMap.EMPTY);
    TokenMap.EMPTY.forEachRange((start, end, owner) -> assertThat(true).as("a range").isFalse());
    assertThat(TokenMap.EMPTY.walk(5, new int[3])).isZero();
    assertThat(TokenMap.EMPTY.shares()).isEmpty();
  }
}
