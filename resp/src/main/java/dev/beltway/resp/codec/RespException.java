package dev.beltway.resp.codec;

/** Bytes that are no RESP. After it a connection is out of step and must be closed. */
public final class RespException extends Exception {

  private static final long serialVersionUID = 1;

  /** With what a server says of it, without {@code ERR}. */
  public RespException(String message) {
    super(message);
  }

  /** The message; never null. */
  public String text() {
    return String.valueOf(getMessage());
  }

  /** Says what is wrong with the bytes, not where in the program it was noticed. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
