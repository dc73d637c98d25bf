package dev.beltway.lab.log;

/**
 * Text in double quotes with backslash escapes, as {@code redis-cli monitor} and web servers write
 * it: {@code \" \\ \n \r \t \a \b \v \xHH}; any other escaped character stands for both. Reuses its
 * buffer.
 */
final class Quoted {

  private byte[] bytes = new byte[256];
  private int length;

  /** Forgets what was read. */
  void clear() {
    length = 0;
  }

  /**
   * Reads the quoted text that begins at {@code from} into {@link #bytes()}, in place of what was
   * there, and returns the index behind its closing quote, or −1 if there is none.
   */
  int read(byte[] line, int from, int to) {
    length = 0;
    return append(line, from, to);
  }

  /** The same, behind what was there. */
  int append(byte[] line, int from, int to) {
    if (bytes.length < length + to - from) {
      byte[] larger = new byte[2 * (length + to - from)];
      System.arraycopy(bytes, 0, larger, 0, length);
      bytes = larger;
    }
    int i = from + 1;
    while (i < to) {
      byte c = line[i];
      if (c == '"') {
        return i + 1;
      }
      if (c != '\\' || i + 1 == to) {
        bytes[length++] = c;
        i++;
      } else {
        i = escape(line, i + 1, to);
      }
    }
    return -1;
  }

  private int escape(byte[] line, int at, int to) {
    int plain = "nrtabv".indexOf(line[at]);
    if (plain >= 0) {
      bytes[length++] = (byte) "\n\r\t\u0007\b\u000b".charAt(plain);
      return at + 1;
    }
    if (line[at] == 'x' && at + 2 < to) {
      int high = Character.digit(line[at + 1], 16);
      int low = Character.digit(line[at + 2], 16);
      if (high >= 0 && low >= 0) {
        bytes[length++] = (byte) (high << 4 | low);
        return at + 3;
      }
    }
    if (line[at] != '"' && line[at] != '\\') {
      bytes[length++] = '\\';
    }
    bytes[length++] = line[at];
    return at + 1;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }
}
