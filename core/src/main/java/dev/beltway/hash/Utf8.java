package dev.beltway.hash;

import java.nio.charset.StandardCharsets;

/**
 * Hashing of strings by their UTF-8 bytes without making those bytes an object of their own: short
 * strings are encoded into a buffer that each thread keeps.
 */
final class Utf8 {

  private static final int BUFFER_BYTES = 2048;
  private static final int MOST_BYTES_PER_CHAR = 3;
  private static final int MOST_CHARS = BUFFER_BYTES / MOST_BYTES_PER_CHAR;

  private static final ThreadLocal<byte[]> BUFFER =
      ThreadLocal.withInitial(() -> new byte[BUFFER_BYTES]);

  private Utf8() {}

  static long hash(HashFunction function, String text) {
    if (text.length() > MOST_CHARS) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return function.hash(bytes, 0, bytes.length);
    }
    byte[] buffer = BUFFER.get();
    return function.hash(buffer, 0, encode(text, buffer));
  }

  /**
   * Writes the UTF-8 bytes of {@code text}, returns their number; the buffer must be big enough.
   */
  static int encode(String text, byte[] into) {
    int length = text.length();
    int at = 0;
    while (at < length && text.charAt(at) < 0x80) {
      into[at] = (byte) text.charAt(at);
      at++;
    }
    for (int i = at; i < length; i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        into[at++] = (byte) c;
      } else if (c < 0x800) {
        into[at++] = (byte) (0xc0 | c >> 6);
        into[at++] = (byte) (0x80 | c & 0x3f);
      } else if (!Character.isSurrogate(c)) {
        into[at++] = (byte) (0xe0 | c >> 12);
        into[at++] = (byte) (0x80 | c >> 6 & 0x3f);
        into[at++] = (byte) (0x80 | c & 0x3f);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < length
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        int codePoint = Character.toCodePoint(c, text.charAt(++i));
        into[at++] = (byte) (0xf0 | codePoint >> 18);
        into[at++] = (byte) (0x80 | codePoint >> 12 & 0x3f);
        into[at++] = (byte) (0x80 | codePoint >> 6 & 0x3f);
        into[at++] = (byte) (0x80 | codePoint & 0x3f);
      } else {
        into[at++] = '?';
      }
    }
    return at;
  }
}
