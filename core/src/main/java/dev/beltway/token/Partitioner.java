package dev.beltway.token;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;

/**
 * Key to position: the hash tag if tags are on, then the hash, then slots if the algorithm has
 * them.
 *
 * <p>Two placements with equal partitioners put every key at the same position, which is what makes
 * their difference exact. Immutable; equality is by value.
 *
 * @param hash the hash function
 * @param hashTags whether Redis's {@link HashTag} rule comes first
 * @param slots 0 for a position per hash value, else the number of slots, 1 to 65,536: the position
 *     is then that of slot {@code hash mod slots}
 */
public record Partitioner(HashFunction hash, boolean hashTags, int slots) {

  /** The largest number of slots. */
  public static final int MOST_SLOTS = 65_536;

  /** Checks the ranges. */
  public Partitioner {
    if (slots < 0 || slots > MOST_SLOTS) {
      throw new IllegalArgumentException("slots " + slots + " is outside 0 to " + MOST_SLOTS);
    }
  }

  /** Positions are hash values. */
  public static Partitioner of(HashFunction hash, boolean hashTags) {
    return new Partitioner(hash, hashTags, 0);
  }

  /** Positions are slots by CRC16, as in Redis Cluster. */
  public static Partitioner slots(int slots, boolean hashTags) {
    if (slots < 1) {
      throw new IllegalArgumentException("slots " + slots + " is outside 1 to " + MOST_SLOTS);
    }
    return new Partitioner(HashFunctions.CRC16, hashTags, slots);
  }

  /**
   * Whether keys can be anywhere on the ring, so that a share of the ring is a share of the keys.
   * False where the hash leaves most of the ring empty; then only counting keys tells anything.
   */
  public boolean coversRing() {
    return !PeerHashes.leavesRingEmpty(hash);
  }

  /** The position of a key. Allocates nothing. O(length). */
  public long position(byte[] key, int offset, int length) {
    int from = offset;
    int count = length;
    if (hashTags) {
      long bounds = HashTag.bounds(key, offset, length);
      from = HashTag.begin(bounds);
      count = HashTag.end(bounds) - from;
    }
    return slots == 0
        ? hash.position(key, from, count)
        : slotPosition(slotOf(hash.hash(key, from, count), slots), slots);
  }

  /** The position of a whole array; see {@link #position(byte[], int, int)}. */
  public long position(byte[] key) {
    return position(key, 0, key.length);
  }

  /**
   * The position of the key's UTF-8 bytes. Allocates nothing, except a substring for a key with a
   * hash tag.
   */
  public long position(String key) {
    if (slots == 0 && !hashTags) {
      return hash.position(key);
    }
    String hashed = hashTags ? HashTag.of(key) : key;
    return slots == 0
        ? hash.position(hashed)
        : slotPosition(slotOf(hash.hash(hashed), slots), slots);
  }

  /**
   * The position where a slot's keys stand: the slot left-aligned, {@code ⌈slot · 2⁶⁴ / slots⌉};
   * {@code slot << 50} for 16,384 slots. Slot {@code s} has the range {@code (position(s) − 1,
   * position(s + 1) − 1]}, the last one ending at 2⁶⁴ − 1.
   */
  public static long slotPosition(int slot, int slots) {
    if ((slots & (slots - 1)) == 0) {
      return slot == 0 ? 0 : (long) slot << (64 - Integer.numberOfTrailingZeros(slots));
    }
    // ⌈slot · 2⁶⁴ / slots⌉ by two steps of long division in base 2³².
    long high = ((long) slot << Integer.SIZE) / slots;
    long remainder = ((long) slot << Integer.SIZE) % slots;
    long low = ((remainder << Integer.SIZE) + slots - 1) / slots;
    return (high << Integer.SIZE) + low;
  }

  /** The slot that holds the position: the inverse of {@link #slotPosition}. */
  public static int slotAt(long position, int slots) {
    // The upper half of an unsigned product; Math.unsignedMultiplyHigh came with JDK 18.
    return (int) (Math.multiplyHigh(position, slots) + ((position >> 63) & slots));
  }

  private static int slotOf(long hash, int slots) {
    return (int) Long.remainderUnsigned(hash, slots);
  }
}
