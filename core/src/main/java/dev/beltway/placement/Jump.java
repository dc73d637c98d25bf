package dev.beltway.placement;

import dev.beltway.topology.Topology;

/** Jump consistent hash (Lamping and Veach, 2014) on the hash's value in its own width. */
final class Jump extends Listed {

  private static final long MULTIPLIER = 2_862_933_555_777_941_757L;

  Jump(Topology topology) {
    super(topology);
  }

  /**
   * The bucket, 0 to {@code buckets} − 1, of a number. O(log buckets) expected.
   *
   * <p>The division comes before the multiplication, as published: other orders round differently
   * for a few numbers in a billion.
   */
  static int bucket(long number, int buckets) {
    long state = number;
    long bucket = -1;
    long next = 0;
    while (next < buckets) {
      bucket = next;
      state = state * MULTIPLIER + 1;
      next = (long) ((bucket + 1) * (0x1p31 / ((state >>> 33) + 1)));
    }
    return (int) bucket;
  }

  @Override
  int index(long hash, int count) {
    return bucket(hash, count);
  }
}
