package dev.beltway.topology;

/**
 * What a node should carry, relative to the others: 2 carries twice as much as 1; 0 is drained and
 * owns nothing.
 *
 * @param value 0, or from {@value #SMALLEST} to {@value #LARGEST}
 */
public record Weight(double value) implements Comparable<Weight> {

  /** The smallest weight above 0. */
  public static final double SMALLEST = 0.000001;

  /** The largest weight. */
  public static final double LARGEST = 1_000_000;

  /** The weight of a node that states none. */
  public static final Weight ONE = new Weight(1);

  /** The weight of a drained node. */
  public static final Weight ZERO = new Weight(0);

  /** Checks the range. */
  public Weight {
    if (!(value == 0 || value >= SMALLEST && value <= LARGEST)) {
      throw new IllegalArgumentException("weight " + text(value) + " is not " + allowed());
    }
    value = value + 0.0; // −0.0 is 0.0.
  }

  /** The allowed range in words. */
  public static String allowed() {
    return "0, or a number from 0.000001 to 1000000";
  }

  /** Whether a node of this weight owns nothing. */
  public boolean isZero() {
    return value == 0;
  }

  @Override
  public int compareTo(Weight other) {
    return Double.compare(value, other.value);
  }

  /** Without a fraction where there is none: {@code 2}, {@code 1.5}. */
  @Override
  public String toString() {
    return text(value);
  }

  private static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
