package dev.beltway.bench;

import com.dynatrace.hash4j.consistent.ConsistentBucketSetHasher;
import com.dynatrace.hash4j.consistent.ConsistentHashing;
import com.dynatrace.hash4j.random.PseudoRandomGeneratorProvider;
import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.plan.Difference;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * What slices and a ring come to after the same history: shares, movement, size. Not a timing; run
 * by {@code bench/run slices}.
 */
public final class SliceHistories {

  private static final int VNODES = 100;
  private static final int ROUNDS = 50;

  private SliceHistories() {}

  /** Prints a table, one row for each history and rule. */
  public static void main(String[] arguments) {
    System.out.printf(
        "%-28s %-13s %9s %9s %11s %11s %8s %9s %11s%n",
        "history",
        "rule",
        "max/fair",
        "min/fair",
        "moved",
        "least",
        "entries",
        "memory",
        "in the file");
    PlacementRule ring = RingRule.DEFAULT.withVnodes(VNODES).withMaxTokens(10_000_000);
    for (PlacementRule rule :
        List.of(SlicesRule.DEFAULT, SlicesRule.DEFAULT.withTolerance(0.05), ring)) {
      String name = rule.algorithm();
      if (rule instanceof SlicesRule slices && slices.tolerance() > 0) {
        name += String.format(Locale.ROOT, " ±%.0f %%", slices.tolerance() * 100);
      }
      run("1 to 100, one by one", name, cluster(rule, 1), growing(99));
      run("50 random changes of 30", name, cluster(rule, 30), random(ROUNDS));
      run("50 random changes of 1,000", name, cluster(rule, 1000), random(ROUNDS));
      run("500 random changes of 100", name, cluster(rule, 100), random(500));
      run("1,000 at once", name, cluster(rule, 1000), List.of());
    }
  }

  /** The topology after so many random joins, leaves and re-weightings, always the same ones. */
  static Topology changedAtRandom(Topology start, int count) {
    Topology topology = start;
    for (UnaryOperator<Topology> change : random(count)) {
      topology = change.apply(topology);
    }
    return topology;
  }

  /** hash4j's hasher of so many buckets. */
  static ConsistentBucketSetHasher anchor(int buckets) {
    ConsistentBucketSetHasher hasher =
        ConsistentHashing.jumpBackAnchorHash(PseudoRandomGeneratorProvider.splitMix64_V1());
    for (int i = 0; i < buckets; i++) {
      hasher.addBucket();
    }
    return hasher;
  }

  private static Topology cluster(PlacementRule rule, int nodes) {
    return Topology.of(rule, IntStream.range(0, nodes).mapToObj(i -> "node-" + i).toList());
  }

  private static List<UnaryOperator<Topology>> growing(int by) {
    List<UnaryOperator<Topology>> changes = new ArrayList<>();
    for (int i = 0; i < by; i++) {
      changes.add(topology -> topology.plus(Node.of("node-" + topology.nodes().size())));
    }
    return changes;
  }

  /** Joins, leaves and re-weightings, the same for every rule. */
  private static List<UnaryOperator<Topology>> random(int count) {
    SplittableRandom random = new SplittableRandom(1);
    List<UnaryOperator<Topology>> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String joining = "new-" + i;
      double place = random.nextDouble();
      double weight = random.nextInt(5, 31) / 10.0;
      int kind = random.nextInt(3);
      changes.add(
          topology -> {
            Node any = topology.nodes().get((int) (place * topology.nodes().size()));
            return switch (kind) {
              case 0 -> topology.plus(Node.of(joining).withWeight(weight));
              case 1 -> topology.minus(any.id());
              default -> topology.with(any.withWeight(weight));
            };
          });
    }
    return changes;
  }

  private static void run(
      String history, String rule, Topology start, List<UnaryOperator<Topology>> changes) {
    Topology topology = start;
    RangedPlacement placement = (RangedPlacement) Placements.of(topology);
    double moved = 0;
    double least = 0;
    for (UnaryOperator<Topology> change : changes) {
      Topology next = change.apply(topology);
      RangedPlacement after = (RangedPlacement) Placements.of(next, placement);
      moved += Difference.between(placement, after).moved();
      least += gains(LoadReport.of(placement), LoadReport.of(after));
      topology = next;
      placement = after;
    }
    LoadReport load = LoadReport.of(placement);
    double smallest = load.nodes().stream().mapToDouble(NodeLoad::overFair).min().orElse(0);
    System.out.printf(
        Locale.ROOT,
        "%-28s %-13s %9.5f %9.5f %9.3f %% %9.3f %% %8d %9d %11d%n",
        history,
        rule,
        load.maxOverMean(),
        smallest,
        moved * 100,
        least * 100,
        topology.tokens(),
        placement.bytes(),
        tableChars(topology));
  }

  /** The characters that the table takes in a topology file. */
  private static int tableChars(Topology topology) {
    return topology.rule() instanceof SlicesRule slices
        ? slices.tableFor(topology.nodes()).encoded().length()
        : 0;
  }

  /** What the change must move at least if each node is to end with its fair share. */
  private static double gains(LoadReport before, LoadReport after) {
    double gains = 0;
    for (NodeLoad node : after.nodes()) {
      gains += Math.max(0, node.fair() - before.node(node.id()).map(NodeLoad::fair).orElse(0.0));
    }
    return gains;
  }
}
