package dev.beltway.cli;

import dev.beltway.lab.report.Amounts;
import java.time.Duration;
import java.util.Locale;

/** How numbers are written for people, and read from them. */
final class Formats {

  private Formats() {}

  /** A fraction as a percentage with two digits: {@code 20.35 %}. */
  static String percent(double fraction) {
    return Amounts.percent(fraction);
  }

  static String ratio(double ratio) {
    return Amounts.ratio(ratio);
  }

  static String count(long count) {
    return Amounts.count(count);
  }

  static String bytes(double bytes) {
    return Amounts.bytes(bytes);
  }

  static String seconds(double seconds) {
    if (seconds < 10) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    Duration duration = Duration.ofSeconds(Math.round(seconds));
    if (duration.toHours() > 0) {
      return duration.toHours() + " h " + duration.toMinutesPart() + " min";
    }
    return duration.toMinutes() > 0
        ? duration.toMinutes() + " min " + duration.toSecondsPart() + " s"
        : duration.toSeconds() + " s";
  }

  /** {@code 1 node}, {@code 2 nodes}. */
  static String plural(long count, String noun) {
    return Amounts.plural(count, noun);
  }

  /** Reads a percentage, with its sign, as a fraction. */
  static double parsePercent(String option, String text) throws BadInputException {
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?%")) {
      throw new BadInputException(
          option + ": \"" + text + "\" is not a percentage such as 5% or 2.5%");
    }
    return Double.parseDouble(text.substring(0, text.length() - 1)) / 100;
  }
}
