package dev.beltway.resp.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads complete replies into objects, where speed doesn't matter: byte arrays for all strings,
 * {@code Long}, {@code List} for all aggregates (a map's keys and values in turn), {@link Failed},
 * null; text for doubles, booleans and big numbers. Attributes are left out.
 */
public final class RespReader {

  private final ByteBuf buf;
  private int at;

  private RespReader(ByteBuf buf, int at) {
    this.buf = buf;
    this.at = at;
  }

  /**
   * An error reply.
   *
   * @param text as the node said it, code first
   */
  public record Failed(String text) {}

  /** The reply that begins there and is complete. */
  public static @Nullable Object read(ByteBuf buf, int offset) {
    return new RespReader(buf, offset).value();
  }

  /** A string value as text; the empty text for anything else. */
  public static String text(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    return value instanceof Long number ? number.toString() : "";
  }

  private @Nullable Object value() {
    int line = buf.indexOf(at, buf.writerIndex(), (byte) '\r');
    byte type = buf.getByte(at);
    int from = at + 1;
    at = line + 2;
    return switch (type) {
      case '-' -> new Failed(string(from, line));
      case ':' -> Digits.parse(buf, from, line);
      case '_' -> null;
      case '$', '=', '!' -> bulk(type, from, line);
      case '*', '~', '>' -> list(from, line, 1);
      case '%' -> list(from, line, 2);
      case '|' -> {
        list(from, line, 2);
        yield value();
      }
      default -> bytes(from, line);
    };
  }

  private @Nullable Object bulk(byte type, int from, int line) {
    byte[] bytes;
    if (buf.getByte(from) == '?') {
      StringBuilder whole = new StringBuilder();
      while (true) {
        int end = buf.indexOf(at, buf.writerIndex(), (byte) '\r');
        int length = (int) Digits.parse(buf, at + 1, end);
        at = end + 2;
        if (length == 0) {
          return whole.toString().getBytes(StandardCharsets.ISO_8859_1);
        }
        whole.append(buf.toString(at, length, StandardCharsets.ISO_8859_1));
        at += length + 2;
      }
    }
    int length = (int) Digits.parse(buf, from, line);
    if (length < 0) {
      return null;
    }
    bytes = bytes(at, at + length);
    at += length + 2;
    return type == '!' ? new Failed(new String(bytes, StandardCharsets.UTF_8)) : bytes;
  }

  private @Nullable List<@Nullable Object> list(int from, int line, int each) {
    List<@Nullable Object> values = new ArrayList<>();
    if (buf.getByte(from) == '?') {
      while (buf.getByte(at) != '.') {
        values.add(value());
      }
      at += 3;
      return values;
    }
    long count = Digits.parse(buf, from, line);
    if (count < 0) {
      return null;
    }
    for (long i = 0; i < count * each; i++) {
      values.add(value());
    }
    return values;
  }

  private byte[] bytes(int from, int to) {
    byte[] bytes = new byte[to - from];
    buf.getBytes(from, bytes);
    return bytes;
  }

  private String string(int from, int to) {
    return buf.toString(from, to - from, StandardCharsets.UTF_8);
  }
}
