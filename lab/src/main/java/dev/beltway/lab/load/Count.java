package dev.beltway.lab.load;

/**
 * A number that was counted, or estimated with bounds.
 *
 * @param estimate the most likely number
 * @param lower the number is this at least
 * @param upper the number is this at most
 */
public record Count(double estimate, double lower, double upper) {

  /** Checks the order. */
  public Count {
    if (!(lower <= estimate && estimate <= upper)) {
      throw new IllegalArgumentException(
          "an estimate of " + estimate + " is outside " + lower + " to " + upper);
    }
  }

  /** A number that is known. */
  public static Count exactly(long number) {
    return new Count(number, number, number);
  }

  /** The same with what else is known: the number is {@code most} at most. */
  public Count atMost(double most) {
    return new Count(Math.min(estimate, most), Math.min(lower, most), Math.min(upper, most));
  }

  /** Whether the number is known. */
  public boolean isExact() {
    return lower == upper;
  }

  /** The larger distance of a bound, relative to the estimate; 0 if exact. */
  public double error() {
    return estimate == 0 ? 0 : Math.max(upper - estimate, estimate - lower) / estimate;
  }
}
