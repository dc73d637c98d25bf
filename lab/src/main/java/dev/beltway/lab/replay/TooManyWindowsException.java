package dev.beltway.lab.replay;

/** The windows of a replay are too small for its log. */
public final class TooManyWindowsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TooManyWindowsException(long window) {
    super(
        String.format(
            "the log has more than %,d windows of %,d requests; choose larger ones",
            Windows.MOST, window));
  }
}
