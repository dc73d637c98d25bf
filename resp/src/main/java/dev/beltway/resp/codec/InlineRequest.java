package dev.beltway.resp.codec;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A request typed as a line of words, as by telnet: words between spaces, {@code "…"} with {@code
 * \n}, {@code \x41} and the like, {@code '…'} with {@code \'} alone.
 */
public final class InlineRequest {

  private InlineRequest() {}

  /**
   * The words of a line, of which the line end is no part; none in a blank line.
   *
   * @throws RespException if a quote isn't closed, or something other than a space follows one
   */
  public static List<byte[]> words(ByteBuf buf, int from, int end) throws RespException {
    int to = end;
    while (to > from && (buf.getByte(to - 1) == '\n' || buf.getByte(to - 1) == '\r')) {
      to--;
    }
    List<byte[]> words = new ArrayList<>();
    int at = from;
    while (true) {
      while (at < to && isSpace(buf.getByte(at))) {
        at++;
      }
      if (at == to) {
        return words;
      }
      ByteArrayOutputStream word = new ByteArrayOutputStream();
      at = word(buf, at, to, word);
      words.add(word.toByteArray());
    }
  }

  private static int word(ByteBuf buf, int from, int to, ByteArrayOutputStream word)
      throws RespException {
    int at = from;
    while (at < to) {
      byte b = buf.getByte(at);
      if (isSpace(b)) {
        return at;
      }
      if (b == '"' || b == '\'') {
        at = quoted(buf, at + 1, to, b, word);
        if (at < to && !isSpace(buf.getByte(at))) {
          throw unbalanced();
        }
        return at;
      }
      word.write(b);
      at++;
    }
    return at;
  }

  private static int quoted(ByteBuf buf, int from, int to, byte quote, ByteArrayOutputStream word)
      throws RespException {
    int at = from;
    while (at < to) {
      byte b = buf.getByte(at);
      if (b == quote) {
        return at + 1;
      }
      if (b == '\\' && at + 1 < to) {
        byte next = buf.getByte(at + 1);
        if (quote == '\'') {
          if (next == '\'') {
            word.write('\'');
            at += 2;
            continue;
          }
        } else if (next == 'x' && at + 3 < to && hex(buf, at + 2) >= 0 && hex(buf, at + 3) >= 0) {
          word.write(hex(buf, at + 2) * 16 + hex(buf, at + 3));
          at += 4;
          continue;
        } else {
          word.write(unescaped(next));
          at += 2;
          continue;
        }
      }
      word.write(b);
      at++;
    }
    throw unbalanced();
  }

  private static int unescaped(byte next) {
    return switch (next) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'a' -> 7;
      default -> next;
    };
  }

  private static int hex(ByteBuf buf, int at) {
    return Character.digit(buf.getByte(at), 16);
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  private static RespException unbalanced() {
    return new RespException("Protocol error: unbalanced quotes in request");
  }
}
