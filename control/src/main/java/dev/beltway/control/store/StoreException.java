package dev.beltway.control.store;

import java.io.IOException;

/** The coordination store can't be asked, or what it holds is wrong. */
public final class StoreException extends IOException {

  private static final long serialVersionUID = 1;

  /** With a reason. */
  public StoreException(String text, Throwable cause) {
    super(text, cause);
  }

  /** With a reason. */
  public StoreException(String text) {
    super(text);
  }
}
