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
    /** The node refuses the connection with an error, the call was not sent. */
    REFUSED,
    /** Too much waits for the node already, the call was not sent. */
    BUSY,
    /** It was sent and not answered in time; whether the node did it is not known. */
    SILENT,
    /** It was sent, then the connection was lost; whether the node did it is not known. */
    LOST
  }
}
