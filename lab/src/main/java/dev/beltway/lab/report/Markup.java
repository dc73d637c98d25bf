package dev.beltway.lab.report;

/** Text made safe to stand in HTML and SVG. */
final class Markup {

  private Markup() {}

  /** Text as content or as the value of an attribute in double quotes. */
  static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.appendCodePoint(isAllowed(c) ? c : 0xfffd);
              }
            });
    return safe.toString();
  }

  /** What HTML doesn't allow even as a reference would end as something else. */
  private static boolean isAllowed(int c) {
    boolean control = c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0;
    boolean surrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    return !control && !surrogate && (c & 0xfffe) != 0xfffe;
  }

  /** A coordinate: two digits are a hundredth of a pixel. A drawing has thousands of them. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a coordinate of " + value);
    }
    long hundredths = Math.round(value * 100);
    long whole = Math.abs(hundredths) / 100;
    long rest = Math.abs(hundredths) % 100;
    String sign = hundredths < 0 ? "-" : "";
    if (rest == 0) {
      return sign + whole;
    }
    return rest % 10 == 0
        ? sign + whole + "." + rest / 10
        : sign + whole + (rest < 10 ? ".0" : ".") + rest;
  }
}
