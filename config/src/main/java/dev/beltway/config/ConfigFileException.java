package dev.beltway.config;

/** A file that can't be used. The message is one line, fit for a user. */
public final class ConfigFileException extends Exception {

  private static final long serialVersionUID = 1L;

  private static final int MOST_CHARS = 400;

  private final int line;
  private final String field;

  ConfigFileException(String file, int line, String field, String problem) {
    super(oneLine(file + (line > 0 ? ":" + line : "") + ": " + prefix(field) + problem));
    this.line = line;
    this.field = field;
  }

  private static String prefix(String field) {
    return field.isEmpty() ? "" : field + ": ";
  }

  /** The line, from 1, or 0 if it is unknown. */
  public int line() {
    return line;
  }

  /** The field, such as {@code nodes[2].weight}, or an empty text for the file as a whole. */
  public String field() {
    return field;
  }

  private static String oneLine(String message) {
    StringBuilder line = new StringBuilder();
    message
        .codePoints()
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .limit(MOST_CHARS)
        .forEach(line::appendCodePoint);
    return line.length() < message.length() ? line + "…" : line.toString();
  }
}
