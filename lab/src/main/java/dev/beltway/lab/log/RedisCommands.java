package dev.beltway.lab.log;

import dev.beltway.resp.command.Arguments;
import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The keys of a logged Redis command, and what is done to them. */
final class RedisCommands {

  private RedisCommands() {}

  /**
   * One key of a command.
   *
   * @param index of the argument
   * @param operation what is done to it
   */
  record Found(int index, Operation operation) {}

  /** What the command that the arguments name does as a whole. */
  static Operation operation(List<String> words) {
    Command command = find(words);
    return command == null ? Operation.OTHER : Operation.valueOf(command.effect().name());
  }

  /**
   * The arguments that are keys. Of a command that the table doesn't have, such as a module's, it
   * is the first one.
   */
  static List<Found> keys(List<String> words) {
    Command command = find(words);
    if (command == null) {
      return words.size() > 1 ? List.of(new Found(1, Operation.OTHER)) : List.of();
    }
    List<Found> found = new ArrayList<>();
    command.visitKeys(
        new Words(words),
        (argument, effect) -> found.add(new Found(argument, Operation.valueOf(effect.name()))));
    return found;
  }

  private static @Nullable Command find(List<String> words) {
    CommandTable table = CommandTable.redis();
    String name = words.get(0).toLowerCase(Locale.ROOT);
    Command command = table.find(name).orElse(null);
    if (command != null && command.container() && words.size() > 1) {
      return table.find(name + " " + words.get(1).toLowerCase(Locale.ROOT)).orElse(command);
    }
    return command;
  }

  private record Words(List<String> words) implements Arguments {
    @Override
    public int count() {
      return words.size();
    }

    @Override
    public boolean is(int argument, String word) {
      return words.get(argument).equalsIgnoreCase(word);
    }

    @Override
    public long number(int argument) {
      String text = words.get(argument);
      return text.matches("[0-9]{1,7}") ? Long.parseLong(text) : Long.MIN_VALUE;
    }
  }
}
