package dev.beltway.plan;

import dev.beltway.token.Share;
import dev.beltway.token.TokenRange;

/**
 * One range that changes its owner.
 *
 * @param range the positions
 * @param from the owner before
 * @param to the owner afterwards
 */
public record Move(TokenRange range, String from, String to) {

  /** The part of the ring that moves. */
  public Share share() {
    return range.share();
  }
}
