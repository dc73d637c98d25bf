package dev.beltway.balance;

/**
 * What a well mixed ring must look like. With n nodes of v vnodes each, a node's share follows
 * Beta(v, nv − v).
 */
public final class Theory {

  private Theory() {}

  /**
   * The coefficient of variation of the load per node: √((n − 1) / (nv + 1)). 0.0 for one node.
   *
   * @param nodes 1 or more
   * @param vnodes a node, 1 or more
   */
  public static double cv(int nodes, double vnodes) {
    if (nodes < 1 || !(vnodes >= 1)) {
      throw new IllegalArgumentException(
          nodes + " nodes of " + vnodes + " vnodes: allowed are 1 or more of each");
    }
    return Math.sqrt((nodes - 1.0) / (nodes * vnodes + 1.0));
  }

  /**
   * The vnodes a node that the CV {@code cv} needs, rounded up: the inverse of {@link #cv}.
   *
   * @param cv above 0
   */
  public static long vnodesFor(int nodes, double cv) {
    if (nodes < 1 || !(cv > 0)) {
      throw new IllegalArgumentException(
          "a CV of " + cv + " over " + nodes + " nodes: allowed is more than 0 over 1 or more");
    }
    return Math.max(1, (long) Math.ceil(((nodes - 1.0) / (cv * cv) - 1.0) / nodes));
  }

  /**
   * The part of all keys that moves when {@code joining} nodes of the same weight join {@code
   * nodes}: joining / (nodes + joining), the least that gives each its share.
   */
  public static double movedByJoining(int nodes, int joining) {
    return (double) joining / (nodes + joining);
  }
}
