package dev.beltway.lab.trials;

import dev.beltway.hash.HashFunction;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a trial is about: how many nodes of which weights, on which hash, and how many groups of
 * names. The names of a group follow from its number alone, so a trial can be repeated.
 *
 * @param weights a weight for each node, 1 to {@value #MOST_NODES} of them
 * @param hash places tokens and keys
 * @param groups sets of names, 1 to {@value #MOST_GROUPS}
 */
public record Setting(List<Double> weights, HashFunction hash, int groups) {

  /** The most nodes. */
  public static final int MOST_NODES = 10_000;

  /** The most groups. */
  public static final int MOST_GROUPS = 10_000;

  /** The most tokens of one ring. */
  public static final int MOST_TOKENS = 5_000_000;

  /** The most tokens of all rings of a trial: some minutes' work. */
  public static final long MOST_WORK = 1_000_000_000L;

  /** Checks the ranges. */
  public Setting {
    weights = List.copyOf(weights);
    check("nodes", weights.size(), MOST_NODES);
    check("groups", groups, MOST_GROUPS);
  }

  private static void check(String name, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(name + " " + value + " is outside 1 to " + most);
    }
  }

  /** So many nodes of weight 1. */
  public static Setting equal(int nodes, HashFunction hash, int groups) {
    check("nodes", nodes, MOST_NODES);
    return new Setting(Collections.nCopies(nodes, 1.0), hash, groups);
  }

  /** The number of nodes. */
  public int nodes() {
    return weights.size();
  }

  /** Whether all weights are the same. */
  public boolean isEqual() {
    return weights.stream().distinct().count() == 1;
  }

  /** A ring rule with so many vnodes for weight 1, and no floor that would blur weights. */
  public RingRule ring(int vnodes) {
    return new RingRule(
        hash, vnodes, 1, RingRule.DEFAULT_SEPARATOR, false, Replication.NONE, MOST_TOKENS);
  }

  /**
   * The cluster of a group under a rule.
   *
   * @throws IllegalArgumentException if it has more than {@value #MOST_TOKENS} tokens
   */
  public Topology cluster(PlacementRule rule, int group) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < weights.size(); i++) {
      nodes.add(Node.of("g" + group + "-node-" + i).withWeight(weights.get(i)));
    }
    return new Topology(0, rule, nodes);
  }

  /**
   * The tokens of one ring with so many vnodes for weight 1.
   *
   * @throws IllegalArgumentException if they are too many for a ring or, over all groups, for a
   *     trial
   */
  public long tokens(int vnodes) {
    check("vnodes", vnodes, Node.MOST_VNODES);
    double tokens = 0;
    for (double weight : weights) {
      tokens += Math.max(1, Math.floor(vnodes * weight + 0.5));
    }
    if (tokens > MOST_TOKENS) {
      throw new IllegalArgumentException(
          String.format(
              java.util.Locale.ROOT,
              "vnodes %d on %d nodes make %.0f tokens, more than %d",
              vnodes,
              nodes(),
              tokens,
              MOST_TOKENS));
    }
    if (tokens * groups > MOST_WORK) {
      throw new IllegalArgumentException(
          String.format(
              java.util.Locale.ROOT,
              "%.0f tokens in each of %d groups are more than %d in all: take fewer groups",
              tokens,
              groups,
              MOST_WORK));
    }
    return (long) tokens;
  }
}
