package dev.beltway.resp.codec;

/**
 * How large a frame may be. What is larger is a {@link RespException}, before memory is given to
 * it.
 *
 * @param bulkBytes the largest bulk string, {@code proto-max-bulk-len} of a server
 * @param arguments the most arguments of a request
 * @param lineBytes the longest inline request or header line
 * @param depth the deepest nesting of a reply
 */
public record RespLimits(long bulkBytes, int arguments, int lineBytes, int depth) {

  /** As a Redis server has them: 512 MB, 1,048,576 arguments, lines of 64 KB. */
  public static final RespLimits OF_A_SERVER = new RespLimits(512L << 20, 1 << 20, 64 << 10, 128);

  /** What a server takes from a client that has not said who it is. */
  public static final RespLimits BEFORE_AUTH = new RespLimits(16 << 10, 10, 64 << 10, 128);

  /** Checks the ranges. */
  public RespLimits {
    if (bulkBytes < 0 || bulkBytes > Integer.MAX_VALUE / 2) {
      throw new IllegalArgumentException("bulkBytes " + bulkBytes + " is outside 0 to 2^30");
    }
    if (arguments < 1 || lineBytes < 16 || depth < 1) {
      throw new IllegalArgumentException(
          "arguments " + arguments + ", lineBytes " + lineBytes + ", depth " + depth);
    }
  }
}
