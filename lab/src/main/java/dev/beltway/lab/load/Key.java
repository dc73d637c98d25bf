package dev.beltway.lab.load;

import dev.beltway.lab.log.Request;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The bytes of a key, kept. Immutable; equality is by the bytes. */
public final class Key implements Comparable<Key> {

  private final byte[] bytes;

  private Key(byte[] bytes) {
    this.bytes = bytes;
  }

  static Key of(Request request) {
    int from = request.offset();
    return new Key(Arrays.copyOfRange(request.bytes(), from, from + request.length()));
  }

  /** A key by its UTF-8 bytes. */
  public static Key of(String text) {
    return new Key(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The number of bytes. */
  public int length() {
    return bytes.length;
  }

  /**
   * The key for people: itself if it is UTF-8 of characters that can be seen, else with {@code
   * \xHH} for each byte that isn't printable ASCII. A backslash is doubled in either case, so that
   * no two keys look alike.
   */
  public String text() {
    String text = utf8();
    StringBuilder shown = new StringBuilder();
    if (text != null) {
      return text.replace("\\", "\\\\");
    }
    for (byte b : bytes) {
      if (b == '\\') {
        shown.append("\\\\");
      } else if (b >= 0x20 && b < 0x7f) {
        shown.append((char) b);
      } else {
        shown.append(String.format("\\x%02x", b & 0xff));
      }
    }
    return shown.toString();
  }

  private @Nullable String utf8() {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.codePoints().allMatch(Key::isVisible) ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static boolean isVisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  @Override
  public int compareTo(Key other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return text();
  }
}
