package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A ring with virtual nodes (Karger et al., 1997): the tokens of a node are the hashes of {@code id
 * + separator + index} for index 0, 1, 2 …; a position belongs to the first token at or after it.
 *
 * @param hash places tokens and keys alike
 * @param vnodes tokens of a node of weight 1, 1 to 1,000,000
 * @param minVnodes the least number of tokens of a node whose weight is not 0, 1 to {@code vnodes}'
 *     range
 * @param separator between id and index; not empty, not ending in a digit, so that no two nodes
 *     share a label
 * @param hashTags whether Redis's hash-tag rule comes first
 * @param replication how many distinct nodes hold a key
 * @param maxTokens the largest number of tokens of all nodes together, 1 to 100,000,000
 */
public record RingRule(
    HashFunction hash,
    int vnodes,
    int minVnodes,
    String separator,
    boolean hashTags,
    Replication replication,
    int maxTokens)
    implements PlacementRule {

  /** The default number of tokens of a node of weight 1. */
  public static final int DEFAULT_VNODES = 150;

  /** The default floor under a node's tokens. */
  public static final int DEFAULT_MIN_VNODES = 10;

  /** The default separator. */
  public static final String DEFAULT_SEPARATOR = "#";

  /** The default limit on all tokens. */
  public static final int DEFAULT_MAX_TOKENS = 1_000_000;

  /** The largest limit on all tokens. */
  public static final int MOST_TOKENS = 100_000_000;

  /** All defaults: xxh3-64, 150 tokens a node, at least 10, separator {@code #}. */
  public static final RingRule DEFAULT =
      new RingRule(
          HashFunctions.XXH3_64,
          DEFAULT_VNODES,
          DEFAULT_MIN_VNODES,
          DEFAULT_SEPARATOR,
          false,
          Replication.NONE,
          DEFAULT_MAX_TOKENS);

  private static final int MOST_SEPARATOR_CHARS = 32;

  /** Checks the ranges. */
  public RingRule {
    Ranges.check("vnodes", vnodes, 1, Node.MOST_VNODES);
    Ranges.check("minVnodes", minVnodes, 1, Node.MOST_VNODES);
    Ranges.check("maxTokens", maxTokens, 1, MOST_TOKENS);
    if (separator.isEmpty()
        || separator.length() > MOST_SEPARATOR_CHARS
        || Character.isDigit(separator.charAt(separator.length() - 1))
        || !Texts.isPlain(separator)) {
      throw new IllegalArgumentException(
          "separator \""
              + Texts.visible(separator)
              + "\" is not 1 to 32 characters without control characters, the last not a digit");
    }
  }

  /** The same rule with another number of tokens. */
  public RingRule withVnodes(int newVnodes) {
    return new RingRule(hash, newVnodes, minVnodes, separator, hashTags, replication, maxTokens);
  }

  /** The same rule with another hash. */
  public RingRule withHash(HashFunction newHash) {
    return new RingRule(newHash, vnodes, minVnodes, separator, hashTags, replication, maxTokens);
  }

  /** The same rule with or without Redis's hash-tag rule. */
  public RingRule withHashTags(boolean newHashTags) {
    return new RingRule(hash, vnodes, minVnodes, separator, newHashTags, replication, maxTokens);
  }

  /** The same rule with other replicas. */
  public RingRule withReplication(Replication newReplication) {
    return new RingRule(hash, vnodes, minVnodes, separator, hashTags, newReplication, maxTokens);
  }

  /** The same rule with another limit on all tokens. */
  public RingRule withMaxTokens(int newMaxTokens) {
    return new RingRule(hash, vnodes, minVnodes, separator, hashTags, replication, newMaxTokens);
  }

  /**
   * The number of tokens of a node: the count that it states, else ⌊vnodes · weight + ½⌋ but at
   * least {@code minVnodes}; 0 for weight 0. It depends on the node's own weight alone, so that no
   * other node's change moves its tokens.
   */
  public int vnodesOf(Node node) {
    if (node.vnodes().isPresent()) {
      return node.vnodes().getAsInt();
    }
    if (node.weight().isZero()) {
      return 0;
    }
    double count = Math.floor(vnodes * node.weight().value() + 0.5);
    return (int) Math.min(Integer.MAX_VALUE, Math.max(minVnodes, count));
  }

  @Override
  public String algorithm() {
    return "ring";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(hash, hashTags);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.allOf(Ability.class);
  }

  @Override
  public String unit() {
    return "tokens";
  }

  @Override
  public Map<String, Integer> holdings(List<Node> nodes) {
    return nodes.stream().collect(Collectors.toMap(Node::id, this::vnodesOf));
  }

  @Override
  public void check(List<Node> nodes) {
    long tokens = nodes.stream().mapToLong(this::vnodesOf).sum();
    if (tokens > maxTokens) {
      throw new IllegalArgumentException(tokens + " tokens are more than maxTokens " + maxTokens);
    }
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("hash ").append(hash.name()).append('\n');
    text.append("separator ").append(separator).append('\n');
    text.append("hashTags ").append(hashTags).append('\n');
    for (Node node : Topology.byId(nodes)) {
      if (vnodesOf(node) > 0) {
        text.append("node ").append(vnodesOf(node)).append(' ').append(node.id()).append('\n');
      }
    }
  }
}
