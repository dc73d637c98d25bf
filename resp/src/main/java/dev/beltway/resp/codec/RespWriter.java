package dev.beltway.resp.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/** Writes RESP values. What differs between RESP2 and RESP3 takes the protocol, 2 or 3. */
public final class RespWriter {

  private RespWriter() {}

  static void ascii(ByteBuf out, String text) {
    ByteBufUtil.writeAscii(out, text);
  }

  /** {@code +text}. */
  public static void simple(ByteBuf out, String text) {
    out.writeByte('+');
    ascii(out, text);
    crlf(out);
  }

  /** {@code +OK}. */
  public static void ok(ByteBuf out) {
    simple(out, "OK");
  }

  /**
   * {@code -text}; the text begins with its code, such as {@code ERR}. Line ends in it become
   * spaces, as a server does it.
   */
  public static void error(ByteBuf out, String text) {
    out.writeByte('-');
    // What a client sent is repeated byte by byte; only ids of nodes have other characters.
    boolean bytesOnly = text.chars().allMatch(c -> c < 256);
    byte[] bytes = text.getBytes(bytesOnly ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    for (byte b : bytes) {
      out.writeByte(b == '\r' || b == '\n' ? ' ' : b);
    }
    crlf(out);
  }

  /** {@code :value}. */
  public static void integer(ByteBuf out, long value) {
    header(out, ':', value);
  }

  /** An array's header. */
  public static void array(ByteBuf out, long count) {
    header(out, '*', count);
  }

  /** A set's header: an array under RESP2. */
  public static void set(ByteBuf out, long count, int protocol) {
    header(out, protocol == 3 ? '~' : '*', count);
  }

  /** A map's header: an array of twice as many under RESP2. */
  public static void map(ByteBuf out, long pairs, int protocol) {
    header(out, protocol == 3 ? '%' : '*', protocol == 3 ? pairs : 2 * pairs);
  }

  /** A push's header: an array under RESP2. */
  public static void push(ByteBuf out, long count, int protocol) {
    header(out, protocol == 3 ? '>' : '*', count);
  }

  /** No value. */
  public static void none(ByteBuf out, int protocol) {
    ascii(out, protocol == 3 ? "_\r\n" : "$-1\r\n");
  }

  /** No array, as an aborted transaction answers. */
  public static void noArray(ByteBuf out, int protocol) {
    ascii(out, protocol == 3 ? "_\r\n" : "*-1\r\n");
  }

  /** A bulk string of the text's UTF-8 bytes. */
  public static void bulk(ByteBuf out, String text) {
    bulk(out, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A bulk string. */
  public static void bulk(ByteBuf out, byte[] bytes) {
    header(out, '$', bytes.length);
    out.writeBytes(bytes);
    crlf(out);
  }

  /** A bulk string of a range of a buffer, whose indices stay. */
  public static void bulk(ByteBuf out, ByteBuf from, int offset, int length) {
    header(out, '$', length);
    out.writeBytes(from, offset, length);
    crlf(out);
  }

  /** Text that a client may show as it is: a verbatim string, a bulk string under RESP2. */
  public static void verbatim(ByteBuf out, String text, int protocol) {
    if (protocol != 3) {
      bulk(out, text);
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    header(out, '=', bytes.length + 4L);
    ascii(out, "txt:");
    out.writeBytes(bytes);
    crlf(out);
  }

  /** A request of words. */
  public static void request(ByteBuf out, String... words) {
    array(out, words.length);
    for (String word : words) {
      bulk(out, word);
    }
  }

  /** A request. */
  public static void request(ByteBuf out, byte[]... arguments) {
    array(out, arguments.length);
    for (byte[] argument : arguments) {
      bulk(out, argument);
    }
  }

  /** A type's mark and a number on a line. */
  public static void header(ByteBuf out, char type, long number) {
    out.writeByte(type);
    Digits.write(out, number);
    crlf(out);
  }

  private static void crlf(ByteBuf out) {
    out.writeShort('\r' << 8 | '\n');
  }
}
