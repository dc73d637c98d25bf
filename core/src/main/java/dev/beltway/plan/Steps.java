package dev.beltway.plan;

import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
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
import java.util.Map;
import java.util.Optional;
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

  private final Topology before;
  private final Topology after;
  private final List<NodeChange> changes;
  private final Sizing sizing;
  private final StepSize size;
  private final StepList steps;
  private long tokensLookedAt;

  private Steps(
      Topology before, Topology after, List<NodeChange> changes, Sizing sizing, StepSize size) {
    this.before = before;
    this.after = after;
    this.changes = changes;
    this.sizing = sizing;
    this.size = size;
    this.steps = new StepList(sizing, size);
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
    } else if (samePositions
        && before.rule() instanceof SlicesRule
        && after.rule() instanceof SlicesRule) {
      RangeSteps.of(before, changes, whole, steps.steps);
    } else if (before.rule().equals(after.rule())
        && !(before.rule() instanceof ModuloRule)
        && !(before.rule() instanceof RingRule)) {
      if (!WholeNodeSteps.of(before, after, steps.steps)) {
        steps.atOnce(whole);
      }
    } else {
      steps.atOnce(whole);
    }
    return steps.steps.all();
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
      steps.add(
          "",
          NodeChange.Kind.STAYS,
          "",
          0,
          0,
          "too many nodes change, or not one by one",
          whole.moved());
      return;
    }
    String why =
        before.rule().algorithm().equals("modulo") && after.rule().algorithm().equals("modulo")
            ? "hash % N can't be changed node by node"
            : "the rule of placement itself changes, which can't be done node by node";
    steps.add("", NodeChange.Kind.STAYS, "", 0, 0, why, whole.moved());
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
          steps.add(flow.to(), kind, "slots", holds, holds + count, detail, (double) count / slots);
          holding.merge(flow.to(), count, Integer::sum);
          holding.merge(flow.from(), -count, Integer::sum);
          batch.clear();
        }
      }
    }
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
      if (!steps.isSmall(moved) && tokensLookedAt < MOST_TOKENS_LOOKED_AT) {
        whole = false;
        count = largestSmall(Math.min(left, mostAtOnce), held, change.id(), taken);
        next = taken.apply(count);
        moved = Math.abs(share(next, change.id()) - held);
      }
      holds += direction * count;
      steps.add(change.id(), change.kind(), "vnodes", from, holds, "", moved);
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
      if (steps.isSmall(Math.abs(share(taken.apply(middle), id) - held))) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
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
}
