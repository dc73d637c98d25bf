package dev.beltway.plan;

/**
 * How large a step of a change may be.
 *
 * @param moved part of all keys that a step may move, above 0 and up to 1
 * @param seconds or how long it may last, 0 or more
 * @param ofNode part of a node that a step may change where the whole node is too much, above 0 and
 *     up to 1
 */
public record StepSize(double moved, double seconds, double ofNode) {

  /** 1 % of the keys or 5 seconds, 10 % of a node. */
  public static final StepSize DEFAULT = new StepSize(0.01, 5, 0.1);

  /** Checks the ranges. */
  public StepSize {
    if (!(moved > 0 && moved <= 1)) {
      throw new IllegalArgumentException(
          "a step of " + moved * 100 + "% of the keys is not above 0% and at most 100%");
    }
    if (!(seconds >= 0 && seconds <= 1e9)) {
      throw new IllegalArgumentException(
          "a step of " + seconds + " seconds is outside 0 to 1000000000");
    }
    if (!(ofNode > 0 && ofNode <= 1)) {
      throw new IllegalArgumentException(
          "a step of " + ofNode * 100 + "% of a node is not above 0% and at most 100%");
    }
  }
}
