package dev.beltway.lab.report;

import java.util.Locale;

/** How numbers are written for people. */
public final class Amounts {

  private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private Amounts() {}

  /** A fraction as a percentage with two digits: {@code 20.35 %}. */
  public static String percent(double fraction) {
    String text = String.format(Locale.ROOT, "%.2f %%", fraction * 100);
    return text.equals("-0.00 %") ? "0.00 %" : text;
  }

  /** A ratio with two digits. */
  public static String ratio(double ratio) {
    return Double.isInfinite(ratio) ? "∞" : String.format(Locale.ROOT, "%.2f", ratio);
  }

  /** A whole number with commas between thousands. */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** {@code 1 node}, {@code 2 nodes}. */
  public static String plural(long count, String noun) {
    return count(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** Bytes in the largest binary unit that leaves 1 or more. */
  public static String bytes(double bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < BYTES.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? String.format(Locale.ROOT, "%,.0f B", value)
        : String.format(Locale.ROOT, "%.1f %s", value, BYTES[unit]);
  }
}
