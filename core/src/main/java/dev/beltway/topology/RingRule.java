package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.Set;

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
 * @param replicas how many distinct nodes hold a key, 1 to 16
 * @param maxTokens the largest number of tokens of all nodes together, 1 to 100,000,000
 */
public record RingRule(
    HashFunction hash,
    int vnodes,
    int minVnodes,
    String separator,
    boolean hashTags,
    int replicas,
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

  /** The largest number of replicas. */
  public static final int MOST_REPLICAS = 16;

  /** All defaults: xxh3-64, 150 tokens a node, at least 10, separator {@code #}. */
  public static final RingRule DEFAULT =
      new RingRule(
          HashFunctions.XXH3_64,
          DEFAULT_VNODES,
          DEFAULT_MIN_VNODES,
          DEFAULT_SEPARATOR,
          false,
          1,
          DEFAULT_MAX_TOKENS);

  private static final int MOST_SEPARATOR_CHARS = 32;

  /** Checks the ranges. */
  public RingRule {
    checkRange("vnodes", vnodes, 1, Node.MOST_VNODES);
    checkRange("minVnodes", minVnodes, 1, Node.MOST_VNODES);
    checkRange("replicas", replicas, 1, MOST_REPLICAS);
    checkRange("maxTokens", maxTokens, 1, MOST_TOKENS);
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

  static void checkRange(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " " + value + " is outside " + least + " to " + most);
    }
  }

  /** The same rule with another number of tokens. */
  public RingRule withVnodes(int newVnodes) {
    return new RingRule(hash, newVnodes, minVnodes, separator, hashTags, replicas, maxTokens);
  }

  /** The same rule with another hash. */
  public RingRule withHash(HashFunction newHash) {
    return new RingRule(newHash, vnodes, minVnodes, separator, hashTags, replicas, maxTokens);
  }

  /** The same rule with another limit on all tokens. */
  public RingRule withMaxTokens(int newMaxTokens) {
    return new RingRule(hash, vnodes, minVnodes, separator, hashTags, replicas, newMaxTokens);
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
}
