package dev.beltway.plan;

import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happens to one node between two topologies.
 *
 * @param id the node
 * @param kind what happens
 * @param before what it holds before, in the algorithm's unit; 0 if it isn't there; 1 for something
 *     where the algorithm changes or has neither
 * @param after what it holds afterwards
 * @param addressChanged whether it is reached elsewhere, which moves no key unless its address is
 *     its name
 */
public record NodeChange(String id, Kind kind, int before, int after, boolean addressChanged) {

  /** What can happen to a node. */
  public enum Kind {
    /** Nothing. */
    STAYS,
    /** It wasn't there, or owned nothing. */
    JOINS,
    /** It holds more than before. */
    GROWS,
    /** It holds less than before, but something. */
    SHRINKS,
    /** It isn't there any more, or owns nothing. */
    LEAVES
  }

  /** All nodes of either topology: those of the first in its order, then the new ones. */
  public static List<NodeChange> between(Topology before, Topology after) {
    Map<String, Integer> had = new HashMap<>(before.holdings());
    Map<String, Integer> has = new HashMap<>(after.holdings());
    if (!before.rule().algorithm().equals(after.rule().algorithm())) {
      // Tokens, slots and nodes can't be compared: only owning or not owning is.
      had.replaceAll((id, count) -> Math.min(count, 1));
      has.replaceAll((id, count) -> Math.min(count, 1));
    }
    Map<String, Node> now = new HashMap<>();
    after.nodes().forEach(node -> now.put(node.id(), node));
    List<NodeChange> changes = new ArrayList<>();
    for (Node node : before.nodes()) {
      Node same = now.get(node.id());
      boolean moved = same != null && !same.address().equals(node.address());
      changes.add(
          of(node.id(), had.getOrDefault(node.id(), 0), has.getOrDefault(node.id(), 0), moved));
    }
    for (Node node : after.nodes()) {
      if (!had.containsKey(node.id())) {
        changes.add(of(node.id(), 0, has.getOrDefault(node.id(), 0), false));
      }
    }
    return changes;
  }

  private static NodeChange of(String id, int before, int after, boolean addressChanged) {
    return new NodeChange(id, kind(before, after), before, after, addressChanged);
  }

  /** What going from so much to so much is called. */
  static Kind kind(int before, int after) {
    Kind kind;
    if (before == after) {
      kind = Kind.STAYS;
    } else if (before == 0) {
      kind = Kind.JOINS;
    } else if (after == 0) {
      kind = Kind.LEAVES;
    } else {
      kind = after > before ? Kind.GROWS : Kind.SHRINKS;
    }
    return kind;
  }

  /** Whether keys may go to the node: it joins or grows. */
  public boolean gains() {
    return after > before;
  }

  /** Whether keys may go from the node: it leaves or shrinks. */
  public boolean loses() {
    return after < before;
  }
}
