package dev.beltway.proxy;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Waypoint;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Address;
import dev.beltway.topology.Fingerprint;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.Topology;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a proxy obeys: a topology, compiled. Immutable; a change makes a new one.
 *
 * @param placement the whole topology, whoever is down
 * @param nodes the nodes that own something, by id: the order in which they are visited where all
 *     are
 * @param fingerprint of the topology
 * @param loads what each node carries, beside what its weight stands for
 */
record Routing(
    Placement placement, List<Node> nodes, Fingerprint fingerprint, Map<String, NodeLoad> loads) {

  /**
   * Of a topology.
   *
   * @throws IllegalArgumentException if a node that owns something has no address, or none does
   */
  static Routing of(Topology topology) {
    Placement placement = Placements.of(topology);
    List<Node> nodes =
        placement.owners().stream()
            .sorted(Comparator.comparing(Node::id, NodeId.UTF8_ORDER))
            .toList();
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("no node of the topology owns anything");
    }
    Map<String, String> seen = new HashMap<>();
    for (Node node : nodes) {
      if (node.address().isEmpty()) {
        throw new IllegalArgumentException("node " + node.id() + " has no address");
      }
      String other = seen.put(node.address().get(), node.id());
      if (other != null) {
        throw new IllegalArgumentException(
            "nodes " + other + " and " + node.id() + " have the same address");
      }
    }
    Map<String, NodeLoad> loads = new HashMap<>();
    LoadReport.of(placement).nodes().forEach(load -> loads.put(load.id(), load));
    return new Routing(placement, nodes, topology.fingerprint(), loads);
  }

  /**
   * Of a state in which two mappings may be in play: requests go by the one that holds, and the
   * nodes are those of both, sources before targets, so that a walk over them in this order sees
   * each key that moves meanwhile. A node that gives and gets is visited twice.
   */
  static Routing of(RoutingState state) {
    if (!state.phase().isBetween() && !(state.routes() instanceof Waypoint)) {
      return of(state.routes().topology());
    }
    Map<String, NodeLoad> loads = new HashMap<>();
    if (!(state.routes() instanceof Waypoint)) {
      LoadReport.of(state.routes()).nodes().forEach(load -> loads.put(load.id(), load));
    }
    List<Node> ordered = new ArrayList<>();
    Set<String> sources = state.flows().sources();
    state.flows().sources().forEach(id -> ordered.add(state.node(id).orElseThrow()));
    state.nodes().stream()
        .filter(id -> !sources.contains(id) || state.flows().receivers().contains(id))
        .forEach(id -> ordered.add(state.node(id).orElseThrow()));
    return new Routing(
        state.routes(), List.copyOf(ordered), state.routes().topology().fingerprint(), loads);
  }

  /** What a node carries. */
  NodeLoad load(String node) {
    return loads.getOrDefault(node, new NodeLoad(node, 0, 0));
  }

  Topology topology() {
    return placement.topology();
  }

  /** The address of a node, to be looked up when it is connected to. */
  static InetSocketAddress address(Node node) {
    String address = node.address().orElseThrow();
    return InetSocketAddress.createUnresolved(Address.hostName(address), Address.port(address));
  }
}
