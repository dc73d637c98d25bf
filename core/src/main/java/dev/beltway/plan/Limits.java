package dev.beltway.plan;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a change must not exceed; meant for CI.
 *
 * @param maxMoved the largest part of all keys that may move, 0 to 1
 * @param maxOverMean the largest load over the fair share afterwards, 1 or more
 * @param maxKeysPerNode the most keys on one node afterwards, 0 or more
 */
public record Limits(
    OptionalDouble maxMoved, OptionalDouble maxOverMean, OptionalLong maxKeysPerNode) {

  /** No limit. */
  public static final Limits NONE =
      new Limits(OptionalDouble.empty(), OptionalDouble.empty(), OptionalLong.empty());

  /** Checks the ranges. */
  public Limits {
    if (maxMoved.isPresent() && !(maxMoved.getAsDouble() >= 0 && maxMoved.getAsDouble() <= 1)) {
      throw new IllegalArgumentException(
          "max moved " + maxMoved.getAsDouble() * 100 + "% is outside 0% to 100%");
    }
    if (maxOverMean.isPresent()
        && !(maxOverMean.getAsDouble() >= 1 && maxOverMean.getAsDouble() <= 1e6)) {
      throw new IllegalArgumentException(
          "max over mean " + maxOverMean.getAsDouble() + " is outside 1 to 1000000");
    }
    if (maxKeysPerNode.isPresent() && maxKeysPerNode.getAsLong() < 0) {
      throw new IllegalArgumentException(
          "max keys per node " + maxKeysPerNode.getAsLong() + " is negative");
    }
  }

  /**
   * One limit held against the plan.
   *
   * @param name {@code max-moved}, {@code max-over-mean} or {@code max-keys-per-node}
   * @param limit the limit
   * @param actual what the plan has
   * @param where the node concerned, or an empty text
   * @param met whether {@code actual} is within the limit
   */
  public record Verdict(String name, double limit, double actual, String where, boolean met) {

    static Verdict of(String name, double limit, double actual, String where) {
      return new Verdict(name, limit, actual, where, actual <= limit);
    }
  }
}
