package dev.beltway.plan;

import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.token.TokenRange;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotRanges;
import dev.beltway.topology.SlotTable;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * Cuts a change into steps: one node at a time, those that gain first, so that there is room before
 * anything leaves.
 *
 * <p>A node is changed in one step if that moves at most {@link StepSize#moved} of all keys or
 * lasts at most {@link StepSize#seconds}; otherwise in steps of at most {@link StepSize#ofNode} of
 * what it holds, each as large as the limit allows. A step that is still larger, since a single
 * token may own more than that, is flagged.
 */
final class Steps {

  /** Past so many tokens looked at, what remains is taken as one step a node, and flagged. */
  private static final long MOST_TOKENS_LOOKED_AT = 1_500_000_000L;

  /** The most parts that one range is cut into. */
  private static final int MOST_PARTS = 10_000;

  /** So many nodes can change one by one; each costs a placement and a comparison. */
  private static final int MOST_WHOLE_NODES = 200;

  private final Topology before;
  private final Topology after;
  private final List<NodeChange> changes;
  private final Sizing sizing;
  private final StepSize size;
  private final List<Step> steps = new ArrayList<>();
  private long tokensLookedAt;

  private Steps(
      Topology before, Topology after, List<NodeChange> changes, Sizing sizing, StepSize size) {
    this.before = before;
    this.after = after;
    this.changes = changes;
    this.sizing = sizing;
    this.size = size;
  }

  static List<Step> of(
      Topology before,
      Topology after,
      List<NodeChange> changes,
      Difference whole,
      Sizing sizing,
      StepSize size) {
    Steps steps = new Steps(before, after, changes, sizing, size);
    boolean samePositions = before.rule().partitioner().equals(after.rule().partitioner());
    if (whole.moved() == 0 && samePositions) {
      return List.of();
    }
    if (samePositions
        && before.rule() instanceof RingRule was
        && after.rule() instanceof RingRule is
        && was.separator().equals(is.separator())
        && steps.canBeCut()) {
      steps.byNode(is);
    } else if (samePositions && before.rule() instanceof SlotsRule) {
      steps.bySlots(whole);
    } else if (before.rule().settings().equals(after.rule().settings())
        && before.rule() instanceof SlicesRule) {
      steps.byRanges(whole);
    } else if (before.rule().equals(after.rule())
        && !(before.rule() instanceof ModuloRule)
        && !(before.rule() instanceof RingRule)) {
      steps.byWholeNode(whole);
    } else {
      steps.atOnce(whole);
    }
    return List.copyOf(steps.steps);
  }

  /** Whether intermediate topologies stay within all limits, and within reason. */
  private boolean canBeCut() {
    long changing =
        changes.stream().filter(change -> change.kind() != NodeChange.Kind.STAYS).count();
    long tokens = before.tokens() + after.tokens();
    return before.nodes().size() + after.nodes().size() <= Topology.MOST_NODES
        && tokens <= RingRule.MOST_TOKENS
        && changing * tokens <= 2 * MOST_TOKENS_LOOKED_AT;
  }

  private void atOnce(Difference whole) {
    if (before.rule().equals(after.rule()) && !(before.rule() instanceof ModuloRule)) {
      add(
          "",
          NodeChange.Kind.STAYS,
          "",
          0,
          0,
          "too many nodes change to list steps",
          whole.moved());
      return;
    }
    String why =
        before.rule().algorithm().equals("modulo") && after.rule().algorithm().equals("modulo")
            ? "hash % N can't be changed node by node"
            : "the rule of placement itself changes, which can't be done node by node";
    add("", NodeChange.Kind.STAYS, "", 0, 0, why, whole.moved());
  }

  private void bySlots(Difference whole) {
    int slots = ((SlotsRule) before.rule()).slots();
    int most = Math.max(1, (int) Math.floor(size.moved() * slots));
    if (sizing.seconds(1).isPresent()) {
      double slotSeconds = sizing.seconds(1.0 / slots).getAsDouble();
      most = (int) Math.max(most, Math.min(slots, Math.floor(size.seconds() / slotSeconds)));
    }
    SlotTable was = before.slotTable().orElseThrow();
    SlotTable is = after.slotTable().orElseThrow();
    Map<String, Integer> holding = new HashMap<>(before.holdings());
    Map<String, NodeChange.Kind> kinds = new HashMap<>();
    changes.forEach(change -> kinds.put(change.id(), change.kind()));
    List<Flow> byReceiver = whole.flows().stream().sorted(Comparator.comparing(Flow::to)).toList();
    for (Flow flow : byReceiver) {
      NodeChange.Kind kind = kinds.getOrDefault(flow.to(), NodeChange.Kind.STAYS);
      BitSet moving = was.slotsOf(flow.from()).toSet();
      moving.and(is.slotsOf(flow.to()).toSet());
      BitSet batch = new BitSet();
      for (int slot = moving.nextSetBit(0); slot >= 0; slot = moving.nextSetBit(slot + 1)) {
        batch.set(slot);
        if (batch.cardinality() == most || moving.nextSetBit(slot + 1) < 0) {
          int count = batch.cardinality();
          String detail = "from " + flow.from() + ": " + SlotRanges.of(batch);
          int holds = holding.getOrDefault(flow.to(), 0);
          add(flow.to(), kind, "slots", holds, holds + count, detail, (double) count / slots);
          holding.merge(flow.to(), count, Integer::sum);
          holding.merge(flow.from(), -count, Integer::sum);
          batch.clear();
        }
      }
    }
  }

  /**
   * Slices move range by range: any part of the movement can go first, so a step is as many ranges
   * as fit into its size. They are grouped by the nodes of the side that has fewer of them.
   */
  private void byRanges(Difference whole) {
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
    Map<String, Integer> holding = before.holdings();
    for (String node : toReceivers ? receivers : givers) {
      RangeBatch batch =
          new RangeBatch(
              node,
              kinds.getOrDefault(node, NodeChange.Kind.STAYS),
              holding.getOrDefault(node, 0),
              toReceivers);
      byNode.getOrDefault(node, List.of()).forEach(batch::add);
      batch.flush();
    }
  }

  /** Ranges of one node that are to move in one step. */
  private final class RangeBatch {

    private static final double BILLION = 1e9;

    private final String node;
    private final NodeChange.Kind kind;
    private final boolean gains;
    private final List<Move> batch = new ArrayList<>();
    private double moved;
    private double holds;

    RangeBatch(String node, NodeChange.Kind kind, int holds, boolean gains) {
      this.node = node;
      this.kind = kind;
      this.gains = gains;
      this.holds = holds;
    }

    void add(Move move) {
      double share = move.share().fraction();
      if (!batch.isEmpty() && !isSmall(moved + share)) {
        flush();
      }
      long parts = 1;
      while (parts < MOST_PARTS && !isSmall(share / parts)) {
        parts++;
      }
      if (parts == 1) {
        batch.add(move);
        moved += share;
        return;
      }
      flush();
      // Cut into equal parts, the last of which takes what division leaves over.
      long start = move.range().start();
      long length = Long.divideUnsigned(move.range().end() - start, parts);
      for (long part = 1; part <= parts; part++) {
        long end = part == parts ? move.range().end() : start + length;
        batch.add(new Move(new TokenRange(start, end), move.from(), move.to()));
        moved = batch.get(0).share().fraction();
        flush();
        start = end;
      }
    }

    void flush() {
      if (batch.isEmpty()) {
        return;
      }
      Set<String> others = new TreeSet<>(NodeId.UTF8_ORDER);
      batch.forEach(move -> others.add(gains ? move.from() : move.to()));
      String ranges =
          batch.size() == 1 ? batch.get(0).range().toString() : batch.size() + " ranges";
      double then = gains ? holds + moved * BILLION : holds - moved * BILLION;
      Steps.this.add(
          node,
          kind,
          SlicesRule.UNIT,
          (int) Math.round(holds),
          (int) Math.round(then),
          ranges + (gains ? " from " : " to ") + few(others),
          moved);
      holds = then;
      moved = 0;
      batch.clear();
    }
  }

  private static String few(Set<String> ids) {
    List<String> first = ids.stream().limit(3).toList();
    int more = ids.size() - first.size();
    return String.join(", ", first) + (more > 0 ? " and " + more + " more" : "");
  }

  /**
   * One node after the other, each as a whole: algorithms of other systems have whole weights and
   * no more to cut, and jump has none.
   */
  private void byWholeNode(Difference whole) {
    Map<String, Node> then = new HashMap<>();
    after.nodes().forEach(node -> then.put(node.id(), node));
    List<Node> nodes = new ArrayList<>(before.nodes());
    List<Runnable> edits = new ArrayList<>();
    List<String> edited = new ArrayList<>();
    for (Node node : after.nodes()) {
      Node was = before.node(node.id()).orElse(null);
      if (was == null) {
        edits.add(() -> nodes.add(node));
        edited.add(node.id());
      } else if (!was.equals(node) && node.weight().compareTo(was.weight()) >= 0) {
        edits.add(() -> nodes.replaceAll(n -> n.id().equals(node.id()) ? node : n));
        edited.add(node.id());
      }
    }
    for (int i = before.nodes().size() - 1; i >= 0; i--) {
      Node was = before.nodes().get(i);
      Node node = then.get(was.id());
      if (node == null) {
        edits.add(() -> nodes.removeIf(n -> n.id().equals(was.id())));
        edited.add(was.id());
      } else if (node.weight().compareTo(was.weight()) < 0) {
        edits.add(() -> nodes.replaceAll(n -> n.id().equals(node.id()) ? node : n));
        edited.add(node.id());
      }
    }
    if (edits.size() > MOST_WHOLE_NODES) {
      atOnce(whole);
      return;
    }
    Topology now = before;
    for (int i = 0; i < edits.size(); i++) {
      edits.get(i).run();
      Topology next = new Topology(after.epoch(), after.rule(), nodes);
      addWhole(edited.get(i), now, next, "");
      now = next;
    }
    addWhole("", now, after, "the order of the list");
  }

  private void addWhole(String id, Topology from, Topology to, String detail) {
    double moved = Difference.between(Placements.of(from), Placements.of(to)).moved();
    if (moved == 0) {
      return;
    }
    int had = from.holdings().getOrDefault(id, 0);
    int has = to.holdings().getOrDefault(id, 0);
    add(id, NodeChange.kind(had, has), before.rule().unit(), had, has, detail, moved);
  }

  private void byNode(RingRule rule) {
    // Between the first and the last step there may be more tokens than at either end.
    RingRule roomy = rule.withMaxTokens(RingRule.MOST_TOKENS);
    List<Node> start = new ArrayList<>();
    for (Node node : before.nodesById()) {
      int count = ((RingRule) before.rule()).vnodesOf(node);
      if (count > 0) {
        start.add(Node.of(node.id()).withVnodes(count));
      }
    }
    RangedPlacement now = Placements.ring(new Topology(0, roomy, start));
    for (boolean gaining : new boolean[] {true, false}) {
      for (NodeChange change : changes) {
        if (gaining ? change.gains() : change.loses()) {
          now = change(now, change);
        }
      }
    }
  }

  private RangedPlacement change(RangedPlacement start, NodeChange change) {
    RangedPlacement now = start;
    int holds = change.before();
    int largest = Math.max(change.before(), change.after());
    int mostAtOnce = Math.max(1, (int) Math.floor(size.ofNode() * largest));
    int direction = change.gains() ? 1 : -1;
    boolean whole = true;
    while (holds != change.after()) {
      int left = Math.abs(change.after() - holds);
      int from = holds;
      RangedPlacement base = now;
      IntFunction<RangedPlacement> taken =
          count -> with(base, change.id(), from + direction * count);
      double held = share(base, change.id());
      int count = whole ? left : Math.min(left, mostAtOnce);
      RangedPlacement next = taken.apply(count);
      double moved = Math.abs(share(next, change.id()) - held);
      if (!isSmall(moved) && tokensLookedAt < MOST_TOKENS_LOOKED_AT) {
        whole = false;
        count = largestSmall(Math.min(left, mostAtOnce), held, change.id(), taken);
        next = taken.apply(count);
        moved = Math.abs(share(next, change.id()) - held);
      }
      holds += direction * count;
      add(change.id(), change.kind(), "vnodes", from, holds, "", moved);
      now = next;
    }
    return now;
  }

  /** The largest number of tokens, 1 to {@code most}, that is a small step; 1 if none is. */
  private int largestSmall(int most, double held, String id, IntFunction<RangedPlacement> taken) {
    int low = 1;
    int high = most;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (isSmall(Math.abs(share(taken.apply(middle), id) - held))) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private boolean isSmall(double moved) {
    return moved <= size.moved()
        || sizing.seconds(moved).isPresent()
            && sizing.seconds(moved).getAsDouble() <= size.seconds();
  }

  private static RangedPlacement with(RangedPlacement base, String id, int count) {
    Topology topology = base.topology();
    Optional<Node> present = topology.node(id);
    Topology next;
    if (count == 0) {
      next = topology.minus(id);
    } else if (present.isPresent()) {
      next = topology.with(present.get().withVnodes(count));
    } else {
      next = topology.plus(Node.of(id).withVnodes(count));
    }
    return (RangedPlacement) Placements.of(next, base);
  }

  /** A node's share: when only it gains or loses tokens, what moves is what this changes by. */
  private double share(RangedPlacement placement, String id) {
    tokensLookedAt += placement.tokenMap().size();
    for (int i = 0; i < placement.owners().size(); i++) {
      if (placement.owners().get(i).id().equals(id)) {
        return placement.tokenMap().shares()[i].fraction();
      }
    }
    return 0;
  }

  private void add(
      String node,
      NodeChange.Kind kind,
      String unit,
      int from,
      int to,
      String detail,
      double moved) {
    String flag = "";
    if (!isSmall(moved)) {
      flag =
          String.format(
              Locale.ROOT,
              "moves %.2f %% of the keys, more than %.2f %%",
              moved * 100,
              size.moved() * 100);
    }
    steps.add(
        new Step(
            steps.size() + 1,
            node,
            kind,
            unit,
            from,
            to,
            detail,
            moved,
            sizing.keys(moved),
            sizing.seconds(moved),
            flag));
  }
}
