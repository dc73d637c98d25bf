package dev.beltway.placement;

import java.nio.charset.StandardCharsets;

/** The bytes that a vnode's token is the hash of: id, separator, decimal index. Not thread-safe. */
final class VnodeLabel {

  private static final int MOST_DIGITS = 10;

  private final byte[] bytes;
  private final int prefix;

  VnodeLabel(String id, String separator) {
    byte[] start = (id + separator).getBytes(StandardCharsets.UTF_8);
    this.prefix = start.length;
    this.bytes = java.util.Arrays.copyOf(start, start.length + MOST_DIGITS);
  }

  /** The buffer that {@link #encode} writes to. */
  byte[] bytes() {
    return bytes;
  }

  /** Writes the label of an index, 0 or more, and returns its length. */
  int encode(int index) {
    int digits = 1;
    for (int rest = index / 10; rest > 0; rest /= 10) {
      digits++;
    }
    int rest = index;
    for (int at = prefix + digits - 1; at >= prefix; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return prefix + digits;
  }
}
