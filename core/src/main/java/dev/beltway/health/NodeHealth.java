package dev.beltway.health;

/**
 * What is known of a node.
 *
 * @param isOut whether it counts as out
 * @param failures bad observations since the last good one
 * @param successes good observations since the last bad one
 * @param lastFailure when the last bad one counted, in milliseconds; −1 for never
 * @param outSince when it was put out last
 * @param times how often it was put out without a calm time between
 */
public record NodeHealth(
    boolean isOut, int failures, int successes, long lastFailure, long outSince, int times) {

  /** Nothing is known yet. */
  public static final NodeHealth UNKNOWN = new NodeHealth(false, 0, 0, -1, -1, 0);
}
