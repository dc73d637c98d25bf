package dev.beltway.resp.codec;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Objects;

/**
 * Finds the end of a request and where its arguments stand. A state machine that goes on where it
 * stopped: each byte is looked at once, however the bytes arrive. All places are relative to the
 * begin of the request, so the bytes may be moved to another buffer in between.
 *
 * <p>It takes what a Redis server takes and refuses what it refuses, with the same words: as there,
 * the two bytes behind a bulk string are not looked at.
 *
 * <p>Not thread-safe. Nothing is allocated per request; a request of very many arguments leaves a
 * larger table, which {@link #reset()} gives back.
 */
public final class RequestScanner {

  private static final int FEW = 64;
  private static final int AT_BEGIN = 0;
  private static final int AT_BULK = 1;
  private static final int IN_BULK = 2;

  private RespLimits limits;
  private int state;
  private int at;
  private int wanted;
  private int bulk;
  private int count;
  private boolean inline;
  private int[] offsets = new int[FEW];
  private int[] lengths = new int[FEW];

  /** With these limits. */
  public RequestScanner(RespLimits limits) {
    this.limits = limits;
  }

  /** Other limits, from the next request on. */
  public void limits(RespLimits changed) {
    this.limits = changed;
  }

  /** Begins a new request. */
  public void reset() {
    state = AT_BEGIN;
    at = 0;
    count = 0;
    inline = false;
    if (offsets.length > 16 * FEW) {
      offsets = new int[FEW];
      lengths = new int[FEW];
    }
  }

  /**
   * Scans on.
   *
   * @param begin where the request begins in the buffer
   * @param end up to where there are bytes
   * @return whether the request is complete
   * @throws RespException if it can't be one
   */
  public boolean scan(ByteBuf buf, int begin, int end) throws RespException {
    if (begin >= end) {
      return false;
    }
    if (state == AT_BEGIN && !header(buf, begin, end)) {
      return false;
    }
    if (inline) {
      return true;
    }
    while (count < wanted) {
      if (state == AT_BULK && !bulkHeader(buf, begin, end)) {
        return false;
      }
      if (end - begin - at < bulk + 2) {
        return false;
      }
      if (count == offsets.length) {
        offsets = Arrays.copyOf(offsets, 2 * count);
        lengths = Arrays.copyOf(lengths, 2 * count);
      }
      offsets[count] = at;
      lengths[count] = bulk;
      count++;
      at += bulk + 2;
      state = AT_BULK;
    }
    return true;
  }

  private boolean header(ByteBuf buf, int begin, int end) throws RespException {
    if (buf.getByte(begin) != '*') {
      return inlineHeader(buf, begin, end);
    }
    int line = lineEnd(buf, begin + 1, end, "too big mbulk count string");
    if (line < 0) {
      return false;
    }
    long number = number(buf, begin + 1, line);
    if (number == Digits.NONE || number > limits.arguments()) {
      boolean early = limits.arguments() < RespLimits.OF_A_SERVER.arguments();
      boolean large = number != Digits.NONE && number <= RespLimits.OF_A_SERVER.arguments();
      throw new RespException(
          early && large
              ? "Protocol error: unauthenticated multibulk length"
              : "Protocol error: invalid multibulk length");
    }
    wanted = (int) Math.max(0, number);
    at = line + 2 - begin;
    state = AT_BULK;
    return true;
  }

  private boolean inlineHeader(ByteBuf buf, int begin, int end) throws RespException {
    int line = buf.indexOf(begin + at, end, (byte) '\n');
    if (line < 0) {
      at = end - begin;
      if (at > limits.lineBytes()) {
        throw new RespException("Protocol error: too big inline request");
      }
      return false;
    }
    at = line + 1 - begin;
    inline = true;
    return true;
  }

  private boolean bulkHeader(ByteBuf buf, int begin, int end) throws RespException {
    int from = begin + at;
    if (from >= end) {
      return false;
    }
    byte type = buf.getByte(from);
    if (type != '$') {
      // A server looks at the mark once the line is there.
      if (lineEnd(buf, from, end, "too big bulk count string") < 0) {
        return false;
      }
      throw new RespException("Protocol error: expected '$', got '" + (char) (type & 0xff) + "'");
    }
    int line = lineEnd(buf, from + 1, end, "too big bulk count string");
    if (line < 0) {
      return false;
    }
    long number = number(buf, from + 1, line);
    if (number < 0 || number > limits.bulkBytes()) {
      boolean early = limits.bulkBytes() < RespLimits.OF_A_SERVER.bulkBytes();
      boolean large = number >= 0 && number <= RespLimits.OF_A_SERVER.bulkBytes();
      throw new RespException(
          early && large
              ? "Protocol error: unauthenticated bulk length"
              : "Protocol error: invalid bulk length");
    }
    bulk = (int) number;
    at = line + 2 - begin;
    state = IN_BULK;
    return true;
  }

  /** Where the line's {@code \r} is, once the byte behind it is there too; −1 until then. */
  private int lineEnd(ByteBuf buf, int from, int end, String tooLong) throws RespException {
    int last = end - 1;
    for (int i = from; i < last; i++) {
      if (buf.getByte(i) == '\r') {
        return i;
      }
      if (i - from > limits.lineBytes()) {
        break;
      }
    }
    if (end - from > limits.lineBytes()) {
      throw new RespException("Protocol error: " + tooLong);
    }
    return -1;
  }

  /** Nearly all numbers here have one or two digits. */
  private static long number(ByteBuf buf, int from, int to) {
    int length = to - from;
    if (length == 1) {
      int digit = buf.getByte(from) - '0';
      return digit >= 0 && digit <= 9 ? digit : Digits.NONE;
    }
    return Digits.parse(buf, from, to);
  }

  /** The bytes of the complete request. */
  public int length() {
    return at;
  }

  /**
   * How many bytes the request will have at least, as far as is known: what is worth making room
   * for.
   */
  public long expected() {
    return state == IN_BULK ? (long) at + bulk + 2 : at;
  }

  /** Whether it is a line of words instead of RESP; see {@link InlineRequest}. */
  public boolean isInline() {
    return inline;
  }

  /** How many arguments there are, the name among them; 0 for a request to be ignored. */
  public int count() {
    return count;
  }

  /** Where an argument's bytes begin, from the begin of the request. */
  public int offset(int argument) {
    return offsets[Objects.checkIndex(argument, count)];
  }

  /** How many bytes an argument has. */
  public int length(int argument) {
    return lengths[Objects.checkIndex(argument, count)];
  }
}
