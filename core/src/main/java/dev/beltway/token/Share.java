package dev.beltway.token;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * An exact part of the ring: a number of positions out of 2⁶⁴, from none to all. Immutable.
 *
 * @param units the number of positions, unsigned; 0 for the whole
 * @param whole whether this is the whole ring, whose 2⁶⁴ positions don't fit into {@code units}
 */
public record Share(long units, boolean whole) implements Comparable<Share> {

  /** Nothing. */
  public static final Share NONE = new Share(0, false);

  /** The whole ring. */
  public static final Share WHOLE = new Share(0, true);

  private static final double POSITIONS = 0x1p64;

  /** Checks that a whole has no units beside it. */
  public Share {
    if (whole && units != 0) {
      throw new IllegalArgumentException("a whole share has 0 units, not " + units);
    }
  }

  /** So many positions, unsigned, less than all of them. */
  public static Share of(long units) {
    return units == 0 ? NONE : new Share(units, false);
  }

  /** The width of the range {@code (start, end]}; the whole ring where they are equal. */
  public static Share between(long start, long end) {
    return start == end ? WHOLE : of(end - start);
  }

  /**
   * The sum.
   *
   * @throws ArithmeticException if it is more than the whole ring
   */
  public Share plus(Share other) {
    if (isNone()) {
      return other;
    }
    if (other.isNone()) {
      return this;
    }
    long sum = units + other.units;
    boolean carry = Long.compareUnsigned(sum, units) < 0;
    if (whole || other.whole || carry && sum != 0) {
      throw new ArithmeticException(this + " and " + other + " are more than the whole ring");
    }
    return carry ? WHOLE : of(sum);
  }

  /** Whether this is nothing. */
  public boolean isNone() {
    return units == 0 && !whole;
  }

  /** As a fraction from 0 to 1, to the precision of a double. */
  public double fraction() {
    return whole ? 1.0 : positions().doubleValue() / POSITIONS;
  }

  /** As an exact number of positions, 0 to 2⁶⁴. */
  public BigInteger positions() {
    if (whole) {
      return BigInteger.ONE.shiftLeft(Long.SIZE);
    }
    BigInteger value = BigInteger.valueOf(units >>> 1).shiftLeft(1);
    return (units & 1) == 0 ? value : value.add(BigInteger.ONE);
  }

  @Override
  public int compareTo(Share other) {
    return whole == other.whole
        ? Long.compareUnsigned(units, other.units)
        : Boolean.compare(whole, other.whole);
  }

  /** In percent, with four digits after the point. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(fraction() * 100).setScale(4, java.math.RoundingMode.HALF_EVEN)
        + " %";
  }
}
