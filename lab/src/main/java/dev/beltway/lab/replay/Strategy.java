package dev.beltway.lab.replay;

import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One way to route the nodes of two topologies.
 *
 * @param name for people, such as {@code ring}
 * @param before the mapping before the change
 * @param after the mapping after it
 * @param weightsBefore by id, the weights of the nodes before the change; their caches are as
 *     large, whether the mapping knows weights or not
 * @param weightsAfter by id, the weights of the nodes after it
 */
public record Strategy(
    String name,
    Placement before,
    Placement after,
    Map<String, Double> weightsBefore,
    Map<String, Double> weightsAfter) {

  /** Copies the maps. */
  public Strategy {
    weightsBefore = Map.copyOf(weightsBefore);
    weightsAfter = Map.copyOf(weightsAfter);
  }

  /** A strategy whose caches have the weights that its mappings know. */
  public Strategy(String name, Placement before, Placement after) {
    this(name, before, after, weights(before.topology()), weights(after.topology()));
  }

  /**
   * Modulo, ring and slices over the nodes of two topologies. Where the topologies themselves use
   * one of these, it is taken as they state it; else it has the default settings, the same ids and
   * weights. Where they use another algorithm, or two, that comes first.
   *
   * @throws IllegalArgumentException if an algorithm can't have these nodes
   */
  public static List<Strategy> of(Topology before, Topology after) {
    PlacementRule was = before.rule();
    PlacementRule is = after.rule();
    boolean compared =
        was.algorithm().equals(is.algorithm())
            && (was instanceof ModuloRule || was instanceof RingRule || was instanceof SlicesRule);
    List<Strategy> all = new ArrayList<>();
    if (!compared) {
      String name =
          was.algorithm().equals(is.algorithm())
              ? is.algorithm()
              : was.algorithm() + " to " + is.algorithm();
      all.add(new Strategy(name, Placements.of(before), Placements.of(after)));
    }
    boolean modulo = compared && was instanceof ModuloRule;
    boolean ring = compared && was instanceof RingRule;
    boolean slices = compared && was instanceof SlicesRule;
    List<Node> nodes = nodes(before);
    List<Node> nodesAfter = nodes(after);
    SlicesRule first = SlicesRule.DEFAULT;
    all.add(
        new Strategy(
            "modulo",
            Placements.of(modulo ? before : modulo(nodes)),
            Placements.of(modulo ? after : modulo(nodesAfter)),
            weights(before),
            weights(after)));
    all.add(
        new Strategy(
            "ring",
            Placements.of(ring ? before : new Topology(1, RingRule.DEFAULT, nodes)),
            Placements.of(ring ? after : new Topology(2, RingRule.DEFAULT, nodesAfter)),
            weights(before),
            weights(after)));
    // Slices change from what they were, so that the least moves.
    SlicesRule next = first.continuing(first.tableFor(nodes), nodesAfter);
    all.add(
        new Strategy(
            "slices",
            Placements.of(slices ? before : new Topology(1, first, nodes)),
            Placements.of(slices ? after : new Topology(2, next, nodesAfter)),
            weights(before),
            weights(after)));
    return all;
  }

  private static Topology modulo(List<Node> nodes) {
    return Topology.of(
        new ModuloRule(HashFunctions.XXH3_64, false),
        nodes.stream().filter(node -> !node.isDrained()).map(Node::id).toList());
  }

  /** The nodes with nothing but their weights, which every algorithm but modulo understands. */
  private static List<Node> nodes(Topology topology) {
    return topology.nodes().stream()
        .map(node -> Node.of(node.id()).withWeight(topology.statedWeight(node)))
        .toList();
  }

  private static Map<String, Double> weights(Topology topology) {
    return topology.nodes().stream().collect(Collectors.toMap(Node::id, topology::statedWeight));
  }
}
