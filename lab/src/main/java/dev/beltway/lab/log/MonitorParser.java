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
    while (close < to && line[close] != ']') {
      close++;
    }
    long time = Numbers.milliseconds(line, from, space);
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
    long ttl = ttl();
    for (int key : keys) {
      request.operation = command.operation();
      request.time = time;
      request.ttl = ttl;
      request.key(quoted.bytes(), key == 0 ? 0 : ends[key - 1], ends[key]);
      out.visit(request);
    }
    return keys.isEmpty() ? Skip.NO_KEY : null;
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

  /** What SET … EX, SETEX and their like state, in milliseconds; 0 if nothing. */
  private long ttl() {
    String name = arguments.get(0).toLowerCase(Locale.ROOT);
    if (arguments.size() == 4 && (name.equals("setex") || name.equals("psetex"))) {
      return milliseconds(arguments.get(2), name.equals("setex"));
    }
    for (int i = 3; name.equals("set") && i + 1 < arguments.size(); i++) {
      String option = arguments.get(i);
      if (option.equalsIgnoreCase("ex") || option.equalsIgnoreCase("px")) {
        return milliseconds(arguments.get(i + 1), option.equalsIgnoreCase("ex"));
      }
    }
    return 0;
  }

  private static long milliseconds(String number, boolean seconds) {
    if (!number.matches("[0-9]{1,12}")) {
      return 0;
    }
    return Long.parseLong(number) * (seconds ? 1000 : 1);
  }
}
