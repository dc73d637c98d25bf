package dev.beltway.lab.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What {@code redis-cli monitor} prints: {@code 1339518083.107412 [0 127.0.0.1:60866] "GET" "k"}. A
 * command with many keys gives a request for each.
 */
final class MonitorParser implements LineParser {

  private static final byte[] SCRIPT = " lua] ".getBytes(StandardCharsets.UTF_8);

  private final Quoted quoted = new Quoted();
  private final List<String> arguments = new ArrayList<>();
  private int[] ends = new int[16];

  @Override
  public @Nullable Skip parse(byte[] line, int from, int to, Request request, RequestVisitor out)
      throws IOException {
    if (to - from == 2 && line[from] == 'O' && line[from + 1] == 'K') {
      return Skip.NO_KEY; // The server's answer to MONITOR itself.
    }
    int space = from;
    while (space < to && line[space] != ' ') {
      space++;
    }
    int close = space;
    while (close < to && !endsFrame(line, close, to)) {
      close++; // An IPv6 address has brackets of its own.
    }
    long time = Numbers.time(line, from, space);
    boolean framed = close + 2 < to && line[space + 1] == '[' && line[close + 1] == ' ';
    if (time == Numbers.NONE || !framed || !split(line, close + 2, to)) {
      return Skip.MALFORMED;
    }
    int script = close + 2 - SCRIPT.length;
    if (script > space && Arrays.equals(line, script, close + 2, SCRIPT, 0, SCRIPT.length)) {
      return Skip.IN_SCRIPT;
    }
    Operation whole = RedisCommands.operation(arguments);
    List<RedisCommands.Found> keys = RedisCommands.keys(arguments);
    Effect effect = effect(whole, time);
    for (RedisCommands.Found key : keys) {
      boolean asCommand = key.operation() == whole;
      request.operation = asCommand ? effect.operation(key.index()) : key.operation();
      request.time = time;
      request.ttl = asCommand ? effect.ttl : 0;
      request.key(quoted.bytes(), key.index() == 0 ? 0 : ends[key.index() - 1], ends[key.index()]);
      out.visit(request);
    }
    return keys.isEmpty() ? Skip.NO_KEY : null;
  }

  private static boolean endsFrame(byte[] line, int at, int to) {
    return line[at] == ']' && at + 2 < to && line[at + 1] == ' ' && line[at + 2] == '"';
  }

  private boolean split(byte[] line, int from, int to) {
    quoted.clear();
    arguments.clear();
    int at = from;
    int begin = 0;
    while (at < to) {
      if (line[at] != '"') {
        return false;
      }
      at = quoted.append(line, at, to);
      if (at < 0 || at < to && line[at] != ' ') {
        return false;
      }
      at++;
      int end = quoted.length();
      if (arguments.size() == ends.length) {
        ends = Arrays.copyOf(ends, 2 * ends.length);
      }
      ends[arguments.size()] = end;
      arguments.add(new String(quoted.bytes(), begin, end - begin, StandardCharsets.ISO_8859_1));
      begin = end;
    }
    return !arguments.isEmpty();
  }

  /**
   * What a command does with these arguments, and the TTL in milliseconds that it states, else 0.
   */
  private record Effect(String name, Operation operation, long ttl) {

    /** A key that is renamed is not there any more. */
    Operation operation(int index) {
      return index == 1 && name.startsWith("rename") ? Operation.DELETE : operation;
    }
  }

  private Effect effect(Operation whole, long now) {
    String name = arguments.get(0).toLowerCase(Locale.ROOT);
    String third = arguments.size() > 2 ? arguments.get(2) : "";
    return switch (name) {
      case "setex" -> stored(name, third, 1000, 0);
      case "psetex" -> stored(name, third, 1, 0);
      case "expire" -> expired(name, third, 1000, 0);
      case "pexpire" -> expired(name, third, 1, 0);
      case "expireat" -> expired(name, third, 1000, now);
      case "pexpireat" -> expired(name, third, 1, now);
      case "set" -> set(name, now);
      default -> new Effect(name, whole, 0);
    };
  }

  private Effect set(String name, long now) {
    for (int i = 3; i < arguments.size(); i++) {
      String next = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
      switch (arguments.get(i).toLowerCase(Locale.ROOT)) {
        case "ex" -> {
          return stored(name, next, 1000, 0);
        }
        case "px" -> {
          return stored(name, next, 1, 0);
        }
        case "exat" -> {
          return stored(name, next, 1000, now);
        }
        case "pxat" -> {
          return stored(name, next, 1, now);
        }
        case "keepttl" -> {
          return new Effect(name, Operation.MODIFY, 0);
        }
        default -> {}
      }
    }
    return new Effect(name, Operation.WRITE, 0);
  }

  /** Redis refuses to store with a TTL that is none. */
  private static Effect stored(String name, String number, long unit, long from) {
    boolean valid = number.matches("[0-9]{1,14}");
    long ttl = valid ? Long.parseLong(number) * unit - from : 0;
    return ttl > 0 ? new Effect(name, Operation.WRITE, ttl) : new Effect(name, Operation.OTHER, 0);
  }

  /** A time that is over already takes the key away. */
  private static Effect expired(String name, String number, long unit, long from) {
    if (!number.matches("-?[0-9]{1,14}")) {
      return new Effect(name, Operation.OTHER, 0);
    }
    long ttl = Long.parseLong(number) * unit - from;
    return ttl > 0
        ? new Effect(name, Operation.EXPIRE, ttl)
        : new Effect(name, Operation.DELETE, 0);
  }
}
