package dev.beltway.balance;

/**
 * One node's part of all load.
 *
 * @param id the node
 * @param fair the share that its weight gives it, 0 to 1
 * @param share the share that it has, 0 to 1
 */
public record NodeLoad(String id, double fair, double share) {

  /**
   * The share over the fair share; 1 is exact. 0 for a drained node without load, infinite for one
   * with load.
   */
  public double overFair() {
    if (fair == 0) {
      return share == 0 ? 0 : Double.POSITIVE_INFINITY;
    }
    return share / fair;
  }
}
