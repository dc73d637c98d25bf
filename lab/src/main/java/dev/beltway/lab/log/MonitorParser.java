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
    RedisCommands.Command command = RedisCommands.find(arguments);
    List<Integer> keys = RedisCommands.keys(command, arguments);
    Effect effect = effect(command, time);
    for (int key : keys) {
      boolean renamed = effect.name.startsWith("rename") && key == 1;
      boolean sorted = effect.name.equals("sort") && key > 1;
      request.operation = renamed ? Operation.DELETE : sorted ? Operation.WRITE : effect.operation;
      request.time = time;
      request.ttl = effect.ttl;
      request.key(quoted.bytes(), key == 0 ? 0 : ends[key - 1], ends[key]);
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

  /** What a command does, and the TTL that it states in milliseconds, 0 if none. */
  private record Effect(String name, Operation operation, long ttl) {}

  private Effect effect(RedisCommands.Command command, long now) {
    String name = arguments.get(0).toLowerCase(Locale.ROOT);
    Operation operation = command.operation();
    long ttl = 0;
    String third = arguments.size() > 2 ? arguments.get(2) : "";
    switch (name) {
      case "setex", "expire" -> ttl = milliseconds(third, 1000, 0);
      case "psetex", "pexpire" -> ttl = milliseconds(third, 1, 0);
      case "restore" -> ttl = Math.max(0, milliseconds(third, 1, 0));
      case "expireat" -> ttl = milliseconds(third, 1000, now);
      case "pexpireat" -> ttl = milliseconds(third, 1, now);
      case "set" -> {
        for (int i = 3; i < arguments.size(); i++) {
          String next = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
          switch (arguments.get(i).toLowerCase(Locale.ROOT)) {
            case "ex" -> ttl = milliseconds(next, 1000, 0);
            case "px" -> ttl = milliseconds(next, 1, 0);
            case "exat" -> ttl = milliseconds(next, 1000, now);
            case "pxat" -> ttl = milliseconds(next, 1, now);
            case "keepttl" -> operation = Operation.MODIFY;
            default -> {}
          }
        }
      }
      default -> {}
    }
    return ttl < 0
        ? new Effect(name, Operation.DELETE, 0) // Its time is over already.
        : new Effect(name, operation, ttl);
  }

  private static long milliseconds(String number, long unit, long from) {
    if (!number.matches("-?[0-9]{1,14}")) {
      return 0;
    }
    long ttl = Long.parseLong(number) * unit - from;
    return ttl == 0 ? -1 : ttl;
  }
}
