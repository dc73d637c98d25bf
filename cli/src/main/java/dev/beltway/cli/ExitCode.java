package dev.beltway.cli;

/** What the exit codes mean; documented in docs/commands.md. */
final class ExitCode {

  static final int DONE = 0;
  static final int OUR_FAULT = 1;
  static final int BAD_INPUT = 2;
  static final int LIMIT_NOT_MET = 3;

  private ExitCode() {}
}
