package dev.beltway.lab.trials;

import dev.beltway.balance.Theory;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The smallest count of vnodes whose rings meet a target in 95 % of the groups, with the evidence.
 *
 * @param target the largest allowed load of a node over its fair share
 * @param vnodes the count; empty if none within the limits does
 * @param evidence by count of vnodes, the part of groups that met the target
 */
public record Recommendation(double target, OptionalInt vnodes, Map<Integer, Double> evidence) {

  /** Copies the evidence, in order of vnodes. */
  public Recommendation {
    evidence = Collections.unmodifiableMap(new TreeMap<>(evidence));
  }

  /** The part of the groups that must meet the target. */
  public static final double CONFIDENCE = 0.95;

  private static final double SMALLEST_TARGET = 1.005;
  private static final double LARGEST_TARGET = 100;

  /** Told before each trial and after each group. */
  @FunctionalInterface
  public interface Progress {
    /** So many groups of the trial with so many vnodes are done. */
    void done(int vnodes, int groups);
  }

  /**
   * Searches by doubling and halving, about a dozen trials. The part of groups that meet the target
   * grows with the vnodes but for chance, so a neighbouring count may do as well.
   *
   * @param target {@value #SMALLEST_TARGET} to {@value #LARGEST_TARGET}
   */
  public static Recommendation search(Setting setting, double target, Progress progress) {
    if (!(target >= SMALLEST_TARGET && target <= LARGEST_TARGET)) {
      throw new IllegalArgumentException(
          "--max-over-mean " + target + " is outside " + SMALLEST_TARGET + " to 100");
    }
    Map<Integer, Double> evidence = new TreeMap<>();
    int fails = 0;
    int meets = guess(setting, target);
    while (!isMet(setting, meets, target, evidence, progress)) {
      fails = meets;
      meets = largestUpTo(setting, 2L * meets, fails);
      if (meets == fails) {
        return new Recommendation(target, OptionalInt.empty(), evidence);
      }
    }
    while (meets - fails > 1) {
      int middle = (fails + meets) >>> 1;
      if (isMet(setting, middle, target, evidence, progress)) {
        meets = middle;
      } else {
        fails = middle;
      }
    }
    return new Recommendation(target, OptionalInt.of(meets), evidence);
  }

  /** Where theory has the fullest of n nodes about two deviations above the mean. */
  private static int guess(Setting setting, double target) {
    long vnodes = setting.nodes() == 1 ? 1 : Theory.vnodesFor(setting.nodes(), (target - 1) / 2);
    while (vnodes > 1 && !fits(setting, vnodes)) {
      vnodes /= 2;
    }
    return (int) vnodes;
  }

  /** The largest count up to {@code most} that fits, knowing that {@code least} does. */
  private static int largestUpTo(Setting setting, long most, int least) {
    long low = least;
    long high = most;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (fits(setting, middle)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return (int) low;
  }

  private static boolean fits(Setting setting, long vnodes) {
    if (vnodes > Setting.MOST_TOKENS) {
      return false;
    }
    try {
      setting.tokens((int) vnodes);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isMet(
      Setting setting,
      int vnodes,
      double target,
      Map<Integer, Double> evidence,
      Progress progress) {
    double part =
        BalanceTrial.metBy(setting, vnodes, target, groups -> progress.done(vnodes, groups));
    evidence.put(vnodes, part);
    return part >= CONFIDENCE;
  }
}
