package dev.beltway.lab.report;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.lab.log.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What each node gets, beside its fair share, as bars. */
final class LoadBars {

  /**
   * One kind of load.
   *
   * @param name for the legend
   * @param report the load
   */
  record Series(String name, LoadReport report) {}

  private static final int MOST_NODES = 30;
  private static final double LEFT = 92;
  private static final double RIGHT = Svg.WIDTH - 44;
  private static final double BAR = 8;

  private LoadBars() {}

  /** Whether there are too many nodes to draw them all: only the fullest by the last series are. */
  static boolean leavesOut(LoadReport report) {
    return report.nodes().size() > MOST_NODES;
  }

  static Svg draw(LoadReport expected, List<Series> series) {
    Map<String, NodeLoad> even = expected.byId();
    LoadReport order = series.get(series.size() - 1).report();
    List<String> ids = ids(order);
    List<Map<String, NodeLoad>> loads = series.stream().map(one -> one.report().byId()).toList();
    double most = 1.2;
    for (String id : ids) {
      for (Map<String, NodeLoad> load : loads) {
        most = Math.max(most, finite(over(load.get(id))));
      }
      most = Math.max(most, finite(over(even.get(id))));
    }
    double scale = (RIGHT - LEFT) / most;
    double rowHeight = series.size() * BAR + 9;
    double top = 26;
    double bottom = top + ids.size() * rowHeight;
    Svg svg = new Svg(bottom + 34, "Load of each node over its fair share");
    legend(svg, series);
    double step = most > 8 ? Math.ceil(most / 5) : most > 3 ? 1 : 0.5;
    for (double x = 0; x <= most + 1e-9; x += step) {
      svg.line(LEFT + x * scale, top, LEFT + x * scale, bottom, "grid");
      svg.text(LEFT + x * scale, bottom + 15, "middle", "faint small", Markup.number(x) + " ×");
    }
    for (int i = 0; i < ids.size(); i++) {
      String id = ids.get(i);
      double y = top + i * rowHeight + 4;
      svg.text(LEFT - 6, y + rowHeight / 2, "end", "", Printable.shortened(id, 13));
      for (int s = 0; s < series.size(); s++) {
        double value = finite(over(loads.get(s).get(id)));
        svg.rect(LEFT, y + s * BAR, value * scale, BAR - 1, "f" + s);
      }
      double expectedX = LEFT + finite(over(even.get(id))) * scale;
      svg.line(expectedX, y - 2, expectedX, y + series.size() * BAR + 1, "tick");
      double last = over(loads.get(series.size() - 1).get(id));
      double behind = Math.max(1, finite(over(even.get(id))));
      for (Map<String, NodeLoad> load : loads) {
        behind = Math.max(behind, finite(over(load.get(id))));
      }
      svg.text(
          LEFT + behind * scale + 6,
          y + (series.size() - 0.5) * BAR + 3,
          "start",
          "small",
          Amounts.ratio(last));
    }
    svg.line(LEFT + scale, top - 4, LEFT + scale, bottom, "mark");
    svg.text(LEFT, bottom + 29, "start", "faint small", "× the node's fair share");
    return svg;
  }

  private static void legend(Svg svg, List<Series> series) {
    double x = LEFT;
    for (int s = 0; s < series.size(); s++) {
      svg.rect(x, 3, 10, 10, "f" + s);
      svg.text(x + 14, 12, "start", "", series.get(s).name());
      x += 26 + 6.6 * series.get(s).name().length();
    }
    svg.line(x + 4, 2, x + 4, 14, "tick");
    svg.text(x + 10, 12, "start", "", "expected");
  }

  private static List<String> ids(LoadReport order) {
    List<NodeLoad> nodes = new ArrayList<>(order.nodes());
    if (nodes.size() > MOST_NODES) {
      nodes.sort(Comparator.comparingDouble(NodeLoad::overFair).reversed());
      nodes = nodes.subList(0, MOST_NODES);
    }
    return nodes.stream().map(NodeLoad::id).toList();
  }

  private static double over(@org.jspecify.annotations.Nullable NodeLoad load) {
    return load == null ? 0 : load.overFair();
  }

  /** A drained node with load is infinitely over its share; the bar ends somewhere all the same. */
  private static double finite(double value) {
    return Double.isFinite(value) ? value : 2;
  }
}
