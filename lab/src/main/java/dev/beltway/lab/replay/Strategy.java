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

/**
 * One way to route the nodes of two topologies.
 *
 * @param name for people, such as {@code ring}
 * @param before the mapping before the change
 * @param after the mapping after it
 */
public record Strategy(String name, Placement before, Placement after) {

  /**
   * Modulo, ring and slices over the nodes of two topologies. Where the topologies themselves use
   * one of these, it is taken as they state it; else it has the default settings, the same ids and
   * weights. Where they use another algorithm, or two, that comes first.
   *
   * @throws IllegalArgumentException if an algorithm can't have these nodes
   */
  public static List<Strategy> of(Topology before, Topology after) {
    List<Strategy> all = new ArrayList<>();
    PlacementRule was = before.rule();
    PlacementRule is = after.rule();
    boolean compared =
        was.algorithm().equals(is.algorithm())
            && (was instanceof ModuloRule || was instanceof RingRule || was instanceof SlicesRule);
    if (!compared) {
      String name =
          was.algorithm().equals(is.algorithm())
              ? is.algorithm()
              : was.algorithm() + " to " + is.algorithm();
      all.add(of(name, before, after));
    }
    all.add(
        compared && was instanceof ModuloRule
            ? of("modulo", before, after)
            : of("modulo", modulo(before), modulo(after)));
    all.add(
        compared && was instanceof RingRule
            ? of("ring", before, after)
            : of("ring", plain(before, RingRule.DEFAULT), plain(after, RingRule.DEFAULT)));
    all.add(
        compared && was instanceof SlicesRule
            ? of("slices", before, after)
            : slices(before, after));
    return all;
  }

  private static Strategy of(String name, Topology before, Topology after) {
    return new Strategy(name, Placements.of(before), Placements.of(after));
  }

  private static Topology modulo(Topology topology) {
    return Topology.of(
        new ModuloRule(HashFunctions.XXH3_64, false),
        topology.nodes().stream().filter(node -> !node.isDrained()).map(Node::id).toList());
  }

  private static Topology plain(Topology topology, PlacementRule rule) {
    return new Topology(topology.epoch(), rule, nodes(topology));
  }

  /** Slices change from what they were, so that the least moves. */
  private static Strategy slices(Topology before, Topology after) {
    SlicesRule first = SlicesRule.DEFAULT;
    List<Node> nodes = nodes(before);
    SlicesRule next = first.continuing(first.tableFor(nodes), nodes(after));
    return of(
        "slices",
        new Topology(before.epoch(), first, nodes),
        new Topology(after.epoch(), next, nodes(after)));
  }

  private static List<Node> nodes(Topology topology) {
    return topology.nodes().stream()
        .map(node -> Node.of(node.id()).withWeight(node.weight().value()))
        .toList();
  }
}
