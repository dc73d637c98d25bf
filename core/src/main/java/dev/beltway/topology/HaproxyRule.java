package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.PeerHashes;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * HAProxy's {@code hash-type consistent}: 16 points for each unit of weight, made from the server's
 * numeric id alone; a key belongs to the <em>nearest</em> point, not to the next one clockwise.
 *
 * @param function {@code sdbm}, {@code djb2}, {@code wt6} or {@code crc32}
 * @param avalanche whether the key hash is mixed once more
 */
public record HaproxyRule(String function, boolean avalanche) implements PointsByWeight {

  /** Points of a server of weight 1. */
  public static final int POINTS = 16;

  /** HAProxy's largest weight; with it a server's points fill the numbers kept for its id. */
  public static final int MOST_WEIGHT = 256;

  /** What {@code hash-type consistent} means without more words. */
  public static final HaproxyRule DEFAULT = new HaproxyRule("sdbm", true);

  /** Checks the name of the function. */
  public HaproxyRule {
    if (!functions().contains(function)) {
      throw new IllegalArgumentException(
          "function " + function + " is not one of " + String.join(", ", functions()));
    }
  }

  /** The names of HAProxy's functions. */
  public static List<String> functions() {
    return PeerHashes.ofHaproxy().keySet().stream().filter(n -> n.indexOf('+') < 0).toList();
  }

  /**
   * By node, the numeric id: the one that it states, else its position in the list from 1, as
   * HAProxy counts.
   */
  public static Map<String, Integer> ids(List<Node> nodes) {
    Map<String, Integer> ids = new LinkedHashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      ids.put(nodes.get(i).id(), nodes.get(i).peer().haproxyId().orElse(i + 1));
    }
    return ids;
  }

  private HashFunction hash() {
    HashFunction hash = PeerHashes.ofHaproxy().get(avalanche ? function + "+avalanche" : function);
    if (hash == null) {
      throw new IllegalStateException("no function " + function);
    }
    return hash;
  }

  @Override
  public String algorithm() {
    return "haproxy";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(hash(), false);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.of(Ability.WEIGHTS, Ability.RANGES);
  }

  @Override
  public int pointsOfWeightOne() {
    return POINTS;
  }

  @Override
  public int mostWeight() {
    return MOST_WEIGHT;
  }

  @Override
  public void check(List<Node> nodes) {
    PointsByWeight.super.check(nodes);
    Map<Integer, String> seen = new HashMap<>();
    ids(nodes)
        .forEach(
            (node, id) -> {
              String other = seen.putIfAbsent(id, node);
              if (other != null) {
                throw new IllegalArgumentException(
                    "haproxyId " + id + " of node " + node + " is that of node " + other + " too");
              }
            });
  }

  /** The nodes with their ids stated, so that one can be left out and no other is renumbered. */
  public static List<Node> numbered(List<Node> nodes) {
    Map<String, Integer> ids = ids(nodes);
    return nodes.stream()
        .map(node -> node.withPeer(Peer.numbered(ids.getOrDefault(node.id(), 1))))
        .toList();
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("function ").append(function).append('\n');
    text.append("avalanche ").append(avalanche).append('\n');
    Map<String, Integer> ids = ids(nodes);
    for (Node node : nodes) {
      if (!node.isDrained()) {
        text.append("node ").append(node.weight()).append(' ');
        text.append(ids.get(node.id())).append(' ').append(node.id()).append('\n');
      }
    }
  }
}
