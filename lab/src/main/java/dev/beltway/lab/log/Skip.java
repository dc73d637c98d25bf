package dev.beltway.lab.log;

/** Why a line of a log gives no request. */
public enum Skip {
  /** The line is empty. */
  EMPTY("empty"),
  /** The line is longer than {@link KeyLog#MOST_BYTES}. */
  TOO_LONG("too long"),
  /** The line names the columns. */
  HEADER("a header"),
  /** The line is well formed but has no key, as {@code PING} has none. */
  NO_KEY("without a key"),
  /** The field of the key is empty. */
  EMPTY_KEY("with an empty key"),
  /** A call made by a script: the line of the script itself has named its keys. */
  IN_SCRIPT("called by a script"),
  /** The line is not of the format, or a number in it is outside what is allowed. */
  MALFORMED("not of the format, or with a number out of range");

  private final String text;

  Skip(String text) {
    this.text = text;
  }

  /** For people. */
  public String text() {
    return text;
  }

  /** Whether such a line is no reason to doubt the file or the choice of format. */
  public boolean isOrdinary() {
    return this == HEADER || this == NO_KEY || this == IN_SCRIPT;
  }
}
