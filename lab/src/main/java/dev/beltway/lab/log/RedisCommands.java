package dev.beltway.lab.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Where the keys of Redis's commands stand, by the key specifications of its own COMMAND. */
final class RedisCommands {

  private static final String RESOURCE = "redis-commands.txt";

  private static final Map<String, Command> COMMANDS = load();

  /** A command that the table doesn't have, such as a module's: its first argument is the key. */
  private static final Command UNKNOWN =
      new Command(
          Operation.OTHER, false, List.of(new Keys(Operation.OTHER, "", 1, false, 0, 1, 0, 0)));

  private RedisCommands() {}

  /**
   * One command.
   *
   * @param container whether the command is named by two words
   */
  record Command(Operation operation, boolean container, List<Keys> keys) {}

  /**
   * One group of keys.
   *
   * @param operation what is done to these keys
   * @param keyword after which to begin; empty if {@code begin} is an index
   * @param begin index of the first argument of the group, or where the search for the keyword
   *     begins, negative from the end
   * @param counted whether the group begins with the number of its keys
   * @param last the last key relative to the first, negative from the end; or where the number
   *     stands
   * @param step from key to key
   * @param limit with a last key of −1: divide what is left by this
   * @param first relative index of the first key behind the number
   */
  record Keys(
      Operation operation,
      String keyword,
      int begin,
      boolean counted,
      int last,
      int step,
      int limit,
      int first) {}

  /** The command that the arguments name, by its first or its first two words. */
  static Command find(List<String> words) {
    Command command = COMMANDS.get(words.get(0).toLowerCase(Locale.ROOT));
    if (command != null && command.container() && words.size() > 1) {
      String both = words.get(0) + " " + words.get(1);
      Command inner = COMMANDS.get(both.toLowerCase(Locale.ROOT));
      return inner == null ? command : inner;
    }
    return command == null ? UNKNOWN : command;
  }

  /**
   * One key of a command.
   *
   * @param index of the argument
   * @param operation what is done to it
   */
  record Found(int index, Operation operation) {}

  /** The arguments that are keys. */
  static List<Found> keys(Command command, List<String> arguments) {
    List<Found> found = new ArrayList<>();
    boolean several =
        arguments.get(0).equalsIgnoreCase("migrate")
            && arguments.stream().anyMatch("KEYS"::equalsIgnoreCase);
    for (Keys keys : command.keys()) {
      int begin = keys.keyword().isEmpty() ? keys.begin() : afterKeyword(keys, arguments);
      boolean standIn = several && keys.keyword().isEmpty(); // An empty key where one would be.
      if (begin < 1 || begin >= arguments.size() || standIn) {
        continue;
      }
      if (keys.counted()) {
        counted(keys, begin, arguments, found);
      } else {
        int last = keys.last() >= 0 ? begin + keys.last() : arguments.size() + keys.last();
        if (keys.last() == -1 && keys.limit() > 1) {
          last = begin + (arguments.size() - begin) / keys.limit() - 1;
        }
        for (int i = begin; i <= last && i < arguments.size(); i += keys.step()) {
          found.add(new Found(i, keys.operation()));
        }
      }
    }
    return found;
  }

  private static void counted(Keys keys, int begin, List<String> arguments, List<Found> found) {
    String number =
        begin + keys.last() < arguments.size() ? arguments.get(begin + keys.last()) : "";
    int count = number.matches("[0-9]{1,7}") ? Integer.parseInt(number) : 0;
    int first = begin + keys.first();
    for (int i = 0; i < count && first + i * keys.step() < arguments.size(); i++) {
      found.add(new Found(first + i * keys.step(), keys.operation()));
    }
  }

  private static int afterKeyword(Keys keys, List<String> arguments) {
    int step = keys.begin() < 0 ? -1 : 1;
    int from = keys.begin() < 0 ? arguments.size() + keys.begin() : keys.begin();
    for (int i = from; i >= 1 && i < arguments.size(); i += step) {
      if (arguments.get(i).equalsIgnoreCase(keys.keyword())) {
        return i + 1;
      }
    }
    return -1;
  }

  private static Map<String, Command> load() {
    Map<String, Command> commands = new HashMap<>();
    try (InputStream in = RedisCommands.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          String[] parts = line.split(" ; ", -1);
          boolean container = parts[1].equals("container");
          Operation operation = container ? Operation.OTHER : operation(parts[1]);
          List<Keys> keys = new ArrayList<>();
          for (int i = 2; i < parts.length; i++) {
            keys.add(keys(operation, parts[i].split(" ", -1)));
          }
          commands.put(parts[0], new Command(operation, container, keys));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return commands;
  }

  private static Operation operation(String word) {
    return Operation.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private static Keys keys(Operation command, String[] group) {
    boolean own = !group[0].equals("index") && !group[0].equals("keyword");
    String[] words = own ? Arrays.copyOfRange(group, 1, group.length) : group;
    boolean indexed = words[0].equals("index");
    int at = indexed ? 1 : 2;
    boolean counted = words[at + 1].equals("keynum");
    int second = Integer.parseInt(words[at + 2]);
    int third = Integer.parseInt(words[at + 3]);
    int fourth = Integer.parseInt(words[at + 4]);
    return new Keys(
        own ? operation(group[0]) : command,
        indexed ? "" : words[1],
        Integer.parseInt(words[at]),
        counted,
        second,
        counted ? fourth : third,
        counted ? 0 : fourth,
        counted ? third : 0);
  }
}
