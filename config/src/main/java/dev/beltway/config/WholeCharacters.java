package dev.beltway.config;

import java.io.Reader;

/**
 * Reads a text in pieces that never end between the two halves of a character beyond U+FFFF. The
 * YAML parser looks for the second half past the end of its buffer and fails.
 */
final class WholeCharacters extends Reader {

  private final String text;
  private int at;

  WholeCharacters(String text) {
    this.text = text;
  }

  @Override
  public int read(char[] into, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (at == text.length()) {
      return -1;
    }
    int end = Math.min(text.length(), at + length);
    if (end - at > 1 && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    text.getChars(at, end, into, offset);
    int count = end - at;
    at = end;
    return count;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
