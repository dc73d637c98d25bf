package dev.beltway.handover;

/**
 * How keys are to move.
 *
 * @param keysPerSecond at most; 0 for as fast as sources bear
 * @param bytesPerSecond at most; 0 for as fast as sources bear
 * @param verify whether each key is compared at its target before it leaves its source
 */
public record MoveOptions(long keysPerSecond, long bytesPerSecond, boolean verify) {

  /** As fast as sources bear, compared where a canary goes first. */
  public static final MoveOptions USUAL = new MoveOptions(0, 0, false);

  /** The largest rate. */
  public static final long MOST = 1_000_000_000_000L;

  /** Checks the ranges. */
  public MoveOptions {
    for (long rate : new long[] {keysPerSecond, bytesPerSecond}) {
      if (rate < 0 || rate > MOST) {
        throw new IllegalArgumentException("rate " + rate + " is outside 0 to " + MOST);
      }
    }
  }

  /** With other rates. */
  public MoveOptions throttled(long keys, long bytes) {
    return new MoveOptions(keys, bytes, verify);
  }
}
