package dev.beltway.lab.trials;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Nodes join and leave again and again: what that costs under one rule. Every key of a sample is
 * followed through all changes.
 *
 * @param rule the rule
 * @param changes joins and leaves
 * @param moved keys moved in all changes together, over all keys; 2 means that each key moved twice
 *     on average
 * @param least the fair shares of the joining and the leaving nodes, added up: what an exactly even
 *     placement moves
 * @param betweenStaying of these, moves between two nodes that both stay: what a good placement
 *     never does
 * @param bounced keys that came back to a node that they had left while it stayed, over all keys
 * @param mostMoves how often the unluckiest key moved
 * @param maxOverFair the fullest node's share over its fair share at the end
 * @param size how large the placement is at the end, in the rule's own unit
 */
public record ChurnTrial(
    PlacementRule rule,
    int changes,
    double moved,
    double least,
    double betweenStaying,
    double bounced,
    int mostMoves,
    double maxOverFair,
    long size) {

  /** Keys that are followed. */
  public static final int KEYS = 20_000;

  /** The most changes of a trial. */
  public static final int MOST_CHANGES = 10_000;

  /** The most of changes times nodes: some minutes' work. */
  public static final long MOST_WORK = 500_000;

  /**
   * Runs the changes: a coin decides between a join and a leave as long as there are between half
   * and twice the nodes of the beginning.
   */
  public static ChurnTrial run(
      Setting setting, PlacementRule rule, int changes, long seed, BalanceTrial.Progress progress) {
    if (changes < 1 || changes > MOST_CHANGES) {
      throw new IllegalArgumentException("changes " + changes + " is outside 1 to " + MOST_CHANGES);
    }
    if ((long) changes * setting.nodes() > MOST_WORK) {
      throw new IllegalArgumentException(
          "changes " + changes + " times " + setting.nodes() + " nodes are more than " + MOST_WORK);
    }
    SplittableRandom random = new SplittableRandom(seed);
    Topology topology = setting.cluster(rule, 0);
    Placement placement = Placements.of(topology);
    Followed keys = new Followed(placement);
    double least = 0;
    for (int change = 0; change < changes; change++) {
      int nodes = topology.nodes().size();
      boolean joins =
          nodes <= Math.max(1, setting.nodes() / 2)
              || nodes < 2 * setting.nodes() && random.nextBoolean();
      Map<String, Double> had = topology.fairShares();
      if (joins) {
        double weight = setting.weights().get(random.nextInt(setting.nodes()));
        topology = topology.plus(Node.of("later-" + change).withWeight(weight));
        least += topology.fairShares().getOrDefault("later-" + change, 0.0);
      } else {
        String leaving = topology.nodes().get(random.nextInt(nodes)).id();
        topology = topology.minus(leaving);
        least += had.getOrDefault(leaving, 0.0);
      }
      placement = Placements.of(topology, placement);
      keys.follow(placement);
      progress.done(change + 1);
    }
    LoadReport load = LoadReport.of(placement);
    return new ChurnTrial(
        rule,
        changes,
        keys.moves / (double) KEYS,
        least,
        keys.betweenStaying / (double) KEYS,
        keys.bounced() / (double) KEYS,
        keys.mostMoves(),
        load.nodes().stream().mapToDouble(NodeLoad::overFair).max().orElse(0),
        topology.tokens());
  }

  /** The owners of the sample's keys, change after change. */
  private static final class Followed {

    private final long[] positions = new long[KEYS];
    private final String[] owners = new String[KEYS];
    private final List<Set<String>> left = new ArrayList<>();
    private final int[] movesOf = new int[KEYS];
    private final boolean[] cameBack = new boolean[KEYS];
    private Set<String> present;
    private long moves;
    private long betweenStaying;

    Followed(Placement placement) {
      for (int i = 0; i < KEYS; i++) {
        positions[i] = placement.partitioner().position("key-" + i);
        owners[i] = placement.ownerAt(positions[i]).id();
        left.add(new HashSet<>());
      }
      present = ids(placement);
    }

    private static Set<String> ids(Placement placement) {
      Set<String> ids = new HashSet<>();
      placement.topology().nodes().forEach(node -> ids.add(node.id()));
      return ids;
    }

    void follow(Placement placement) {
      Set<String> now = ids(placement);
      Set<String> gone = new HashSet<>(present);
      gone.removeAll(now); // Nobody can come back to them, so they needn't be remembered.
      for (int i = 0; i < KEYS; i++) {
        String was = owners[i];
        left.get(i).removeAll(gone);
        String is = placement.ownerAt(positions[i]).id();
        if (!was.equals(is)) {
          moves++;
          movesOf[i]++;
          if (now.contains(was)) {
            left.get(i).add(was);
          }
          betweenStaying += now.contains(was) && present.contains(is) ? 1 : 0;
          cameBack[i] |= left.get(i).contains(is);
          owners[i] = is;
        }
      }
      present = now;
    }

    long bounced() {
      long count = 0;
      for (boolean back : cameBack) {
        count += back ? 1 : 0;
      }
      return count;
    }

    int mostMoves() {
      int most = 0;
      for (int count : movesOf) {
        most = Math.max(most, count);
      }
      return most;
    }
  }
}
