package dev.beltway.lab.log;

/**
 * One request of a log. The reader reuses one object and its bytes for all of them: what a visitor
 * wants to keep, it copies. Not thread-safe.
 */
public final class Request {

  /** The largest {@link #count()}. */
  public static final long MOST_COUNT = 1L << 30;

  /** The largest {@link #size()}, in bytes: a tebibyte. */
  public static final long MOST_SIZE = 1L << 40;

  /** What {@link #time()} is where the log has none. */
  public static final long NO_TIME = Long.MIN_VALUE;

  private static final byte[] NOTHING = {};

  byte[] bytes = NOTHING;
  int offset;
  int length;
  Operation operation = Operation.READ;
  long count = 1;
  long size;
  long time = NO_TIME;
  long ttl;

  Request() {}

  void reset() {
    operation = Operation.READ;
    count = 1;
    size = 0;
    time = NO_TIME;
    ttl = 0;
  }

  void key(byte[] newBytes, int from, int to) {
    bytes = newBytes;
    offset = from;
    length = to - from;
  }

  /** The array in which the key stands, valid during the visit only. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where the key begins in {@link #bytes()}. */
  public int offset() {
    return offset;
  }

  /** The key's length in bytes; 0 is a key too, but only JSON and Redis can write it. */
  public int length() {
    return length;
  }

  /** What it does; {@link Operation#READ} where the log doesn't say. */
  public Operation operation() {
    return operation;
  }

  /** For how many equal requests it stands, 1 to {@link #MOST_COUNT}. */
  public long count() {
    return count;
  }

  /** The size of the value in bytes, 0 to {@link #MOST_SIZE}; 0 where the log doesn't say. */
  public long size() {
    return size;
  }

  /** When, in milliseconds since 1970, or {@link #NO_TIME}. */
  public long time() {
    return time;
  }

  /**
   * For how long the value may live, in milliseconds; 0 is for ever where the request stores
   * something, and not stated where it reads.
   */
  public long ttl() {
    return ttl;
  }
}
