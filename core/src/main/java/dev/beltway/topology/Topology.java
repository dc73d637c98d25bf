package dev.beltway.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cluster at one epoch: the rule of placement and the nodes. Everything that decides an owner is
 * in it and nothing else is asked: no clock, no process, and no list order where {@link
 * Ability#ANY_ORDER} holds.
 *
 * <p>A topology may be empty or wholly drained; lookups on it then say so.
 *
 * @param epoch the version, 0 to {@link #LAST_EPOCH}; grows with each change
 * @param rule the algorithm and its settings
 * @param nodes the nodes, ids all different, at most {@value #MOST_NODES}
 */
public record Topology(long epoch, PlacementRule rule, List<Node> nodes) {

  /** The largest epoch, 2⁵³ − 1: the largest whole number that every JSON reader keeps exact. */
  public static final long LAST_EPOCH = (1L << 53) - 1;

  /** The largest number of nodes. */
  public static final int MOST_NODES = 100_000;

  /** From this number of tokens on, lint warns. */
  public static final int MANY_TOKENS = 20_000;

  /**
   * Checks that ids are unique, that the rule can do what the nodes ask for, and that tokens stay
   * within {@code maxTokens}.
   */
  public Topology {
    nodes = List.copyOf(nodes);
    if (epoch < 0 || epoch > LAST_EPOCH) {
      throw new IllegalArgumentException("epoch " + epoch + " is outside 0 to " + LAST_EPOCH);
    }
    if (nodes.size() > MOST_NODES) {
      throw new IllegalArgumentException(nodes.size() + " nodes are more than " + MOST_NODES);
    }
    Set<String> ids = new HashSet<>();
    for (Node node : nodes) {
      if (!ids.add(node.id())) {
        throw new IllegalArgumentException("id " + node.id() + " stands twice");
      }
      checkNode(rule, node);
    }
    rule.check(nodes);
  }

  private static void checkNode(PlacementRule rule, Node node) {
    if (!rule.can(Ability.WEIGHTS) && !node.weight().equals(Weight.ONE)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "weight %s of node %s: %s has no weights, allowed is 1",
              node.weight(),
              node.id(),
              rule.algorithm()));
    }
    refuse(!(rule instanceof RingRule) && node.vnodes().isPresent(), "vnodes", node, rule);
    refuse(!(rule instanceof SlotsRule) && node.slots().isPresent(), "slots", node, rule);
    boolean named =
        rule instanceof KetamaRule || rule instanceof NginxRule || rule instanceof WorkflowRule;
    refuse(!named && node.peer().name().isPresent(), "name", node, rule);
    boolean numbered = rule instanceof HaproxyRule;
    refuse(!numbered && node.peer().haproxyId().isPresent(), "haproxyId", node, rule);
  }

  private static void refuse(boolean refused, String what, Node node, PlacementRule rule) {
    if (refused) {
      throw new IllegalArgumentException(
          what + " of node " + node.id() + ": " + rule.algorithm() + " has no " + what);
    }
  }

  /** A topology of epoch 0 with the default ring and nodes of weight 1. */
  public static Topology ring(String... ids) {
    return of(RingRule.DEFAULT, List.of(ids));
  }

  /** A topology of epoch 0 with nodes of weight 1. */
  public static Topology of(PlacementRule rule, List<String> ids) {
    return new Topology(0, rule, ids.stream().map(Node::of).toList());
  }

  /** The node of that id. */
  public Optional<Node> node(String id) {
    return nodes.stream().filter(node -> node.id().equals(id)).findFirst();
  }

  /** The nodes in the order of their ids' UTF-8 bytes. */
  public List<Node> nodesById() {
    return byId(nodes);
  }

  static List<Node> byId(List<Node> nodes) {
    return nodes.stream().sorted(Comparator.comparing(Node::id, NodeId.UTF8_ORDER)).toList();
  }

  /** The slot table, under the slots rule. */
  public Optional<SlotTable> slotTable() {
    return rule instanceof SlotsRule slots
        ? Optional.of(SlotTable.of(slots, nodes))
        : Optional.empty();
  }

  /**
   * By id, how much of the placement each node holds, in the algorithm's own unit, such as tokens
   * on a ring; see {@link PlacementRule#holdings}.
   */
  public Map<String, Integer> holdings() {
    return rule.holdings(nodes);
  }

  /** How large the placement is: tokens, slots, points, intervals or nodes. */
  public long tokens() {
    return rule.size(nodes);
  }

  /**
   * By id, the share that each node should have: its weight over the sum of weights, 0 to 1. On a
   * ring an exact count of vnodes stands for the weight count / vnodes-per-weight.
   */
  public Map<String, Double> fairShares() {
    double sum = nodes.stream().mapToDouble(this::statedWeight).sum();
    return nodes.stream()
        .collect(Collectors.toMap(Node::id, node -> sum == 0 ? 0.0 : statedWeight(node) / sum));
  }

  /**
   * A node's weight; on a ring an exact count of vnodes stands for the weight count /
   * vnodes-per-weight.
   */
  public double statedWeight(Node node) {
    if (rule instanceof RingRule ring && node.vnodes().isPresent()) {
      return (double) node.vnodes().getAsInt() / ring.vnodes();
    }
    return node.weight().value();
  }

  /**
   * The same cluster with other nodes, one epoch on.
   *
   * @throws IllegalArgumentException if the algorithm can't go there, as {@link JumpRule} can't
   *     from the middle of the list
   */
  public Topology withNodes(List<Node> newNodes) {
    rule.checkChange(nodes, newNodes);
    return new Topology(epoch + 1, rule.forNext(nodes, newNodes), newNodes);
  }

  /** With a node added, one epoch on. */
  public Topology plus(Node node) {
    List<Node> changed = new ArrayList<>(nodes);
    changed.add(node);
    return withNodes(changed);
  }

  /**
   * Without a node, one epoch on.
   *
   * @throws IllegalArgumentException if there is no such node
   */
  public Topology minus(String id) {
    requireNode(id);
    return withNodes(nodes.stream().filter(node -> !node.id().equals(id)).toList());
  }

  /**
   * With a node replaced by one of the same id, one epoch on.
   *
   * @throws IllegalArgumentException if there is no such node
   */
  public Topology with(Node changed) {
    requireNode(changed.id());
    return withNodes(
        nodes.stream().map(node -> node.id().equals(changed.id()) ? changed : node).toList());
  }

  private void requireNode(String id) {
    if (node(id).isEmpty()) {
      throw new IllegalArgumentException(
          "node \"" + Texts.visible(id) + "\" is not in the topology of epoch " + epoch);
    }
  }

  /**
   * All that decides an owner, as text. Topologies with the same text route alike; docs/contract.md
   * specifies it for other languages.
   */
  public String canonicalForm() {
    StringBuilder text = new StringBuilder("beltway 1\n");
    text.append("algorithm ").append(rule.algorithm()).append('\n');
    rule.describe(nodes, text);
    return text.toString();
  }

  /** The fingerprint of the {@link #canonicalForm()}. */
  public Fingerprint fingerprint() {
    return Fingerprint.of(canonicalForm());
  }
}
