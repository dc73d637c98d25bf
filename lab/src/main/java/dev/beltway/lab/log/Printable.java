package dev.beltway.lab.log;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Text of strangers made fit for a terminal: nothing in it moves the cursor, changes colours or
 * turns the direction of writing.
 */
public final class Printable {

  private Printable() {}

  /**
   * Bytes as they are if they are UTF-8 of characters that can be seen, else with {@code \xHH} for
   * each byte that isn't printable ASCII. A backslash is doubled in either case, so that no two
   * different ones are shown by the same characters.
   */
  public static String of(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (text.codePoints().allMatch(Printable::isVisible)) {
        return text.replace("\\", "\\\\");
      }
    } catch (CharacterCodingException e) {
      // Shown byte by byte.
    }
    StringBuilder shown = new StringBuilder();
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

  /** A message with what can't be seen, in the words of others inside it, as {@code ?}. */
  public static String message(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints().forEach(c -> shown.appendCodePoint(isVisible(c) ? c : '?'));
    return shown.toString();
  }

  /** Text cut to so many characters. */
  public static String shortened(String text, int most) {
    return text.codePointCount(0, text.length()) <= most
        ? text
        : text.substring(0, text.offsetByCodePoints(0, most - 1)) + "…";
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
}
