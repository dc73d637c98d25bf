package dev.beltway.lab.report;

import dev.beltway.lab.load.HotKey;
import dev.beltway.lab.log.Printable;
import dev.beltway.placement.Placement;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.token.TokenMap;
import java.util.List;

/** The ring: who owns which part of it, clockwise from the top, and where the hottest keys are. */
final class RingDrawing {

  /** More arcs than this can't be told apart. */
  private static final int SECTORS = 720;

  private static final double CENTRE = Svg.WIDTH / 2;
  private static final double OUTER = 165;
  private static final double INNER = 118;
  private static final int MOST_LEGEND = 12;

  private final RangedPlacement placement;
  private final NodeColours colours;

  RingDrawing(RangedPlacement placement, NodeColours colours) {
    this.placement = placement;
    this.colours = colours;
  }

  /** Whether a ring can be drawn at all. */
  static boolean isPossible(Placement placement) {
    return placement instanceof RangedPlacement
        && placement.partitioner().coversRing()
        && !placement.owners().isEmpty();
  }

  Svg draw(List<HotKey> hot) {
    List<String> ids = placement.owners().stream().map(node -> node.id()).toList();
    int rows = Math.min(ids.size(), MOST_LEGEND);
    int legendRows = (rows + 3) / 4;
    double top = 2 * CENTRE;
    Svg svg = new Svg(top + 18 * legendRows + 6, "The ring by owner, clockwise from the top");
    arcs(svg, ids);
    svg.text(CENTRE, CENTRE - 2, "middle", "big", Amounts.plural(ids.size(), "node"));
    String size =
        Amounts.count(placement.topology().tokens()) + " " + placement.topology().rule().sizeUnit();
    svg.text(CENTRE, CENTRE + 18, "middle", "faint", size);
    marks(svg, hot);
    for (int i = 0; i < rows; i++) {
      double x = 10 + (i % 4) * 102;
      double y = top + 18 * (i / 4) + 6;
      boolean more = i == MOST_LEGEND - 1 && ids.size() > MOST_LEGEND;
      if (more) {
        svg.text(x, y + 6, "start", "faint", "and " + (ids.size() - MOST_LEGEND + 1) + " more");
      } else {
        svg.rect(x, y - 4, 11, 11, colours.fill(ids.get(i)));
        svg.text(x + 16, y + 6, "start", "", Printable.shortened(ids.get(i), 12));
      }
    }
    return svg;
  }

  private void arcs(Svg svg, List<String> ids) {
    TokenMap map = placement.tokenMap();
    int begin = 0;
    int owner = ownerOf(map, 0);
    for (int sector = 1; sector <= SECTORS; sector++) {
      int next = sector == SECTORS ? -1 : ownerOf(map, sector);
      if (next != owner) {
        svg.path(arc(begin, sector), colours.fill(ids.get(owner)), ids.get(owner));
        begin = sector;
        owner = next;
      }
    }
  }

  /** The owner at the middle of a sector. */
  private static int ownerOf(TokenMap map, int sector) {
    return map.ownerAt(
        Long.divideUnsigned(-1L, SECTORS) * sector + Long.divideUnsigned(-1L, 2L * SECTORS));
  }

  private static String arc(int from, int to) {
    if (to - from == SECTORS) {
      return arc(0, SECTORS / 2) + arc(SECTORS / 2, SECTORS);
    }
    int large = to - from > SECTORS / 2 ? 1 : 0;
    return "M"
        + point(from, OUTER)
        + "A"
        + Markup.number(OUTER)
        + " "
        + Markup.number(OUTER)
        + " 0 "
        + large
        + " 1 "
        + point(to, OUTER)
        + "L"
        + point(to, INNER)
        + "A"
        + Markup.number(INNER)
        + " "
        + Markup.number(INNER)
        + " 0 "
        + large
        + " 0 "
        + point(from, INNER)
        + "Z";
  }

  private static String point(double sector, double radius) {
    double angle = 2 * Math.PI * sector / SECTORS;
    return Markup.number(CENTRE + radius * Math.sin(angle))
        + " "
        + Markup.number(CENTRE - radius * Math.cos(angle));
  }

  private void marks(Svg svg, List<HotKey> hot) {
    for (int i = 0; i < hot.size(); i++) {
      byte[] key = hot.get(i).key().bytes();
      double angle = 2 * Math.PI * fraction(placement.partitioner().position(key));
      double x = Math.sin(angle);
      double y = -Math.cos(angle);
      svg.circle(CENTRE + (OUTER + 6) * x, CENTRE + (OUTER + 6) * y, 3.5, "spot");
      svg.text(
          CENTRE + (OUTER + 20) * x,
          CENTRE + (OUTER + 20) * y + 4,
          "middle",
          "small",
          Integer.toString(i + 1));
    }
  }

  private static double fraction(long position) {
    return (position >>> 11) * 0x1p-53;
  }
}
