package dev.beltway.resp.codec;

import io.netty.buffer.ByteBuf;

/** Decimal numbers as Redis reads them: no plus, no spaces, no leading zeros. */
public final class Digits {

  /** What {@link #parse} returns for text that is no number. */
  public static final long NONE = Long.MIN_VALUE;

  private Digits() {}

  /** The number that is written in the range; {@link #NONE} if it isn't one of 64 bits. */
  public static long parse(ByteBuf buf, int from, int to) {
    int length = to - from;
    if (length <= 0 || length > 20) {
      return NONE;
    }
    int at = from;
    boolean negative = buf.getByte(at) == '-';
    if (negative) {
      at++;
    }
    if (at == to) {
      return NONE;
    }
    int first = buf.getByte(at) - '0';
    if (first == 0) {
      return at + 1 == to && !negative ? 0 : NONE;
    }
    long value = 0;
    for (; at < to; at++) {
      int digit = buf.getByte(at) - '0';
      if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
        return NONE;
      }
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** How many bytes the number takes. */
  public static int length(long value) {
    if (value == Long.MIN_VALUE) {
      return 20;
    }
    int length = value < 0 ? 2 : 1;
    for (long rest = Math.abs(value); rest >= 10; rest /= 10) {
      length++;
    }
    return length;
  }

  /** Appends the number. */
  public static void write(ByteBuf out, long value) {
    if (value >= 0 && value < 10) {
      out.writeByte('0' + (int) value);
      return;
    }
    if (value == Long.MIN_VALUE) {
      RespWriter.ascii(out, "-9223372036854775808");
      return;
    }
    int length = length(value);
    int begin = out.writerIndex();
    out.ensureWritable(length);
    out.writerIndex(begin + length);
    long rest = Math.abs(value);
    int at = begin + length;
    do {
      out.setByte(--at, '0' + (int) (rest % 10));
      rest /= 10;
    } while (rest > 0);
    if (value < 0) {
      out.setByte(--at, '-');
    }
  }
}
