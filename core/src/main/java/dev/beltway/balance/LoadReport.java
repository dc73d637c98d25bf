package dev.beltway.balance;

import dev.beltway.placement.Placement;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.token.Share;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The load of every node beside its fair share.
 *
 * <p>Loads are compared with what each node's weight gives it, so that a cluster of unequal
 * machines that is loaded as it should be counts as even. With equal weights {@link #maxOverMean}
 * and {@link #cv} are the usual ones.
 *
 * @param nodes in the order of the topology, drained ones included
 * @param exact whether shares are exact parts of the ring rather than counted or sampled
 */
public record LoadReport(List<NodeLoad> nodes, boolean exact) {

  /** How many keys stand for all where shares can't be computed exactly. */
  public static final int SAMPLES = 400_000;

  /** Copies the list. */
  public LoadReport {
    nodes = List.copyOf(nodes);
  }

  /**
   * The load by position: exact where owners hold ranges and keys can be anywhere on the ring, else
   * of {@link #SAMPLES} keys {@code key-0}, {@code key-1} …
   */
  public static LoadReport of(Placement placement) {
    if (placement instanceof RangedPlacement ranged && placement.partitioner().coversRing()) {
      Map<String, Double> shares = new HashMap<>();
      Share[] exact = ranged.tokenMap().shares();
      for (int i = 0; i < exact.length; i++) {
        shares.put(placement.owners().get(i).id(), exact[i].fraction());
      }
      return of(placement.topology(), shares, true);
    }
    return sampled(placement, placement.topology());
  }

  /**
   * The load of {@link #SAMPLES} keys {@code key-0}, {@code key-1} …
   *
   * @param fair whose nodes and weights say what is fair; not the placement's own where some of its
   *     nodes are down
   */
  public static LoadReport sampled(Placement placement, Topology fair) {
    Map<String, Double> shares = new HashMap<>();
    long[] counts = new long[placement.owners().size()];
    for (int i = 0; i < SAMPLES; i++) {
      counts[placement.ownerIndexAt(placement.partitioner().position("key-" + i))]++;
    }
    for (int i = 0; i < counts.length; i++) {
      shares.put(placement.owners().get(i).id(), counts[i] / (double) SAMPLES);
    }
    return of(fair, shares, false);
  }

  /** The load by counts of keys or requests; ids that are missing have none. */
  public static LoadReport ofCounts(Topology topology, Map<String, Long> counts) {
    double sum = counts.values().stream().mapToLong(Long::longValue).sum();
    Map<String, Double> shares = new HashMap<>();
    counts.forEach((id, count) -> shares.put(id, sum == 0 ? 0 : count / sum));
    return of(topology, shares, false);
  }

  private static LoadReport of(Topology topology, Map<String, Double> shares, boolean exact) {
    Map<String, Double> fair = topology.fairShares();
    return new LoadReport(
        topology.nodes().stream()
            .map(
                node ->
                    new NodeLoad(
                        node.id(),
                        fair.getOrDefault(node.id(), 0.0),
                        shares.getOrDefault(node.id(), 0.0)))
            .toList(),
        exact);
  }

  /** The node of that id. */
  public Optional<NodeLoad> node(String id) {
    return nodes.stream().filter(node -> node.id().equals(id)).findFirst();
  }

  /** The nodes by id, for those who ask for many. */
  public Map<String, NodeLoad> byId() {
    Map<String, NodeLoad> byId = new HashMap<>();
    nodes.forEach(node -> byId.put(node.id(), node));
    return byId;
  }

  private Spread spread() {
    return Spread.of(
        nodes.stream().filter(node -> node.fair() > 0).mapToDouble(NodeLoad::overFair).toArray());
  }

  /** The most loaded node, relative to its fair share. */
  public Optional<NodeLoad> fullest() {
    return nodes.stream().max(Comparator.comparingDouble(NodeLoad::overFair));
  }

  /** The largest share over its fair share; max/mean where weights are equal. */
  public double maxOverMean() {
    return fullest().map(NodeLoad::overFair).orElse(0.0);
  }

  /** The largest share over its fair share, over the smallest. */
  public double maxOverMin() {
    return spread().maxOverMin();
  }

  /**
   * The coefficient of variation of shares over fair shares, population, drained nodes left out.
   */
  public double cv() {
    return spread().cv();
  }

  /**
   * The CV that theory gives such a ring, from its counts of tokens; empty for other algorithms.
   */
  public static OptionalDouble theoreticalCv(Topology topology) {
    if (!(topology.rule() instanceof RingRule ring)) {
      return OptionalDouble.empty();
    }
    int[] counts = topology.nodes().stream().mapToInt(ring::vnodesOf).filter(v -> v > 0).toArray();
    if (counts.length == 0) {
      return OptionalDouble.empty();
    }
    double tokens = 0;
    for (int count : counts) {
      tokens += count;
    }
    // Unequal counts: the relative variance of a node with v of V tokens is (V − v) / (v (V + 1)).
    double variance = 0;
    for (int count : counts) {
      variance += (tokens - count) / (count * (tokens + 1));
    }
    return OptionalDouble.of(Math.sqrt(variance / counts.length));
  }
}
