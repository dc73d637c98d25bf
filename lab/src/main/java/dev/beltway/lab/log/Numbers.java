package dev.beltway.lab.log;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;

/** Numbers and times as logs write them. */
final class Numbers {

  /** What isn't a number, or is none that is allowed. */
  static final long NONE = -1;

  private static final long LAST_TIME = 253_402_300_799_999L;
  private static final int MOST_DIGITS = 18;

  private Numbers() {}

  /** Digits only, up to {@code most}; else {@link #NONE}. */
  static long whole(byte[] bytes, int from, int to, long most) {
    if (to == from || to - from > MOST_DIGITS) {
      return NONE;
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        return NONE;
      }
      value = 10 * value + digit;
    }
    return value > most ? NONE : value;
  }

  /** A size; a hyphen or nothing at all is 0, as access logs mean it. */
  static long size(byte[] bytes, int from, int to) {
    boolean absent = to == from || to - from == 1 && bytes[from] == '-';
    return absent ? 0 : whole(bytes, from, to, Request.MOST_SIZE);
  }

  /** Seconds, with a fraction or without, as milliseconds; else {@link #NONE}. */
  static long milliseconds(byte[] bytes, int from, int to) {
    int point = from;
    while (point < to && bytes[point] != '.') {
      point++;
    }
    long seconds = whole(bytes, from, point, Long.MAX_VALUE / 10_000);
    if (seconds == NONE || point == to) {
      return seconds == NONE ? NONE : 1000 * seconds;
    }
    int end = Math.min(to, point + 4);
    for (int i = end; i < to; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return NONE;
      }
    }
    long fraction = whole(bytes, point + 1, end, 999);
    for (int i = end - point; i < 4; i++) {
      fraction *= 10;
    }
    return fraction < 0 ? NONE : 1000 * seconds + fraction;
  }

  /**
   * Seconds since 1970, or an instant such as {@code 2015-09-10T00:47:00.496Z}, up to the year
   * 9999; else {@link #NONE}.
   */
  static long time(byte[] bytes, int from, int to) {
    long milliseconds = milliseconds(bytes, from, to);
    if (milliseconds != NONE || to - from < 20) {
      return milliseconds > LAST_TIME ? NONE : milliseconds;
    }
    try {
      long time =
          Instant.parse(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1))
              .toEpochMilli();
      return time < 0 || time > LAST_TIME ? NONE : time;
    } catch (DateTimeException | ArithmeticException e) {
      return NONE;
    }
  }
}
