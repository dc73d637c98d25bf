package dev.beltway.topology;

/** Checks on names that end up in labels, fingerprints and reports. */
final class Texts {

  private Texts() {}

  /** Whether the text is valid Unicode without control characters or line separators. */
  static boolean isPlain(String text) {
    return text.codePoints()
        .noneMatch(
            c ->
                Character.isISOControl(c)
                    || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE
                    || c == 0x2028
                    || c == 0x2029);
  }

  /** The text with what can't be seen written as {@code ?}. */
  static String visible(String text) {
    StringBuilder seen = new StringBuilder();
    text.codePoints()
        .limit(80)
        .forEach(c -> seen.appendCodePoint(isPlain(new String(Character.toChars(c))) ? c : '?'));
    return seen.toString();
  }
}
