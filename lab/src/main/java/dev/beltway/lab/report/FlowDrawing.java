package dev.beltway.lab.report;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.lab.log.Printable;
import dev.beltway.plan.Flow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What moves from whom to whom: nodes before to the left, nodes after to the right, ribbons. */
final class FlowDrawing {

  private static final int MOST_NODES = 24;
  private static final double LEFT = 96;
  private static final double RIGHT = Svg.WIDTH - 96;
  private static final double COLUMN = 10;
  private static final double GAP = 5;
  private static final double HEIGHT = 360;

  private final NodeColours colours;

  FlowDrawing(NodeColours colours) {
    this.colours = colours;
  }

  /** Whether there are too many nodes to draw them all. */
  static boolean leavesOut(LoadReport before, LoadReport after) {
    return before.nodes().size() > MOST_NODES || after.nodes().size() > MOST_NODES;
  }

  /** One column of nodes from top to bottom. */
  private static final class Column {

    private final Map<String, Double> tops = new HashMap<>();
    private final Map<String, Double> heights = new HashMap<>();
    private final Map<String, Double> used = new HashMap<>();
    private double bottom;

    Column(List<NodeLoad> nodes, double scale) {
      double y = 22;
      for (NodeLoad node : nodes) {
        tops.put(node.id(), y);
        heights.put(node.id(), node.share() * scale);
        y += node.share() * scale + GAP;
      }
      bottom = y;
    }

    /** Takes the next piece of a node, and returns where it begins. */
    double take(String id, double height) {
      double begin = tops.getOrDefault(id, 0.0) + used.getOrDefault(id, 0.0);
      used.merge(id, height, Double::sum);
      return begin;
    }
  }

  Svg draw(LoadReport before, LoadReport after, List<Flow> flows) {
    List<NodeLoad> left = largest(before);
    List<NodeLoad> right = largest(after);
    double shown = Math.max(sum(left), sum(right));
    int most = Math.max(left.size(), right.size());
    double scale = shown == 0 ? 0 : (HEIGHT - GAP * most) / shown;
    Column from = new Column(left, scale);
    Column to = new Column(right, scale);
    Svg svg = new Svg(Math.max(from.bottom, to.bottom) + 6, "Share of each node before and after");
    svg.text(LEFT, 12, "end", "faint", "before");
    svg.text(RIGHT, 12, "start", "faint", "after");
    Set<String> ids = new HashSet<>(from.tops.keySet());
    ids.retainAll(to.tops.keySet());
    ribbons(svg, staying(left, flows, ids), from, to, scale, true);
    List<Flow> drawn =
        flows.stream()
            .filter(f -> from.tops.containsKey(f.from()) && to.tops.containsKey(f.to()))
            .sorted(
                Comparator.comparingDouble((Flow f) -> to.tops.getOrDefault(f.to(), 0.0))
                    .thenComparingDouble(f -> from.tops.getOrDefault(f.from(), 0.0)))
            .toList();
    ribbons(svg, drawn, from, to, scale, false);
    labels(svg, left, from, LEFT - COLUMN, true);
    labels(svg, right, to, RIGHT, false);
    return svg;
  }

  private static List<Flow> staying(List<NodeLoad> left, List<Flow> flows, Set<String> ids) {
    List<Flow> staying = new ArrayList<>();
    for (NodeLoad node : left) {
      double leaves =
          flows.stream().filter(f -> f.from().equals(node.id())).mapToDouble(Flow::share).sum();
      if (ids.contains(node.id()) && node.share() > leaves) {
        staying.add(new Flow(node.id(), node.id(), node.share() - leaves));
      }
    }
    return staying;
  }

  private void ribbons(
      Svg svg, List<Flow> flows, Column from, Column to, double scale, boolean stays) {
    double middle = (LEFT + RIGHT) / 2;
    for (Flow flow : flows) {
      double height = flow.share() * scale;
      double a = from.take(flow.from(), height);
      double b = to.take(flow.to(), height);
      String d =
          "M"
              + at(LEFT, a)
              + "C"
              + at(middle, a)
              + " "
              + at(middle, b)
              + " "
              + at(RIGHT, b)
              + "L"
              + at(RIGHT, b + height)
              + "C"
              + at(middle, b + height)
              + " "
              + at(middle, a + height)
              + " "
              + at(LEFT, a + height)
              + "Z";
      svg.path(
          d,
          stays ? "stays" : "ribbon " + colours.fill(flow.to()),
          flow.from() + " → " + flow.to() + ": " + Amounts.percent(flow.share()));
    }
  }

  private void labels(Svg svg, List<NodeLoad> nodes, Column column, double x, boolean left) {
    for (NodeLoad node : nodes) {
      double top = column.tops.getOrDefault(node.id(), 0.0);
      double height = column.heights.getOrDefault(node.id(), 0.0);
      svg.rect(x, top, COLUMN, Math.max(0.5, height), colours.fill(node.id()));
      String label =
          Printable.shortened(node.id(), 9) + " " + Math.round(1000 * node.share()) / 10.0 + " %";
      svg.text(
          left ? x - 4 : x + COLUMN + 4,
          top + height / 2 + 4,
          left ? "end" : "start",
          "small",
          label);
    }
  }

  private static List<NodeLoad> largest(LoadReport report) {
    List<NodeLoad> nodes = report.nodes().stream().filter(node -> node.share() > 0).toList();
    if (nodes.size() <= MOST_NODES) {
      return nodes;
    }
    Set<NodeLoad> kept =
        new HashSet<>(
            nodes.stream()
                .sorted(Comparator.comparingDouble(NodeLoad::share).reversed())
                .limit(MOST_NODES)
                .toList());
    return nodes.stream().filter(kept::contains).toList();
  }

  private static double sum(List<NodeLoad> nodes) {
    return nodes.stream().mapToDouble(NodeLoad::share).sum();
  }

  private static String at(double x, double y) {
    return Markup.number(x) + " " + Markup.number(y);
  }
}
