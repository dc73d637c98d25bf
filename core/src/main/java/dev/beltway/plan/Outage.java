package dev.beltway.plan;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.placement.ClockwisePlacement;
import dev.beltway.placement.Failover;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * What every other node gets when one fails and its keys go on to those that are left.
 *
 * @param node the node that fails
 * @param lost the part of all keys that it held
 * @param receivers the others
 * @param movedBetweenOthers the part of all keys that changes its node though neither fails; under
 *     modulo nearly everything, under ketama with unequal weights some, else 0
 * @param note what is special about this algorithm; may be empty
 */
public record Outage(
    String node, double lost, List<Receiver> receivers, double movedBetweenOthers, String note) {

  /**
   * One node that is left.
   *
   * @param id the node
   * @param gained the part of all keys that it gets in addition
   * @param load its load then; the fair share is one among the nodes that are left
   * @param keys how many keys it has then, if the number of all is known
   */
  public record Receiver(String id, double gained, NodeLoad load, OptionalLong keys) {}

  /**
   * The outage of a node of the topology.
   *
   * @throws IllegalArgumentException if there is no such node, or no other that owns anything
   */
  public static Outage of(Topology topology, String id, Sizing sizing) {
    Node failing =
        topology
            .node(id)
            .orElseThrow(
                () -> new IllegalArgumentException("node " + id + " is in neither topology"));
    List<Node> others =
        topology.nodes().stream().filter(node -> !node.id().equals(failing.id())).toList();
    if (others.stream().allMatch(Node::isDrained)) {
      throw new IllegalArgumentException("node " + id + " is the only one that owns anything");
    }
    Placement whole = Placements.of(topology);
    Placement rest = without(topology, id, others, whole);
    LoadReport before = LoadReport.of(whole);
    LoadReport after =
        rest instanceof Failover failover ? sampled(failover, others) : LoadReport.of(rest);
    Difference difference = Difference.between(whole, rest);
    Map<String, Double> gained =
        difference.flows().stream()
            .collect(Collectors.groupingBy(Flow::to, Collectors.summingDouble(Flow::share)));
    double lost = before.node(id).map(NodeLoad::share).orElse(0.0);
    List<Receiver> receivers = new ArrayList<>();
    for (NodeLoad load : after.nodes()) {
      receivers.add(
          new Receiver(
              load.id(), gained.getOrDefault(load.id(), 0.0), load, sizing.keys(load.share())));
    }
    double betweenOthers =
        difference.flows().stream()
            .filter(flow -> !flow.from().equals(id))
            .mapToDouble(Flow::share)
            .sum();
    return new Outage(id, lost, List.copyOf(receivers), betweenOthers, note(topology));
  }

  /** Over made-up keys, with fair shares among the nodes that are left. */
  private static LoadReport sampled(Failover failover, List<Node> others) {
    Topology whole = failover.topology();
    return LoadReport.sampled(
        failover, new Topology(whole.epoch(), whole.rule().settings(), others));
  }

  /** Who owns what while the node is down. */
  private static Placement without(
      Topology topology, String id, List<Node> others, Placement whole) {
    if (topology.rule() instanceof JumpRule
        && !others.equals(topology.nodes().subList(0, others.size()))) {
      throw new IllegalArgumentException(
          "jump has no second owner of a key: while node "
              + id
              + " is down its keys have none; only the last node can be left out");
    }
    if (whole instanceof OrderedPlacement ordered && !(whole instanceof ClockwisePlacement)) {
      return Failover.of(ordered, List.of(id));
    }
    // Slots of the node are dealt to the others; elsewhere the node is just not there.
    List<Node> left = topology.slotTable().map(table -> table.without(id).stated()).orElse(others);
    if (topology.rule() instanceof HaproxyRule) {
      left = HaproxyRule.numbered(topology.nodes());
      left = left.stream().filter(node -> !node.id().equals(id)).toList();
    }
    return Placements.of(new Topology(topology.epoch(), topology.rule(), left), whole);
  }

  private static String note(Topology topology) {
    return switch (topology.rule().algorithm()) {
      case "ketama" ->
          "the pool is made anew without it, as auto-eject does; with unequal weights that changes"
              + " the points of the others too";
      case "jump" -> "clients that drop the last node compute jump over one node less";
      case "slices" ->
          "counted over 400,000 made-up keys, ± 0.1 points; its ranges go to nodes scattered over"
              + " the ring, by share";
      case "modulo" -> "clients that drop the node from the list compute hash % (N - 1)";
      case "slots" ->
          "slots don't move by themselves: until the table is changed their keys are unavailable;"
              + " here its slots go to the others by weight";
      default -> "";
    };
  }
}
