package dev.beltway.token;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Redis's hash-tag rule: keys that share a tag share a position.
 *
 * <p>The tag is what stands between the first <code>{</code> and the first <code>}</code> after it,
 * if that is not empty; otherwise the whole key counts. Nesting has no meaning: the tag of <code>
 * foo{{bar}}zap</code> is <code>{bar</code>.
 */
public final class HashTag {

  private HashTag() {}

  /**
   * Where the tag begins and ends: begin in the upper 32 bits, end (exclusive) in the lower; the
   * whole range if there is no tag. Packed in a {@code long}, so that a lookup allocates nothing.
   *
   * @throws IndexOutOfBoundsException if the range is outside the array
   */
  public static long bounds(byte[] key, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, key.length);
    int end = offset + length;
    for (int open = offset; open < end; open++) {
      if (key[open] == '{') {
        for (int close = open + 1; close < end; close++) {
          if (key[close] == '}') {
            return close == open + 1 ? pack(offset, end) : pack(open + 1, close);
          }
        }
        return pack(offset, end);
      }
    }
    return pack(offset, end);
  }

  /** The part of the key that is hashed: the tag, or the key itself if it has none. */
  public static String of(String key) {
    int open = key.indexOf('{');
    if (open < 0) {
      return key;
    }
    int close = key.indexOf('}', open + 1);
    return close <= open + 1 ? key : key.substring(open + 1, close);
  }

  /** The part of the key's UTF-8 bytes that is hashed, as text, for reports. */
  public static String of(byte[] key) {
    long bounds = bounds(key, 0, key.length);
    int begin = begin(bounds);
    return new String(key, begin, end(bounds) - begin, StandardCharsets.UTF_8);
  }

  /** The begin of packed {@link #bounds}. */
  public static int begin(long bounds) {
    return (int) (bounds >>> Integer.SIZE);
  }

  /** The end, exclusive, of packed {@link #bounds}. */
  public static int end(long bounds) {
    return (int) bounds;
  }

  private static long pack(int begin, int end) {
    return (long) begin << Integer.SIZE | end;
  }
}
