package dev.beltway.lab.load;

import dev.beltway.lab.log.Request;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a log does to the nodes of a topology.
 *
 * @param loads what each node gets
 * @param movement what a change does, if one was looked at
 * @param hottest the keys with the most requests
 * @param heaviest the keys with the most bytes; empty where the log has no sizes
 * @param firstTime of a request, in milliseconds since 1970, or {@link Request#NO_TIME}
 * @param lastTime of a request, like {@code firstTime}
 */
public record LoadFindings(
    NodeLoads loads,
    Optional<LogMovement> movement,
    HotList hottest,
    HotList heaviest,
    long firstTime,
    long lastTime) {

  /** The seconds that the log spans; empty where it has no times. */
  public OptionalDouble seconds() {
    return firstTime == Request.NO_TIME
        ? OptionalDouble.empty()
        : OptionalDouble.of((lastTime - firstTime) / 1000.0);
  }

  /**
   * What max over fair can't fall below on these nodes, whatever the placement and its vnodes: the
   * hottest key stays whole. At least 1.
   */
  public double leastMaxOverFair() {
    if (hottest.keys().isEmpty() || loads.requests() == 0) {
      return 1;
    }
    double share = hottest.keys().get(0).amount().lower() / loads.requests();
    return Math.max(1, share / loads.largestFairShare());
  }
}
