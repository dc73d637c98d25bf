package dev.beltway.balance;

import java.util.Arrays;

/**
 * Figures over a list of loads.
 *
 * @param mean the mean
 * @param largest the largest
 * @param smallest the smallest
 * @param cv the population standard deviation over the mean; 0 if the mean is 0
 */
public record Spread(double mean, double largest, double smallest, double cv) {

  /** The figures of the loads; all 0 if there are none. */
  public static Spread of(double... loads) {
    if (loads.length == 0) {
      return new Spread(0, 0, 0, 0);
    }
    double mean = Arrays.stream(loads).average().orElseThrow();
    double variance =
        Arrays.stream(loads).map(x -> (x - mean) * (x - mean)).average().orElseThrow();
    return new Spread(
        mean,
        Arrays.stream(loads).max().orElseThrow(),
        Arrays.stream(loads).min().orElseThrow(),
        mean == 0 ? 0 : Math.sqrt(variance) / mean);
  }

  /** Largest over mean; 1 is even. 0 if there is no load. */
  public double maxOverMean() {
    return mean == 0 ? 0 : largest / mean;
  }

  /** Largest over smallest; infinite if the smallest is 0 and there is load. */
  public double maxOverMin() {
    return largest == 0 ? 0 : largest / smallest;
  }
}
