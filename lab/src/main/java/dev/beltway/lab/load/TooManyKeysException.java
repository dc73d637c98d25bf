package dev.beltway.lab.load;

/** A log has more keys than are told apart exactly. */
public final class TooManyKeysException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TooManyKeysException(long mostKeys, long mostBytes) {
    super(
        String.format(
            "the log has more than %,d different keys or %,d bytes of them, the most that are told"
                + " apart exactly",
            mostKeys, mostBytes));
  }
}
