package dev.beltway.resp.client;

/**
 * Why a call has no reply.
 *
 * @param kind what is known of it
 * @param text in a few words, for people
 */
public record CallFailure(Kind kind, String text) {

  /** What is known of a call without a reply. */
  public enum Kind {
    /** The node can't be reached, the call was not sent. */
    DOWN,
    /** Too much waits for the node already, the call was not sent. */
    BUSY,
    /** It was sent; whether the node did it is not known. */
    LOST
  }
}
