package dev.beltway.token;

import java.util.Locale;

/**
 * The positions after {@code start} up to and including {@code end}, clockwise, so that a range may
 * wrap past the top. Where both are equal the range is the whole ring. Both are unsigned.
 *
 * @param start the position before the first
 * @param end the last position
 */
public record TokenRange(long start, long end) {

  /** Whether the position lies in the range. */
  public boolean contains(long position) {
    // Distances from `start`, unsigned, with 0 (a full turn) counted as the longest.
    return Long.compareUnsigned(position - start - 1, end - start - 1) <= 0;
  }

  /** The part of the ring that the range covers. */
  public Share share() {
    return Share.between(start, end);
  }

  /** As {@code (start, end]} in hexadecimal. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "(%016x, %016x]", start, end);
  }
}
