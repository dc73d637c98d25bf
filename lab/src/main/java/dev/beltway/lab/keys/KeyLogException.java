package dev.beltway.lab.keys;

/** A key log that is damaged or not of the format that it was said to be. */
public final class KeyLogException extends Exception {

  private static final long serialVersionUID = 1L;

  KeyLogException(String problem) {
    super(problem);
  }
}
