package dev.beltway.hash;

/** Hash functions by Bob Jenkins, as other systems route by them. */
final class Jenkins {

  private Jenkins() {}

  /** One-at-a-time, with bytes extended by their sign as C's {@code char} is on most machines. */
  static int oneAtATime(byte[] bytes, int offset, int length) {
    int h = 0;
    for (int i = offset; i < offset + length; i++) {
      h += bytes[i];
      h += h << 10;
      h ^= h >>> 6;
    }
    h += h << 3;
    h ^= h >>> 11;
    return h + (h << 15);
  }

  /** lookup3's {@code hashlittle} (2006), its 32-bit result. */
  static int lookup3(byte[] bytes, int offset, int length, int initial) {
    int a = 0xdeadbeef + length + initial;
    int b = a;
    int c = a;
    int at = offset;
    int left = length;
    for (; left > 12; left -= 12, at += 12) {
      a += Murmur2.intAt(bytes, at);
      b += Murmur2.intAt(bytes, at + 4);
      c += Murmur2.intAt(bytes, at + 8);
      a = a - c ^ Integer.rotateLeft(c, 4);
      c += b;
      b = b - a ^ Integer.rotateLeft(a, 6);
      a += c;
      c = c - b ^ Integer.rotateLeft(b, 8);
      b += a;
      a = a - c ^ Integer.rotateLeft(c, 16);
      c += b;
      b = b - a ^ Integer.rotateLeft(a, 19);
      a += c;
      c = c - b ^ Integer.rotateLeft(b, 4);
      b += a;
    }
    if (left == 0) {
      return c;
    }
    a += upToFour(bytes, at, left);
    b += upToFour(bytes, at + 4, left - 4);
    c += upToFour(bytes, at + 8, left - 8);
    c = (c ^ b) - Integer.rotateLeft(b, 14);
    a = (a ^ c) - Integer.rotateLeft(c, 11);
    b = (b ^ a) - Integer.rotateLeft(a, 25);
    c = (c ^ b) - Integer.rotateLeft(b, 16);
    a = (a ^ c) - Integer.rotateLeft(c, 4);
    b = (b ^ a) - Integer.rotateLeft(a, 14);
    return (c ^ b) - Integer.rotateLeft(b, 24);
  }

  private static int upToFour(byte[] bytes, int at, int left) {
    int word = 0;
    for (int i = Math.min(left, Integer.BYTES) - 1; i >= 0; i--) {
      word = word << 8 | bytes[at + i] & 0xff;
    }
    return word;
  }

  /** The mixer of one integer that HAProxy calls its full hash: a bijection of 32 bits. */
  static int fullMix(int value) {
    int a = value;
    a = a + 0x7ed55d16 + (a << 12);
    a = a ^ 0xc761c23c ^ a >>> 19;
    a = a + 0x165667b1 + (a << 5);
    a = a + 0xd3a2646c ^ a << 9;
    a = a + 0xfd7046c5 + (a << 3);
    a = a ^ 0xb55a4f09 ^ a >>> 16;
    return a * 0xc0000001; // 3221225473
  }
}
