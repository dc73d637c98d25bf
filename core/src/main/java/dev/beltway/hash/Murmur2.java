package dev.beltway.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** MurmurHash2 (Appleby, 2008) in the two forms that other systems route by. */
final class Murmur2 {

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int M32 = 0x5bd1e995;
  private static final long M64 = 0xc6a4a7935bd1e995L;

  private Murmur2() {}

  /** MurmurHash2, 32 bits. */
  static int hash32(byte[] bytes, int offset, int length, int seed) {
    int h = seed ^ length;
    int at = offset;
    int end = offset + length;
    for (; end - at >= Integer.BYTES; at += Integer.BYTES) {
      int k = (int) INTS.get(bytes, at) * M32;
      k ^= k >>> 24;
      h = h * M32 ^ k * M32;
    }
    if (at < end) {
      for (int i = end - 1; i >= at; i--) {
        h ^= (bytes[i] & 0xff) << (8 * (i - at));
      }
      h *= M32;
    }
    h ^= h >>> 13;
    h *= M32;
    return h ^ h >>> 15;
  }

  /** MurmurHash64A, 64 bits. */
  static long hash64(byte[] bytes, int offset, int length, long seed) {
    long h = seed ^ length * M64;
    int at = offset;
    int end = offset + length;
    for (; end - at >= Long.BYTES; at += Long.BYTES) {
      long k = (long) LONGS.get(bytes, at) * M64;
      k = (k ^ k >>> 47) * M64;
      h = (h ^ k) * M64;
    }
    if (at < end) {
      for (int i = end - 1; i >= at; i--) {
        h ^= (bytes[i] & 0xffL) << (8 * (i - at));
      }
      h *= M64;
    }
    h = (h ^ h >>> 47) * M64;
    return h ^ h >>> 47;
  }

  /** The eight bytes from {@code at}, little-endian; for the mixers beside this one. */
  static int intAt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }
}
