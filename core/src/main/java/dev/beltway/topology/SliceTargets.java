package dev.beltway.topology;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * How many units of the ring each node is to own, given what it owns and what its weight says.
 * Exact arithmetic throughout, so that every program finds the same.
 */
final class SliceTargets {

  private final double[] weights;
  private final long[] current;
  private final long[] fairDown;
  private final long[] fairUp;
  private final long[] targets;

  private SliceTargets(double[] weights, long[] current, long tolerance) {
    this.weights = weights;
    this.current = current;
    int n = weights.length;
    BigInteger[] exact = exact(weights);
    BigInteger sum = Arrays.stream(exact).reduce(BigInteger.ZERO, BigInteger::add);
    BigInteger one = BigInteger.valueOf(1_000_000);
    BigInteger off = BigInteger.valueOf(tolerance);
    BigInteger scaledSum = sum.multiply(one);
    this.fairDown = new long[n];
    this.fairUp = new long[n];
    this.targets = new long[n];
    for (int i = 0; i < n; i++) {
      if (weights[i] > 0) {
        BigInteger units = exact[i].multiply(BigInteger.valueOf(SliceTable.UNITS));
        long lower = Math.max(1, down(units.multiply(one.subtract(off)), scaledSum));
        fairDown[i] = Math.max(1, down(units, sum));
        fairUp[i] = up(units, sum);
        long upper = Math.min(SliceTable.UNITS, up(units.multiply(one.add(off)), scaledSum));
        targets[i] = Math.max(lower, Math.min(upper, current[i]));
      }
    }
  }

  /**
   * The targets, whose sum is the whole ring; 0 for weight 0.
   *
   * @param weights at least one above 0
   * @param tolerance in millionths
   */
  static long[] of(double[] weights, long[] current, long tolerance) {
    SliceTargets targets = new SliceTargets(weights, current, tolerance);
    targets.level();
    return targets.targets;
  }

  /** The weights as whole numbers with the same proportions; a double is a binary fraction. */
  private static BigInteger[] exact(double[] weights) {
    BigDecimal[] decimals =
        Arrays.stream(weights).mapToObj(BigDecimal::new).toArray(BigDecimal[]::new);
    int scale = Arrays.stream(decimals).mapToInt(BigDecimal::scale).max().orElse(0);
    return Arrays.stream(decimals)
        .map(decimal -> decimal.setScale(scale).unscaledValue())
        .toArray(BigInteger[]::new);
  }

  private static long down(BigInteger numerator, BigInteger denominator) {
    return numerator.divide(denominator).longValueExact();
  }

  private static long up(BigInteger numerator, BigInteger denominator) {
    BigInteger[] parts = numerator.divideAndRemainder(denominator);
    return parts[0].longValueExact() + (parts[1].signum() > 0 ? 1 : 0);
  }

  /**
   * Brings the sum to the whole ring: nodes that change anyway go first, then those furthest from
   * their fair share; none goes past its fair share, since the fair shares add up to the ring.
   */
  private void level() {
    long missing = SliceTable.UNITS - Arrays.stream(targets).sum();
    if (missing > 0) {
      missing = raise(missing, fairUp);
    } else if (missing < 0) {
      missing = -lower(-missing, fairDown);
    }
    if (missing != 0) {
      // Only where a weight is so small that the one unit it gets is more than its share.
      int largest = order(Comparator.comparingLong((Integer i) -> targets[i]).reversed())[0];
      targets[largest] += missing;
    }
  }

  private long raise(long missing, long[] most) {
    long left = missing;
    for (int i :
        order(
            Comparator.comparing((Integer i) -> targets[i] <= current[i])
                .thenComparingDouble(i -> targets[i] / weights[i]))) {
      long by = Math.min(left, Math.max(0, most[i] - targets[i]));
      targets[i] += by;
      left -= by;
    }
    return left;
  }

  private long lower(long surplus, long[] least) {
    long left = surplus;
    for (int i :
        order(
            Comparator.comparing((Integer i) -> targets[i] >= current[i])
                .thenComparingDouble(i -> -targets[i] / weights[i]))) {
      long by = Math.min(left, Math.max(0, targets[i] - least[i]));
      targets[i] -= by;
      left -= by;
    }
    return left;
  }

  /** The nodes with a weight, sorted; where the order leaves two equal, by index. */
  private int[] order(Comparator<Integer> comparator) {
    return IntStream.range(0, weights.length)
        .filter(i -> weights[i] > 0)
        .boxed()
        .sorted(comparator.thenComparingInt(i -> i))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
