package dev.beltway.resp.command;

import dev.beltway.resp.codec.Digits;
import dev.beltway.resp.codec.RequestScanner;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The arguments of a request that a scanner has found, where they are. For one thread. */
public final class FrameArguments implements Arguments {

  private final RequestScanner scanner;
  private @Nullable ByteBuf buf;
  private int begin;

  /** Of what this scanner finds. */
  public FrameArguments(RequestScanner scanner) {
    this.scanner = scanner;
  }

  /** The request that begins there. */
  public void at(ByteBuf found, int offset) {
    this.buf = found;
    this.begin = offset;
  }

  /** Where the bytes are. */
  public ByteBuf buf() {
    if (buf == null) {
      throw new IllegalStateException("no request");
    }
    return buf;
  }

  /** Where the request begins. */
  public int begin() {
    return begin;
  }

  @Override
  public int count() {
    return scanner.count();
  }

  /** Where an argument begins in the buffer. */
  public int offset(int argument) {
    return begin + scanner.offset(argument);
  }

  /** How many bytes it has. */
  public int length(int argument) {
    return scanner.length(argument);
  }

  /** A copy of its bytes. */
  public byte[] bytes(int argument) {
    byte[] bytes = new byte[length(argument)];
    buf().getBytes(offset(argument), bytes);
    return bytes;
  }

  /** A copy of its first bytes, so many at most. */
  public byte[] bytes(int argument, int most) {
    byte[] bytes = new byte[Math.min(most, length(argument))];
    buf().getBytes(offset(argument), bytes);
    return bytes;
  }

  /** The begin of it as text, so many bytes at most. */
  public String text(int argument, int most) {
    return new String(bytes(argument, most), StandardCharsets.UTF_8);
  }

  /** As text. */
  public String text(int argument) {
    return buf().toString(offset(argument), length(argument), StandardCharsets.UTF_8);
  }

  @Override
  public boolean is(int argument, String word) {
    int length = length(argument);
    if (length != word.length()) {
      return false;
    }
    int offset = offset(argument);
    for (int i = 0; i < length; i++) {
      int b = buf().getByte(offset + i);
      if ((b >= 'a' && b <= 'z' ? b - 32 : b) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long number(int argument) {
    int offset = offset(argument);
    return Digits.parse(buf(), offset, offset + length(argument));
  }
}
