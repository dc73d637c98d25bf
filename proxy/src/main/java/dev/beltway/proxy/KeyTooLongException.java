package dev.beltway.proxy;

/** A key that is too long to be routed: it would have to be copied to be hashed. */
final class KeyTooLongException extends RuntimeException {

  /** The longest key, in bytes. */
  static final int LONGEST = 1 << 20;

  static final String TEXT = "ERR a key is longer than " + LONGEST + " bytes";

  private static final long serialVersionUID = 1;

  KeyTooLongException() {
    super(TEXT, null, false, false);
  }
}
