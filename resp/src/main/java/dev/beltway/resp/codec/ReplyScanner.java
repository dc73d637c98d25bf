package dev.beltway.resp.codec;

import io.netty.buffer.ByteBuf;

/**
 * Finds the end of a reply of RESP2 or RESP3: nested, streamed and pushed ones, with attributes
 * before them. A state machine that goes on where it stopped, in places relative to the begin of
 * the reply; see {@link RequestScanner}.
 *
 * <p>Not thread-safe; nothing is allocated per reply.
 */
public final class ReplyScanner {

  private static final long STREAMED = -1;

  private final RespLimits limits;
  private final long[] left;
  private final boolean[] attribute;
  private int depth;
  private int at;

  /** Bytes of a body, with its line end, that are still to come; −1 between values. */
  private long body = -1;

  private boolean chunked;

  /** With these limits. */
  public ReplyScanner(RespLimits limits) {
    this.limits = limits;
    this.left = new long[limits.depth()];
    this.attribute = new boolean[limits.depth()];
  }

  /** Begins a new reply. */
  public void reset() {
    depth = 0;
    at = 0;
    body = -1;
    chunked = false;
  }

  /**
   * Scans on.
   *
   * @param begin where the reply begins in the buffer
   * @param end up to where there are bytes
   * @return whether the reply is complete
   * @throws RespException if it can't be one
   */
  public boolean scan(ByteBuf buf, int begin, int end) throws RespException {
    while (true) {
      if (body >= 0) {
        if (end - begin - at < body) {
          return false;
        }
        at += (int) body;
        body = -1;
        if (!chunked && valueEnded()) {
          return true;
        }
        continue;
      }
      int from = begin + at;
      int line = lineEnd(buf, from, end);
      if (line < 0) {
        return false;
      }
      at = line + 2 - begin;
      if (chunked) {
        chunk(buf, from, line);
        if (!chunked && valueEnded()) {
          return true;
        }
      } else if (value(buf, from, line) && valueEnded()) {
        return true;
      }
    }
  }

  /** Takes a value's first line; whether the value has ended with it. */
  private boolean value(ByteBuf buf, int from, int line) throws RespException {
    byte type = buf.getByte(from);
    switch (type) {
      case '+', '-', ':', '_', '#', ',', '(' -> {
        return true;
      }
      case '$', '=', '!' -> {
        if (isStreamed(buf, from, line)) {
          chunked = true;
          return false;
        }
        long bytes = number(buf, from, line);
        if (bytes < 0) {
          return true;
        }
        if (bytes > limits.bulkBytes()) {
          throw new RespException("a reply of " + bytes + " bytes");
        }
        body = bytes + 2;
        return false;
      }
      case '*', '~', '>' -> {
        return aggregate(buf, from, line, 1, false);
      }
      case '%' -> {
        return aggregate(buf, from, line, 2, false);
      }
      case '|' -> {
        return aggregate(buf, from, line, 2, true);
      }
      case '.' -> {
        if (depth == 0 || left[depth - 1] != STREAMED || line != from + 1) {
          throw new RespException("an end of a stream where there is none");
        }
        depth--;
        return !attribute[depth];
      }
      default -> throw new RespException("a reply of type " + (type & 0xff));
    }
  }

  private boolean aggregate(ByteBuf buf, int from, int line, int each, boolean isAttribute)
      throws RespException {
    long elements = isStreamed(buf, from, line) ? STREAMED : each * number(buf, from, line);
    if (elements == 0 || (elements < 0 && !isStreamed(buf, from, line))) {
      return !isAttribute;
    }
    if (elements > 1L << 32) {
      throw new RespException("a reply of " + elements + " elements");
    }
    if (depth == left.length) {
      throw new RespException("a reply nested deeper than " + depth);
    }
    left[depth] = elements;
    attribute[depth] = isAttribute;
    depth++;
    return false;
  }

  private void chunk(ByteBuf buf, int from, int line) throws RespException {
    if (buf.getByte(from) != ';') {
      throw new RespException("a streamed string without a chunk");
    }
    long bytes = number(buf, from, line);
    if (bytes < 0 || bytes > limits.bulkBytes()) {
      throw new RespException("a chunk of " + bytes + " bytes");
    }
    if (bytes == 0) {
      chunked = false;
    } else {
      body = bytes + 2;
    }
  }

  /** Goes up from a value that has ended; whether the reply has ended with it. */
  private boolean valueEnded() {
    while (depth > 0) {
      if (left[depth - 1] == STREAMED) {
        return false;
      }
      if (--left[depth - 1] > 0) {
        return false;
      }
      depth--;
      if (attribute[depth]) {
        return false; // What it belongs to is still to come.
      }
    }
    return true;
  }

  private static boolean isStreamed(ByteBuf buf, int from, int line) {
    return line == from + 2 && buf.getByte(from + 1) == '?';
  }

  private static long number(ByteBuf buf, int from, int line) throws RespException {
    if (line == from + 2) {
      int digit = buf.getByte(from + 1) - '0';
      if (digit >= 0 && digit <= 9) {
        return digit;
      }
    }
    long number = Digits.parse(buf, from + 1, line);
    if (number < -1) {
      throw new RespException("a length that is no number");
    }
    return number;
  }

  private int lineEnd(ByteBuf buf, int from, int end) throws RespException {
    int last = end - 1;
    int near = Math.min(last, from + 24);
    for (int i = from; i < near; i++) {
      if (buf.getByte(i) == '\r') {
        return i;
      }
    }
    int line = near < last ? buf.indexOf(near, last, (byte) '\r') : -1;
    if (line < 0 && end - from > limits.lineBytes() + (1 << 20)) {
      throw new RespException("a line of more than " + (end - from) + " bytes");
    }
    return line;
  }

  /** The bytes of the complete reply. */
  public int length() {
    return at;
  }

  /** How many bytes the reply will have at least, as far as is known. */
  public long expected() {
    return body >= 0 ? at + body : at;
  }
}
