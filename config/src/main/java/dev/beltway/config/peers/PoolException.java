package dev.beltway.config.peers;

/** A pool that can't be taken over or written. The message is one line, fit for a user. */
public final class PoolException extends Exception {

  private static final long serialVersionUID = 1;

  PoolException(String message) {
    super(message.replaceAll("\\p{Cntrl}", " "));
  }

  static PoolException at(int line, String message) {
    return new PoolException("line " + line + ": " + message);
  }
}
