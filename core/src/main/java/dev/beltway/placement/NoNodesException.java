package dev.beltway.placement;

/** A lookup on a topology without nodes, with drained ones only, or with all of them down. */
public final class NoNodesException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private NoNodesException(String message) {
    super(message);
  }

  /** Names the epoch. */
  public NoNodesException(long epoch, int drained) {
    this(
        drained == 0
            ? "no nodes: the topology of epoch " + epoch + " is empty"
            : "no nodes: all " + drained + " nodes of epoch " + epoch + " are drained");
  }

  static NoNodesException allDown(long epoch, int owners) {
    return new NoNodesException(
        "no nodes: all " + owners + " nodes of epoch " + epoch + " are down");
  }
}
