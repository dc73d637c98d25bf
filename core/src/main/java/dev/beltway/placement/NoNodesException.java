package dev.beltway.placement;

/** A lookup on a topology without nodes, or with drained ones only. */
public final class NoNodesException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /** Names the epoch. */
  public NoNodesException(long epoch, int drained) {
    super(
        drained == 0
            ? "no nodes: the topology of epoch " + epoch + " is empty"
            : "no nodes: all " + drained + " nodes of epoch " + epoch + " are drained");
  }
}
