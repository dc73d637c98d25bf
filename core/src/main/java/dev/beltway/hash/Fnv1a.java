package dev.beltway.hash;

/**
 * FNV-1a (Fowler, Noll, Vo), 32 and 64 bits, with the standard offset bases or one of the caller's.
 *
 * <p>Plain FNV-1a is here because others use it. On a ring it clumps: prefer a finalized variant.
 */
public final class Fnv1a {

  /** The standard 32-bit offset basis. */
  public static final int BASIS_32 = 0x811c9dc5;

  /** The standard 64-bit offset basis. */
  public static final long BASIS_64 = 0xcbf29ce484222325L;

  private static final int PRIME_32 = 0x01000193;
  private static final long PRIME_64 = 0x100000001b3L;

  private Fnv1a() {}

  /** FNV-1a 32 of {@code length} bytes from {@code offset}. */
  public static int hash32(byte[] bytes, int offset, int length) {
    int h = BASIS_32;
    for (int i = offset; i < offset + length; i++) {
      h = step32(h, bytes[i] & 0xff);
    }
    return h;
  }

  /** One step of the 32-bit function: {@code octet} is XORed in, then the prime multiplied. */
  public static int step32(int hash, int octet) {
    return (hash ^ octet) * PRIME_32;
  }

  /** FNV-1a 64 of {@code length} bytes from {@code offset}, starting from {@code basis}. */
  public static long hash64(long basis, byte[] bytes, int offset, int length) {
    long h = basis;
    for (int i = offset; i < offset + length; i++) {
      h = (h ^ (bytes[i] & 0xff)) * PRIME_64;
    }
    return h;
  }
}
