package dev.beltway.handover;

import dev.beltway.placement.Placement;
import dev.beltway.topology.Node;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy obeys: the stored state with its mappings compiled. Immutable.
 *
 * @param state as stored
 * @param from the mapping that holds, or that keys leave
 * @param to the mapping that keys move to; empty in {@link Phase#STEADY}
 * @param flows who gives keys to whom
 */
public record RoutingState(
    ClusterState state, Placement from, Optional<Placement> to, Flows flows) {

  /** Checks that the mappings are those of the state. */
  public RoutingState {
    if (state.phase() != Phase.STEADY && to.isEmpty()) {
      throw new IllegalArgumentException("phase " + state.phase() + " without a second mapping");
    }
  }

  /** Compiles a state in which two mappings are in play. */
  public static RoutingState of(ClusterState state, Placement from, Placement to) {
    Way way = state.way();
    Placement here = way.stop(state.leg(), from, to);
    Placement there = way.stop(state.leg() + 1, from, to);
    Flows flows = way.flows(state.leg(), Flows.between(from, to));
    return new RoutingState(state, here, Optional.of(there), flows);
  }

  /** Compiles a steady state. */
  public static RoutingState steady(ClusterState state, Placement placement) {
    return new RoutingState(state, placement, Optional.empty(), Flows.none(placement));
  }

  /** Another state about the same mappings. */
  public RoutingState with(ClusterState next) {
    return new RoutingState(next, from, to, flows);
  }

  /** The version of the state. */
  public long version() {
    return state.version();
  }

  /** Where the cluster is. */
  public Phase phase() {
    return state.phase();
  }

  /** The mapping by which commands are sent now. */
  public Placement routes() {
    return phase() == Phase.MOVING ? to.orElseThrow() : from;
  }

  /** The node that a key leaves; null if it stays. */
  public @Nullable String source(byte[] key, int offset, int length) {
    if (to.isEmpty()) {
      return null;
    }
    String here = from.owner(key, offset, length).id();
    return here.equals(to.get().owner(key, offset, length).id()) ? null : here;
  }

  /** The node that a key leaves, by its bytes as Latin-1; null if it stays. */
  public @Nullable String source(String key) {
    byte[] bytes = Latin1.bytes(key);
    return source(bytes, 0, bytes.length);
  }

  /** The node that a key moves to, by its bytes as Latin-1. */
  public String target(String key) {
    return to.orElse(from).owner(Latin1.bytes(key)).id();
  }

  /** The owner of a key before the change, by its bytes as Latin-1. */
  public String before(String key) {
    return from.owner(Latin1.bytes(key)).id();
  }

  /** A node of either mapping. */
  public Optional<Node> node(String id) {
    Optional<Node> found =
        to.stream()
            .flatMap(placement -> placement.owners().stream())
            .filter(node -> node.id().equals(id))
            .findFirst();
    if (found.isEmpty()) {
      found = from.owners().stream().filter(node -> node.id().equals(id)).findFirst();
    }
    if (found.isEmpty()) { // It owns nothing.
      found = to.flatMap(placement -> placement.topology().node(id));
    }
    return found.isPresent() ? found : from.topology().node(id);
  }

  /** The ids of all nodes that are named in either mapping, also if they own nothing. */
  public Set<String> listed() {
    Set<String> ids = new TreeSet<>(nodes());
    from.topology().nodes().forEach(node -> ids.add(node.id()));
    to.ifPresent(placement -> placement.topology().nodes().forEach(node -> ids.add(node.id())));
    return ids;
  }

  /** Whether a node is to be found at another address after the change. */
  boolean isElsewhere(String id) {
    Optional<String> before = from.topology().node(id).flatMap(Node::address);
    Optional<String> after =
        to.flatMap(placement -> placement.topology().node(id)).flatMap(Node::address);
    return phase() == Phase.PREPARING
        && before.isPresent()
        && after.isPresent()
        && !before.equals(after);
  }

  /** The ids of all nodes that own something in either mapping. */
  public Set<String> nodes() {
    return flows.nodes();
  }
}
