package dev.beltway.lab.trials;

import java.util.Arrays;

/**
 * Where the results of many groups lie.
 *
 * @param p10 a tenth of the groups are below
 * @param median half of the groups are below
 * @param p90 a tenth of the groups are above
 * @param p95 one in twenty is above
 */
public record Quantiles(double p10, double median, double p90, double p95) {

  /** Of one value or more; a quantile is a value that occurred, the upper of two. */
  public static Quantiles of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Quantiles(at(sorted, 0.1), at(sorted, 0.5), at(sorted, 0.9), at(sorted, 0.95));
  }

  private static double at(double[] sorted, double part) {
    return sorted[(int) Math.ceil((sorted.length - 1) * part - 1e-9)];
  }
}
