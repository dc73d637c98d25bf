package dev.beltway.lab.report;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** Curves over the requests of a log, with a mark where the topology changes. */
final class Curves {

  /** A point of a curve. */
  record Point(double x, double y) {}

  /**
   * One curve.
   *
   * @param name for the legend
   * @param classes of its colour
   * @param points in pairs, the begin and the end of a step, x ascending
   */
  record Curve(String name, String classes, List<Point> points) {}

  private static final double LEFT = 52;
  private static final double RIGHT = Svg.WIDTH - 10;
  private static final double TOP = 34;
  private static final double BOTTOM = 216;

  private Curves() {}

  /**
   * A drawing.
   *
   * @param most the top of the y axis
   * @param format of the numbers on the y axis
   */
  static Svg draw(String title, List<Curve> curves, double most, DoubleFunction<String> format) {
    Svg svg = new Svg(BOTTOM + 36, title);
    double least = Double.MAX_VALUE;
    double last = -Double.MAX_VALUE;
    for (Curve curve : curves) {
      for (Point point : curve.points()) {
        least = Math.min(least, point.x());
        last = Math.max(last, point.x());
      }
    }
    if (least > last) {
      return svg.text((LEFT + RIGHT) / 2, BOTTOM / 2, "middle", "faint", "There are no reads.");
    }
    double width = Math.max(1, last - least);
    double step = step(most);
    for (double y = 0; y <= most + step / 1000; y += step) {
      double at = BOTTOM - y / most * (BOTTOM - TOP);
      svg.line(LEFT, at, RIGHT, at, "grid");
      svg.text(LEFT - 6, at + 4, "end", "faint small", format.apply(y));
    }
    double xStep = step(width);
    for (double x = Math.ceil(least / xStep) * xStep; x <= last + 1e-9; x += xStep) {
      double at = LEFT + (x - least) / width * (RIGHT - LEFT);
      svg.line(at, BOTTOM, at, BOTTOM + 4, "axis");
      svg.text(at, BOTTOM + 16, "middle", "faint small", thousands(x));
    }
    svg.text(RIGHT, BOTTOM + 31, "end", "faint small", "requests since the change");
    double change = LEFT - least / width * (RIGHT - LEFT);
    svg.line(change, TOP - 6, change, BOTTOM, "mark");
    for (Curve curve : curves) {
      StringBuilder d = new StringBuilder();
      double end = Double.NaN;
      boolean begins = true;
      for (Point point : curve.points()) {
        boolean gap = begins && point.x() != end; // Windows without reads are left out.
        end = point.x();
        begins = !begins;
        double x = LEFT + (point.x() - least) / width * (RIGHT - LEFT);
        double y = BOTTOM - Math.min(1, point.y() / most) * (BOTTOM - TOP);
        d.append(gap ? 'M' : 'L').append(Markup.number(x));
        d.append(' ').append(Markup.number(y));
      }
      svg.path(d.toString(), "curve " + curve.classes());
    }
    double x = LEFT;
    for (Curve curve : curves) {
      svg.line(x, 9, x + 16, 9, "curve " + curve.classes());
      svg.text(x + 20, 13, "start", "", curve.name());
      x += 32 + 6.8 * curve.name().length();
    }
    return svg;
  }

  /** A round step of which four to nine make the whole. */
  private static double step(double whole) {
    double power = Math.pow(10, Math.floor(Math.log10(whole)));
    double rest = whole / power;
    return power * (rest < 2 ? 0.25 : rest < 4 ? 0.5 : rest < 8 ? 1 : 2);
  }

  private static String thousands(double x) {
    if (Math.abs(x) >= 1e6) {
      return Markup.number(x / 1e6) + " M";
    }
    return Math.abs(x) >= 1000
        ? Markup.number(x / 1000) + " k"
        : String.format(Locale.ROOT, "%.0f", x);
  }
}
