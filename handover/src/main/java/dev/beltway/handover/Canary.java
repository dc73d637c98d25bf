package dev.beltway.handover;

import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.token.Partitioner;

/**
 * The mapping in which only some of the keys are where a change takes them: those whose hash falls
 * into some of {@link Way#BUCKETS} buckets. Keys with the same hash tag are in the same one.
 */
public final class Canary extends Waypoint {

  private static final int SHIFT = 48;

  private final Partitioner buckets;
  private final int low;
  private final int high;

  /**
   * Between two mappings.
   *
   * @param low the first bucket whose keys are where {@code to} puts them
   * @param high behind the last one
   */
  public Canary(Placement from, Placement to, int low, int high) {
    super(from, to);
    // The same from either side, whatever the two mappings hash by.
    boolean tags = from.partitioner().hashTags() || to.partitioner().hashTags();
    this.buckets = Partitioner.of(HashFunctions.XXH3_64, tags);
    this.low = low;
    this.high = high;
  }

  /** The ring may have the same hash, and its ranges must not be what the buckets are. */
  private static long mixed(long position) {
    long once = (position ^ position >>> 30) * 0xBF58476D1CE4E5B9L;
    long twice = (once ^ once >>> 27) * 0x94D049BB133111EBL;
    return twice ^ twice >>> 31;
  }

  @Override
  public int ownerIndex(byte[] key, int offset, int length) {
    int bucket = (int) (mixed(buckets.position(key, offset, length)) >>> SHIFT);
    return bucket >= low && bucket < high
        ? indexOfOther(key, offset, length)
        : indexOfOne(key, offset, length);
  }
}
