package dev.beltway.plan;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How much data there is and how fast it may move; what is unknown is left out of the plan.
 *
 * @param keyCount keys in the whole cluster, 0 to 10¹⁵
 * @param bytesPerKey memory of a key on average, 1 to 2³⁹ bytes
 * @param keysPerSecond the throttle, 0.001 to 10¹²
 */
public record Sizing(
    OptionalLong keyCount, OptionalLong bytesPerKey, OptionalDouble keysPerSecond) {

  /** The largest number of keys: 10¹⁵. */
  public static final long MOST_KEYS = 1_000_000_000_000_000L;

  /** The largest key: 512 GiB, in bytes. */
  public static final long MOST_BYTES_PER_KEY = 1L << 39;

  /** Nothing is known. */
  public static final Sizing UNKNOWN =
      new Sizing(OptionalLong.empty(), OptionalLong.empty(), OptionalDouble.empty());

  /** Checks the ranges. */
  public Sizing {
    checkRange("key count", keyCount, 0, MOST_KEYS);
    checkRange("bytes per key", bytesPerKey, 1, MOST_BYTES_PER_KEY);
    if (keysPerSecond.isPresent()
        && !(keysPerSecond.getAsDouble() >= 0.001 && keysPerSecond.getAsDouble() <= 1e12)) {
      throw new IllegalArgumentException(
          "keys per second " + keysPerSecond.getAsDouble() + " is outside 0.001 to 1e12");
    }
  }

  private static void checkRange(String name, OptionalLong value, long least, long most) {
    if (value.isPresent() && (value.getAsLong() < least || value.getAsLong() > most)) {
      throw new IllegalArgumentException(
          name + " " + value.getAsLong() + " is outside " + least + " to " + most);
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
            // At most Long.MAX_VALUE, 8 EiB, to which a double's conversion is capped.
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
