package dev.beltway.token;

/**
 * The ranges of a token map as two arrays: where each ends and whose it is, in ascending order.
 * Equal tokens are left out, and so are boundaries between ranges of one owner. Positions after the
 * last end belong to the owner of the first range.
 */
final class Boundaries {

  private final long[] ends;
  private final int[] owners;
  private int count;

  private Boundaries(int most) {
    this.ends = new long[most];
    this.owners = new int[most];
  }

  static Boundaries of(TokenMap map) {
    Boundaries boundaries = new Boundaries(map.size());
    long[] lastToken = new long[1];
    map.forEachToken(
        (token, owner) -> {
          boolean equal = boundaries.count > 0 && token == lastToken[0];
          if (!equal) { // Of equal tokens the smallest ordinal comes first, and owns.
            lastToken[0] = token;
            boundaries.add(token, owner);
          }
        });
    return boundaries;
  }

  private void add(long end, int owner) {
    if (count > 0 && owners[count - 1] == owner) {
      ends[count - 1] = end;
    } else {
      ends[count] = end;
      owners[count] = owner;
      count++;
    }
  }

  int count() {
    return count;
  }

  long end(int i) {
    return ends[i];
  }

  int owner(int i) {
    return owners[i];
  }
}
