package dev.beltway.resp.command;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What belongs to a command, by the bytes of the command's name in any case of letters, without an
 * object made. Immutable; O(length of the name).
 *
 * @param <V> what belongs to a command
 */
public final class CommandIndex<V> {

  private static final int LONGEST = 64;

  /** In place of the length of a second word, where there is none. */
  private static final int WHOLE = -1;

  private final int mask;
  private final byte[][] names;
  private final boolean[] containers;
  private final List<@Nullable V> values;

  /** Of these commands and what the function gives for each. */
  public CommandIndex(Collection<Command> all, Function<Command, V> value) {
    int size = Integer.highestOneBit(4 * all.size() + 4);
    this.mask = size - 1;
    this.names = new byte[size][];
    this.containers = new boolean[size];
    this.values = new ArrayList<>(Collections.nCopies(size, null));
    for (Command command : all) {
      byte[] name = command.name().getBytes(StandardCharsets.UTF_8);
      int at = slot(hash(name));
      while (names[at] != null) {
        at = (at + 1) & mask;
      }
      names[at] = name;
      containers[at] = command.container();
      values.set(at, value.apply(command));
    }
  }

  /** Of the command that a request names, or of its sub-command if there is that one. */
  public @Nullable V find(FrameArguments request) {
    ByteBuf buf = request.buf();
    int offset = request.offset(0);
    int length = request.length(0);
    if (length > LONGEST) {
      return null;
    }
    int hash = hash(0, buf, offset, length);
    int at = lookup(hash, buf, offset, length, 0, WHOLE);
    if (containers[at] && request.count() > 1 && request.length(1) <= LONGEST) {
      int subOffset = request.offset(1);
      int subLength = request.length(1);
      int both = hash(step(hash, ' '), buf, subOffset, subLength);
      int sub = lookup(both, buf, offset, length, subOffset, subLength);
      return names[sub] == null ? values.get(at) : values.get(sub);
    }
    return values.get(at);
  }

  private int lookup(int hash, ByteBuf buf, int offset, int length, int subOffset, int subLength) {
    for (int at = slot(hash); ; at = (at + 1) & mask) {
      byte[] name = names[at];
      if (name == null || matches(name, buf, offset, length, subOffset, subLength)) {
        return at;
      }
    }
  }

  private static boolean matches(
      byte[] name, ByteBuf buf, int offset, int length, int subOffset, int subLength) {
    if (subLength == WHOLE) {
      return name.length == length
          && same(name, 0, buf, offset, length)
          && !contains(name, (byte) ' ');
    }
    return name.length == length + 1 + subLength
        && name[length] == ' '
        && same(name, 0, buf, offset, length)
        && same(name, length + 1, buf, subOffset, subLength);
  }

  private static boolean contains(byte[] name, byte wanted) {
    for (byte b : name) {
      if (b == wanted) {
        return true;
      }
    }
    return false;
  }

  private static boolean same(byte[] name, int from, ByteBuf buf, int offset, int length) {
    for (int i = 0; i < length; i++) {
      if (name[from + i] != small(buf.getByte(offset + i))) {
        return false;
      }
    }
    return true;
  }

  private static byte small(byte b) {
    return b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
  }

  private static int hash(byte[] name) {
    int hash = 0;
    for (byte b : name) {
      hash = step(hash, b);
    }
    return hash;
  }

  private static int hash(int begin, ByteBuf buf, int offset, int length) {
    int hash = begin;
    for (int i = 0; i < length; i++) {
      hash = step(hash, small(buf.getByte(offset + i)));
    }
    return hash;
  }

  private static int step(int hash, int b) {
    return 31 * hash + b;
  }

  private int slot(int hash) {
    return (hash * 0x9e3779b9 >>> 8) & mask;
  }
}
