package dev.beltway.topology;

import dev.beltway.token.Partitioner;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The algorithm of a topology with all that it needs besides the nodes: the {@code placement} part
 * of a topology file. What an algorithm means for the nodes of a topology is said here as well, so
 * that a new one is one record in this package and one placement.
 */
public sealed interface PlacementRule
    permits RingRule, ModuloRule, SlotsRule, SlicesRule, JumpRule, KetamaRule, PointsByWeight {

  /** The name of the algorithm in topology files, such as {@code ring}. */
  String algorithm();

  /** How a key finds its position. */
  Partitioner partitioner();

  /** What the algorithm can do. */
  Set<Ability> abilities();

  /** Whether the algorithm has that ability. */
  default boolean can(Ability ability) {
    return abilities().contains(ability);
  }

  /** On how many nodes a key is to be; one for algorithms without a preference list. */
  default Replication replication() {
    return new Replication(1, FailureDomain.NODE);
  }

  /** What {@link #holdings} counts, in the plural; empty where nodes hold one thing each. */
  default String unit() {
    return "";
  }

  /**
   * By id, how much of the placement each of the nodes holds, in {@link #unit() the algorithm's own
   * unit}. A node whose count differs between two topologies has grown or shrunk.
   */
  default Map<String, Integer> holdings(List<Node> nodes) {
    return nodes.stream().collect(Collectors.toMap(Node::id, node -> 1));
  }

  /**
   * What the algorithm knows a node by: its id, or for algorithms of other systems the name that it
   * has there. A node whose name changes loses its keys.
   */
  default String nameOf(Node node) {
    return node.id();
  }

  /** How large the placement is: all holdings together unless something else says it better. */
  default long size(List<Node> nodes) {
    return holdings(nodes).values().stream().mapToLong(Integer::longValue).sum();
  }

  /** What {@link #size} counts, in the plural. */
  default String sizeUnit() {
    return unit();
  }

  /** The rule without what follows from the history of its nodes; what people decide about. */
  default PlacementRule settings() {
    return this;
  }

  /**
   * Checks what this algorithm demands of nodes beyond what is checked for all.
   *
   * @throws IllegalArgumentException naming the node and what is allowed
   */
  default void check(List<Node> nodes) {}

  /**
   * Checks that the algorithm can go from one list of nodes to another.
   *
   * @throws IllegalArgumentException if it can't, with the reason
   */
  default void checkChange(List<Node> before, List<Node> after) {}

  /** The rule for the next list of nodes: the same, unless it carries the history of the nodes. */
  default PlacementRule forNext(List<Node> before, List<Node> after) {
    return this;
  }

  /** Appends the lines of the canonical form that follow the name of the algorithm. */
  void describe(List<Node> nodes, StringBuilder text);
}
