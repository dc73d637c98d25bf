package dev.beltway.simulation;

import dev.beltway.handover.ClusterState;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Way;
import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The mappings that schedules change between, made once, and keys that move in each. */
final class Mappings {

  /** From one mapping to another and back, with keys of which most move. */
  record Pair(String name, Placement from, Placement to, List<String> keys) {}

  /** A node joins, one leaves, weights change, and a modulo pool becomes a ring. */
  static final List<Pair> PAIRS =
      List.of(
          pair("join", ring("a", "b"), ring("a", "b", "c")),
          pair("leave", ring("a", "b", "c"), ring("a", "b")),
          pair("weight", ring("a", "b"), weighted()),
          pair("modulo", modulo(), ring("a", "b")));

  private record Legs(Placement from, Placement to, Way way, int leg) {}

  private static final Map<Legs, RoutingState> ROUTINGS = new ConcurrentHashMap<>();

  private Mappings() {}

  static RoutingState routing(ClusterState state, Placement from, Placement to) {
    RoutingState first =
        ROUTINGS.computeIfAbsent(
            new Legs(from, to, state.way(), state.leg()), legs -> RoutingState.of(state, from, to));
    return first.with(state);
  }

  private static Node node(String id) {
    return Node.of(id).withAddress(id + ":1");
  }

  private static RingRule rule() {
    RingRule usual = RingRule.DEFAULT;
    return new RingRule(
        usual.hash(), 8, 1, usual.separator(), true, Replication.NONE, usual.maxTokens());
  }

  private static Placement ring(String... ids) {
    List<Node> nodes = new ArrayList<>();
    for (String id : ids) {
      nodes.add(node(id));
    }
    return Placements.of(new Topology(1, rule(), nodes));
  }

  private static Placement weighted() {
    return Placements.of(
        new Topology(1, rule(), List.of(node("a").withWeight(3), node("b").withWeight(0.5))));
  }

  private static Placement modulo() {
    return Placements.of(
        new Topology(1, new ModuloRule(HashFunctions.CRC16, true), List.of(node("a"), node("b"))));
  }

  /** Two keys that move together, one that moves by itself, and one that stays. */
  private static Pair pair(String name, Placement from, Placement to) {
    String together = "";
    String alone = "";
    String staying = "";
    for (int i = 0; i < 1000; i++) {
      String tag = "t" + i;
      boolean moves = !from.owner(tag).id().equals(to.owner(tag).id());
      if (moves && together.isEmpty()) {
        together = tag;
      } else if (moves
          && alone.isEmpty()
          && !from.owner(tag).id().equals(from.owner(together).id())) {
        alone = tag;
      } else if (!moves && staying.isEmpty()) {
        staying = tag;
      }
    }
    if (alone.isEmpty()) {
      alone = together; // Every moving key leaves the same node.
    }
    return new Pair(
        name,
        from,
        to,
        List.of(
            "{" + together + "}x",
            "{" + together + "}y",
            "{" + alone + "}n",
            "{" + staying + "}z"));
  }
}
