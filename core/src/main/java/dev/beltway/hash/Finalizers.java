package dev.beltway.hash;

/**
 * Bit mixers that repair a hash whose output clumps.
 *
 * <p>Both are bijections: they lose no information and create no collisions, but spread
 * neighbouring inputs over the whole range. Plain FNV-1a keeps strings that differ in their last
 * characters close together, which starves a ring however many virtual nodes it has.
 */
public final class Finalizers {

  private Finalizers() {}

  /** The 32-bit finalizer of MurmurHash3 (Appleby, 2011). */
  public static int fmix32(int hash) {
    int h = hash;
    h ^= h >>> 16;
    h *= 0x85ebca6b;
    h ^= h >>> 13;
    h *= 0xc2b2ae35;
    h ^= h >>> 16;
    return h;
  }

  /** The output function of SplitMix64 (Steele, Lea and Flood, 2014; constants by Stafford). */
  public static long splitmix64(long hash) {
    long h = hash;
    h = (h ^ (h >>> 30)) * 0xbf58476d1ce4e5b9L;
    h = (h ^ (h >>> 27)) * 0x94d049bb133111ebL;
    return h ^ (h >>> 31);
  }
}
