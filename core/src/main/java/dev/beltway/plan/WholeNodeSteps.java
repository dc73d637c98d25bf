package dev.beltway.plan;

import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Steps that change one node after the other, each as a whole, those that gain first: algorithms of
 * other systems have whole weights and no more to cut, and jump has none.
 */
final class WholeNodeSteps {

  /** So many nodes can change one by one; each costs a placement and a comparison. */
  private static final int MOST_NODES = 200;

  private final Topology after;
  private final StepList steps;
  private final List<Node> nodes;
  private Topology now;
  private Placement placement;
  private int looked;

  private WholeNodeSteps(Topology before, Topology after, StepList steps) {
    this.after = after;
    this.steps = steps;
    this.now = before;
    this.placement = Placements.of(before);
    // Between the ends lists are shorter and longer, so places in them would number others.
    boolean numbered = before.rule() instanceof HaproxyRule;
    this.nodes = new ArrayList<>(numbered ? HaproxyRule.numbered(before.nodes()) : before.nodes());
  }

  /** Whether it could be done; nothing is added otherwise. */
  static boolean of(Topology before, Topology after, StepList steps) {
    try {
      if (new WholeNodeSteps(before, after, steps).run(before)) {
        return true;
      }
    } catch (IllegalArgumentException e) {
      // A list between the ends that the algorithm refuses, as two servers with one number: what
      // can't be done node by node is done at once.
    }
    steps.clear();
    return false;
  }

  private boolean run(Topology before) {
    boolean numbered = after.rule() instanceof HaproxyRule;
    List<Node> goal = numbered ? HaproxyRule.numbered(after.nodes()) : after.nodes();
    Map<String, Node> then = new HashMap<>();
    goal.forEach(node -> then.put(node.id(), node));
    Map<String, Node> was = new HashMap<>();
    nodes.forEach(node -> was.put(node.id(), node));
    for (Node node : goal) {
      Node old = was.get(node.id());
      if (old == null) {
        nodes.add(node);
        step(node.id());
      } else if (!old.equals(node) && node.weight().compareTo(old.weight()) >= 0) {
        replace(node);
      }
    }
    for (int i = before.nodes().size() - 1; i >= 0; i--) {
      String id = before.nodes().get(i).id();
      Node node = then.get(id);
      Node old = was.get(id);
      if (node == null) {
        nodes.removeIf(n -> n.id().equals(id));
        step(id);
      } else if (old != null && node.weight().compareTo(old.weight()) < 0) {
        replace(node);
      }
    }
    if (looked > MOST_NODES) {
      return false;
    }
    step("", after, "the order of the list");
    return true;
  }

  private void replace(Node node) {
    nodes.replaceAll(n -> n.id().equals(node.id()) ? node : n);
    step(node.id());
  }

  private void step(String id) {
    if (++looked <= MOST_NODES) {
      step(id, new Topology(after.epoch(), after.rule(), nodes), "");
    }
  }

  private void step(String id, Topology next, String detail) {
    if (next.fingerprint().equals(now.fingerprint())) {
      return; // An address, a zone: nothing that decides an owner.
    }
    Placement then = Placements.of(next);
    double moved = Difference.between(placement, then).moved();
    if (moved > 0) {
      int had = now.holdings().getOrDefault(id, 0);
      int has = next.holdings().getOrDefault(id, 0);
      steps.add(id, NodeChange.kind(had, has), next.rule().unit(), had, has, detail, moved);
    }
    now = next;
    placement = then;
  }
}
