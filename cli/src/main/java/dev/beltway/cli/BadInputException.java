package dev.beltway.cli;

/** Input or usage that can't be worked with; the message is the line that the user sees. */
final class BadInputException extends Exception {

  private static final long serialVersionUID = 1L;

  BadInputException(String message) {
    super(message);
  }
}
