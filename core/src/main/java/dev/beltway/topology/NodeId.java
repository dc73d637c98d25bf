package dev.beltway.topology;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/** The rules for a node's id: what it may be, and the order of two. */
public final class NodeId {

  /** The longest id, in bytes of UTF-8. */
  public static final int MOST_BYTES = 255;

  /**
   * Ids by their UTF-8 bytes, unsigned, the shorter first where one begins the other. Not the order
   * of {@link String#compareTo}, which compares UTF-16 units and puts U+10000 before U+FFEE.
   */
  public static final Comparator<String> UTF8_ORDER = NodeId::compareAsUtf8;

  private NodeId() {}

  /**
   * Returns the id if it is allowed: 1 to {@value #MOST_BYTES} bytes of UTF-8, no control
   * character, no unpaired surrogate, no space at either end.
   *
   * @throws IllegalArgumentException otherwise
   */
  public static String checked(String id) {
    if (id.isEmpty() || bytes(id).length > MOST_BYTES) {
      throw new IllegalArgumentException(
          "id of " + bytes(id).length + " bytes is outside 1 to " + MOST_BYTES);
    }
    if (!Texts.isPlain(id)) {
      throw new IllegalArgumentException(
          "id \""
              + Texts.visible(id)
              + "\" has a control character, a line separator or half a surrogate pair");
    }
    if (!id.equals(id.strip())) {
      throw new IllegalArgumentException("id \"" + id + "\" begins or ends with a space");
    }
    return id;
  }

  /**
   * Without making the bytes: valid UTF-16 sorts alike but for surrogates, which UTF-8 puts last.
   */
  private static int compareAsUtf8(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        return rank(x) - rank(y);
      }
    }
    return a.length() - b.length();
  }

  /** The place of a UTF-16 unit in the order of UTF-8: surrogates after everything else. */
  private static int rank(char unit) {
    return Character.isSurrogate(unit) ? unit + Character.MAX_VALUE : unit;
  }

  private static byte[] bytes(String id) {
    return id.getBytes(StandardCharsets.UTF_8);
  }
}
