package dev.beltway.plan;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How much data there is and how fast it may move; what is unknown is left out of the plan.
 *
 * @param keyCount keys in the whole cluster, 0 or more
 * @param bytesPerKey memory of a key on average, 1 or more
 * @param keysPerSecond the throttle, above 0
 */
public record Sizing(
    OptionalLong keyCount, OptionalLong bytesPerKey, OptionalDouble keysPerSecond) {

  /** Nothing is known. */
  public static final Sizing UNKNOWN =
      new Sizing(OptionalLong.empty(), OptionalLong.empty(), OptionalDouble.empty());

  /** Checks the ranges. */
  public Sizing {
    if (keyCount.isPresent() && keyCount.getAsLong() < 0) {
      throw new IllegalArgumentException("key count " + keyCount.getAsLong() + " is negative");
    }
    if (bytesPerKey.isPresent() && bytesPerKey.getAsLong() < 1) {
      throw new IllegalArgumentException(
          "bytes per key " + bytesPerKey.getAsLong() + " is less than 1");
    }
    if (keysPerSecond.isPresent()
        && !(keysPerSecond.getAsDouble() > 0 && keysPerSecond.getAsDouble() < 1e12)) {
      throw new IllegalArgumentException(
          "keys per second " + keysPerSecond.getAsDouble() + " is not above 0 and below 1e12");
    }
  }

  /** How many keys a share is. */
  public OptionalLong keys(double share) {
    return keyCount.isPresent()
        ? OptionalLong.of(Math.round(keyCount.getAsLong() * share))
        : OptionalLong.empty();
  }

  /** How many bytes a share is. */
  public OptionalLong bytes(double share) {
    return keyCount.isPresent() && bytesPerKey.isPresent()
        ? OptionalLong.of(
            Math.round((double) keyCount.getAsLong() * share * bytesPerKey.getAsLong()))
        : OptionalLong.empty();
  }

  /** How many seconds a share takes to move under the throttle. */
  public OptionalDouble seconds(double share) {
    return keyCount.isPresent() && keysPerSecond.isPresent()
        ? OptionalDouble.of(keyCount.getAsLong() * share / keysPerSecond.getAsDouble())
        : OptionalDouble.empty();
  }
}
