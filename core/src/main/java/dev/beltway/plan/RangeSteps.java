package dev.beltway.plan;

import dev.beltway.token.TokenRange;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Steps of a change of slices. They move range by range: any part of the movement can go first, so
 * a step is as many ranges as fit into its size, and a range that is larger is cut. Ranges are
 * grouped by the nodes of the side, givers or receivers, that has fewer of them.
 */
final class RangeSteps {

  private static final double BILLION = 1e9;

  private final StepList steps;
  private final String node;
  private final NodeChange.Kind kind;
  private final boolean gains;

  /** What all nodes hold by now, in billionths; one that gives may get elsewhere. */
  private final Map<String, Double> holdings;

  private final List<Move> batch = new ArrayList<>();
  private double moved;

  private RangeSteps(
      StepList steps,
      String node,
      NodeChange.Kind kind,
      Map<String, Double> holdings,
      boolean gains) {
    this.steps = steps;
    this.node = node;
    this.kind = kind;
    this.holdings = holdings;
    this.gains = gains;
  }

  static void of(Topology before, List<NodeChange> changes, Difference whole, StepList steps) {
    Set<String> givers = new TreeSet<>(NodeId.UTF8_ORDER);
    Set<String> receivers = new TreeSet<>(NodeId.UTF8_ORDER);
    for (Move move : whole.moves()) {
      givers.add(move.from());
      receivers.add(move.to());
    }
    boolean toReceivers = receivers.size() <= givers.size();
    Map<String, NodeChange.Kind> kinds = new HashMap<>();
    changes.forEach(change -> kinds.put(change.id(), change.kind()));
    Map<String, List<Move>> byNode = new HashMap<>();
    for (Move move : whole.moves()) {
      byNode
          .computeIfAbsent(toReceivers ? move.to() : move.from(), unused -> new ArrayList<>())
          .add(move);
    }
    Map<String, Double> holdings = new HashMap<>();
    before.holdings().forEach((id, billionths) -> holdings.put(id, (double) billionths));
    for (String node : toReceivers ? receivers : givers) {
      RangeSteps ofNode =
          new RangeSteps(
              steps, node, kinds.getOrDefault(node, NodeChange.Kind.STAYS), holdings, toReceivers);
      byNode.getOrDefault(node, List.of()).forEach(ofNode::add);
      ofNode.flush();
    }
  }

  private void add(Move move) {
    double share = move.share().fraction();
    if (!batch.isEmpty() && !steps.isSmall(moved + share) && !steps.isFull()) {
      flush();
    }
    if (steps.isSmall(share) || steps.isFull()) {
      batch.add(move);
      moved += share;
      return;
    }
    long parts = (long) Math.ceil(share / steps.largestSmall() - StepList.ROUNDING);
    parts = Math.max(1, Math.min(parts, StepList.MOST_STEPS - (long) steps.count()));
    // Cut into equal parts, the last of which takes what division leaves over. The whole ring has
    // 2⁶⁴ positions, one more than a number can say, and is divided as if it had one less.
    long start = move.range().start();
    long length =
        move.share().whole()
            ? Long.divideUnsigned(-1L, parts)
            : Long.divideUnsigned(move.range().end() - start, parts);
    for (long part = 1; part <= parts; part++) {
      long end = part == parts ? move.range().end() : start + length;
      Move piece = new Move(new TokenRange(start, end), move.from(), move.to());
      batch.add(piece);
      moved = piece.share().fraction();
      flush();
      start = end;
    }
  }

  private void flush() {
    if (batch.isEmpty()) {
      return;
    }
    Set<String> others = new TreeSet<>(NodeId.UTF8_ORDER);
    batch.forEach(move -> others.add(gains ? move.from() : move.to()));
    String ranges = batch.size() == 1 ? batch.get(0).range().toString() : batch.size() + " ranges";
    int from = holds();
    for (Move move : batch) {
      double billionths = move.share().fraction() * BILLION;
      holdings.merge(move.from(), -billionths, Double::sum);
      holdings.merge(move.to(), billionths, Double::sum);
    }
    steps.add(
        node,
        kind,
        SlicesRule.UNIT,
        from,
        holds(),
        ranges + (gains ? " from " : " to ") + few(others),
        moved);
    moved = 0;
    batch.clear();
  }

  private int holds() {
    return (int) Math.round(Math.max(0, holdings.getOrDefault(node, 0.0)));
  }

  private static String few(Set<String> ids) {
    List<String> shown = ids.stream().limit(3).toList();
    int more = ids.size() - shown.size();
    return String.join(", ", shown) + (more > 0 ? " and " + more + " more" : "");
  }
}
