package dev.beltway.topology;

import java.math.BigInteger;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * Turns machines into weights, by the published recipes. Each gives numbers to write into a
 * topology; none is applied by itself, since any of them changes a node's tokens when another
 * machine changes.
 */
public final class MachineWeights {

  private MachineWeights() {}

  /**
   * Tokens in proportion to capacity, where the largest machine gets {@code base}: {@code
   * max(floor, base · capacity / largest)}, rounded down.
   *
   * @param capacity of this machine, 0 or more, in any unit
   * @param largest the capacity of the largest machine, above 0, in the same unit
   * @param base tokens of the largest machine
   * @param floor the least number of tokens
   */
  public static int vnodesByCapacity(long capacity, long largest, int base, int floor) {
    if (capacity < 0 || largest <= 0) {
      throw new IllegalArgumentException(
          "capacity " + capacity + " of " + largest + ": allowed are 0 or more, of more than 0");
    }
    BigInteger count =
        BigInteger.valueOf(base)
            .multiply(BigInteger.valueOf(capacity))
            .divide(BigInteger.valueOf(largest));
    return Math.max(floor, count.min(BigInteger.valueOf(Integer.MAX_VALUE)).intValue());
  }

  /** Cores × memory over the mean of that product: 1 for a machine of middling size. */
  public static List<Weight> byCoresTimesMemory(List<Machine> machines) {
    return overMean(machines, machine -> cores(machine) * memory(machine));
  }

  /**
   * The scarcest resource: the smaller of cores over their mean and memory over its mean. A machine
   * with many cores and little memory fills up before its cores are busy.
   */
  public static List<Weight> byScarcestResource(List<Machine> machines) {
    double meanCores = machines.stream().mapToDouble(MachineWeights::cores).average().orElse(1);
    double meanMemory = machines.stream().mapToDouble(MachineWeights::memory).average().orElse(1);
    return machines.stream()
        .map(m -> weight(Math.min(cores(m) / meanCores, memory(m) / meanMemory)))
        .toList();
  }

  /** Memory over the mean: what counts for a cache. */
  public static List<Weight> byMemory(List<Machine> machines) {
    return overMean(machines, MachineWeights::memory);
  }

  private static List<Weight> overMean(List<Machine> machines, ToDoubleFunction<Machine> size) {
    OptionalDouble mean = machines.stream().mapToDouble(size).average();
    return machines.stream()
        .map(machine -> weight(size.applyAsDouble(machine) / mean.orElse(1)))
        .toList();
  }

  /** The nearest weight that is allowed and isn't 0. */
  private static Weight weight(double ratio) {
    return new Weight(Math.max(Weight.SMALLEST, Math.min(Weight.LARGEST, ratio)));
  }

  private static double cores(Machine machine) {
    return machine.cores().orElseThrow(() -> new IllegalArgumentException("cores are unknown"));
  }

  private static double memory(Machine machine) {
    return machine
        .memoryGib()
        .orElseThrow(() -> new IllegalArgumentException("memoryGib is unknown"));
  }

  /**
   * Whole-numbered weights divided by their greatest common divisor: 5, 10, 15 become 1, 2, 3. A
   * suggestion for a new cluster; on a running one it would change every node's tokens.
   */
  public static List<Integer> reducedByGcd(List<Integer> weights) {
    BigInteger gcd = BigInteger.ZERO;
    for (int weight : weights) {
      if (weight < 0) {
        throw new IllegalArgumentException("weight " + weight + " is negative");
      }
      gcd = gcd.gcd(BigInteger.valueOf(weight));
    }
    int divisor = Math.max(1, gcd.intValue());
    return weights.stream().map(weight -> weight / divisor).toList();
  }

  /**
   * The usual number of tokens a node by cluster size: below 10 nodes 100–200; 10 to 100 nodes
   * 100–500, by how even it must be; above 100 nodes 50–200.
   *
   * @param low the lower end
   * @param high the upper end
   */
  public record UsualVnodes(int low, int high) {

    /** The row of the table for a number of nodes, 1 or more. */
    public static UsualVnodes forNodes(int nodes) {
      if (nodes < 1) {
        throw new IllegalArgumentException("nodes " + nodes + " is less than 1");
      }
      if (nodes < 10) {
        return new UsualVnodes(100, 200);
      }
      return nodes <= 100 ? new UsualVnodes(100, 500) : new UsualVnodes(50, 200);
    }
  }
}
