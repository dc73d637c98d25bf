package dev.beltway.proxy;

import dev.beltway.resp.codec.Digits;
import dev.beltway.resp.codec.ReplyScanner;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespLimits;
import io.netty.buffer.ByteBuf;

/** The elements of an array, set or push that a node has answered with, one after the other. */
final class Elements {

  private final ByteBuf buf;
  private final ReplyScanner scanner = new ReplyScanner(RespLimits.OF_A_SERVER);
  private final long count;
  private int at;
  private int length;

  /**
   * Of the reply that begins there.
   *
   * @throws RespException if it is no aggregate of a stated size
   */
  Elements(ByteBuf buf, int offset) throws RespException {
    this.buf = buf;
    byte type = buf.getByte(offset);
    int line = buf.indexOf(offset, buf.writerIndex(), (byte) '\r');
    this.count = Digits.parse(buf, offset + 1, line);
    if ((type != '*' && type != '~' && type != '>') || count < 0) {
      throw new RespException("a reply that is no array");
    }
    this.at = line + 2;
  }

  long count() {
    return count;
  }

  /** Where the elements that have not been taken begin. */
  int offset() {
    return at;
  }

  /** Takes the next element; where it begins. */
  int next() throws RespException {
    scanner.reset();
    if (!scanner.scan(buf, at, buf.writerIndex())) {
      throw new RespException("a reply that ends early");
    }
    int begin = at;
    length = scanner.length();
    at += length;
    return begin;
  }

  /** The bytes of the element that was taken last. */
  int length() {
    return length;
  }
}
