package dev.beltway.lab.replay;

import java.util.Locale;

/** How a cluster gets from one topology to the next. */
public enum Mode {
  /** It doesn't: what the caches would have answered without a change. */
  UNCHANGED,
  /** Requests go to the new owners at once; the new owners know nothing. */
  COLD,
  /**
   * Requests go to the new owners at once; on a miss the new owner's key is read from the old one
   * and kept. A key that is written or deleted goes from the old owner.
   */
  WARM,
  /** Keys are moved to their new owners before requests go there. */
  LIVE;

  /** As it is written for people and machines, such as {@code cold}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
