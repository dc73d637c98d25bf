package dev.beltway.topology;

import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The machine that a node runs on, as far as it is known. It decides no owner: reports and lint
 * hold it against the node's weight.
 *
 * @param cores the number of cores, 1 to 4,096
 * @param memoryGib the memory for data in GiB, above 0 and up to 1,048,576
 */
public record Machine(OptionalInt cores, OptionalDouble memoryGib) {

  /** Nothing is known. */
  public static final Machine UNKNOWN = new Machine(OptionalInt.empty(), OptionalDouble.empty());

  /** Checks the ranges. */
  public Machine {
    if (cores.isPresent() && (cores.getAsInt() < 1 || cores.getAsInt() > 4096)) {
      throw new IllegalArgumentException("cores " + cores.getAsInt() + " is outside 1 to 4096");
    }
    if (memoryGib.isPresent()
        && !(memoryGib.getAsDouble() > 0 && memoryGib.getAsDouble() <= 1 << 20)) {
      throw new IllegalArgumentException(
          "memoryGib " + memoryGib.getAsDouble() + " is not above 0 and at most 1048576");
    }
  }

  /** A machine with both figures known. */
  public static Machine of(int cores, double memoryGib) {
    return new Machine(OptionalInt.of(cores), OptionalDouble.of(memoryGib));
  }

  /** Whether nothing is known. */
  public boolean isUnknown() {
    return cores.isEmpty() && memoryGib.isEmpty();
  }
}
