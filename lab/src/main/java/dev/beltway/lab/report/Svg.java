package dev.beltway.lab.report;

/**
 * A drawing. Its width is {@link #WIDTH} whatever the screen, so that a font size that is readable
 * on a phone stays so; colours are classes of the page's style, so that they follow light and dark.
 */
final class Svg {

  /** The width that drawings are made for. */
  static final double WIDTH = 420;

  private final StringBuilder content = new StringBuilder();
  private final String title;
  private final double height;

  /**
   * An empty drawing.
   *
   * @param title what it shows, for those who can't see it
   */
  Svg(double height, String title) {
    this.height = height;
    this.title = title;
  }

  Svg line(double x1, double y1, double x2, double y2, String classes) {
    return open("line", classes)
        .attribute("x1", x1)
        .attribute("y1", y1)
        .attribute("x2", x2)
        .attribute("y2", y2)
        .close();
  }

  Svg rect(double x, double y, double width, double rectHeight, String classes) {
    return open("rect", classes)
        .attribute("x", x)
        .attribute("y", y)
        .attribute("width", Math.max(0, width))
        .attribute("height", Math.max(0, rectHeight))
        .close();
  }

  Svg circle(double x, double y, double radius, String classes) {
    return open("circle", classes)
        .attribute("cx", x)
        .attribute("cy", y)
        .attribute("r", radius)
        .close();
  }

  Svg path(String d, String classes) {
    return path(d, classes, "");
  }

  /** A path that says what it is when pointed at. */
  Svg path(String d, String classes, String tip) {
    open("path", classes);
    content.append(" d=\"").append(d).append('"');
    if (tip.isEmpty()) {
      return close();
    }
    content.append("><title>").append(Markup.escaped(tip)).append("</title></path>");
    return this;
  }

  /** Text that begins at x ({@code start}), has its middle there or its end. */
  Svg text(double x, double y, String anchor, String classes, String text) {
    open("text", classes).attribute("x", x).attribute("y", y);
    content.append(" text-anchor=\"").append(anchor).append("\">");
    content.append(Markup.escaped(text)).append("</text>");
    return this;
  }

  private Svg open(String element, String classes) {
    content.append('<').append(element).append(" class=\"").append(classes).append('"');
    return this;
  }

  private Svg attribute(String name, double value) {
    content.append(' ').append(name).append("=\"").append(Markup.number(value)).append('"');
    return this;
  }

  private Svg close() {
    content.append("/>");
    return this;
  }

  @Override
  public String toString() {
    return "<svg viewBox=\"0 0 "
        + Markup.number(WIDTH)
        + " "
        + Markup.number(height)
        + "\" role=\"img\"><title>"
        + Markup.escaped(title)
        + "</title>"
        + content
        + "</svg>";
  }
}
