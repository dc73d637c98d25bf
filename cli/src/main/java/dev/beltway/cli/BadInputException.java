package dev.beltway.cli;

import dev.beltway.lab.log.Printable;

/** Input or usage that can't be worked with; the message is the line that the user sees. */
final class BadInputException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Whatever a user typed or a file holds, the message stays on one line. */
  private static String oneLine(String message) {
    return Printable.message(message.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", " "));
  }

  BadInputException(String message) {
    super(oneLine(message));
  }
}
