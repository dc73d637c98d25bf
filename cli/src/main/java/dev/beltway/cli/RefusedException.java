package dev.beltway.cli;

/** What was asked for is not done, for a reason that is told. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1;

  RefusedException(String reason, String remedy) {
    super(reason + (remedy.isEmpty() ? "" : "\n  what helps: " + remedy));
  }
}
