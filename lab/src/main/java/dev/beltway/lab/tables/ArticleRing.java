package dev.beltway.lab.tables;

import dev.beltway.hash.HashFunction;
import dev.beltway.token.TokenMap;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * A ring as an article builds it: tokens from labels, keys by the same hash. Owners are numbered in
 * the order of {@code nodes}, which is also the order in which equal tokens prefer them.
 *
 * @param nodes the node names
 * @param hash places tokens and keys
 * @param tokens the compiled ring
 * @param strictlyAfter whether a key belongs to the first token strictly after it (article 004)
 */
public record ArticleRing(
    List<String> nodes, HashFunction hash, TokenMap tokens, boolean strictlyAfter) {

  /**
   * Tokens {@code node#0} … {@code node#(v−1)}; a key belongs to the first token at or after it.
   */
  public static ArticleRing of(List<String> nodes, int vnodes, HashFunction hash) {
    return of(nodes, vnodes, hash, node -> true);
  }

  /** The same ring with one node gone; the others keep their numbers. */
  static ArticleRing without(String gone, List<String> nodes, int vnodes, HashFunction hash) {
    return of(nodes, vnodes, hash, node -> !node.equals(gone));
  }

  private static ArticleRing of(
      List<String> nodes, int vnodes, HashFunction hash, Predicate<String> present) {
    int[] counts = nodes.stream().mapToInt(node -> present.test(node) ? vnodes : 0).toArray();
    long[] tokens = new long[Arrays.stream(counts).sum()];
    int at = 0;
    for (int node = 0; node < counts.length; node++) {
      for (int i = 0; i < counts[node]; i++) {
        tokens[at++] = hash.position(nodes.get(node) + "#" + i);
      }
    }
    return new ArticleRing(nodes, hash, TokenMap.of(tokens, counts), false);
  }

  /** The same ring with keys belonging to the first token strictly after them. */
  public ArticleRing strict() {
    return new ArticleRing(nodes, hash, tokens, true);
  }

  /** One token a node, its name; a key belongs to the first token strictly after it. */
  public static ArticleRing ofNames(List<String> nodes, HashFunction hash) {
    long[] tokens = nodes.stream().mapToLong(hash::position).toArray();
    int[] counts = new int[nodes.size()];
    Arrays.fill(counts, 1);
    return new ArticleRing(nodes, hash, TokenMap.of(tokens, counts), true);
  }

  /** The position that is looked up for a key. */
  public long position(String key) {
    long position = hash.position(key);
    // The next value of the hash, wrapping, makes "first at or after" into "first strictly after".
    return strictlyAfter ? position + (1L << (Long.SIZE - hash.bits())) : position;
  }

  /** The number of a key's owner. */
  public int owner(String key) {
    return tokens.ownerAt(position(key));
  }
}
