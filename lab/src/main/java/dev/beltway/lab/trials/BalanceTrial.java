package dev.beltway.lab.trials;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.placement.Placements;

/**
 * How evenly rings of a kind load their nodes: exact shares of many groups of names.
 *
 * @param vnodes vnodes of weight 1
 * @param tokens tokens of a ring
 * @param maxOverFair the fullest node's share over its fair share; max/mean where weights are equal
 * @param minOverFair the emptiest node's
 * @param cv the deviation
 * @param theoreticalCv what theory gives the deviation, as a mean over rings
 */
public record BalanceTrial(
    int vnodes,
    long tokens,
    Quantiles maxOverFair,
    Quantiles minOverFair,
    Quantiles cv,
    double theoreticalCv) {

  /** Told after each group. */
  @FunctionalInterface
  public interface Progress {
    /** So many groups are done. */
    void done(int groups);
  }

  /** Runs all groups. O(groups · tokens). */
  public static BalanceTrial run(Setting setting, int vnodes, Progress progress) {
    long tokens = setting.tokens(vnodes);
    double[] largest = new double[setting.groups()];
    double[] smallest = new double[setting.groups()];
    double[] cvs = new double[setting.groups()];
    double theory = 0;
    for (int group = 0; group < setting.groups(); group++) {
      var cluster = setting.cluster(setting.ring(vnodes), group);
      LoadReport load = LoadReport.of(Placements.of(cluster));
      largest[group] = load.maxOverMean();
      smallest[group] = load.nodes().stream().mapToDouble(NodeLoad::overFair).min().orElse(0);
      cvs[group] = load.cv();
      theory = LoadReport.theoreticalCv(cluster).orElse(0);
      progress.done(group + 1);
    }
    return new BalanceTrial(
        vnodes, tokens, Quantiles.of(largest), Quantiles.of(smallest), Quantiles.of(cvs), theory);
  }

  /** The part of groups whose fullest node is within a limit. */
  public static double metBy(Setting setting, int vnodes, double limit, Progress progress) {
    setting.tokens(vnodes);
    int met = 0;
    for (int group = 0; group < setting.groups(); group++) {
      LoadReport load = LoadReport.of(Placements.of(setting.cluster(setting.ring(vnodes), group)));
      met += load.maxOverMean() <= limit ? 1 : 0;
      progress.done(group + 1);
    }
    return met / (double) setting.groups();
  }
}
