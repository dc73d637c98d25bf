package dev.beltway.proxy.access;

import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandTable;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which commands a user may run, as Redis's ACL rules say it: {@code +get}, {@code -keys}, {@code
 * +config|get}, {@code +@read}, {@code -@dangerous}, {@code +@all}. Of several that fit a command
 * the last one counts; nothing is allowed that no rule allows.
 */
public final class CommandRules {

  /** All commands. */
  public static final CommandRules ALL = new CommandRules(List.of("+@all"));

  private final List<String> rules;
  private final Set<String> allowed;
  private final boolean all;

  /**
   * Of these rules.
   *
   * @throws IllegalArgumentException if one is none, or names a command or category unknown
   */
  public CommandRules(List<String> rules) {
    this.rules = rules.stream().map(rule -> checked(rule.toLowerCase(Locale.ROOT))).toList();
    this.all = this.rules.equals(List.of("+@all"));
    this.allowed =
        CommandTable.redis().commands().stream()
            .filter(this::decide)
            .map(Command::name)
            .collect(Collectors.toUnmodifiableSet());
  }

  private static String checked(String rule) {
    if (!rule.matches("[+-]@?[a-z0-9_.|-]+")) {
      throw new IllegalArgumentException(
          "rule \"" + rule + "\" is not +command, -command, +@category or -@category");
    }
    String name = rule.substring(rule.charAt(1) == '@' ? 2 : 1);
    if (rule.charAt(1) == '@') {
      Set<String> categories = new HashSet<>(Set.of("all"));
      CommandTable.redis().commands().forEach(c -> categories.addAll(c.categories()));
      if (!categories.contains(name)) {
        throw new IllegalArgumentException("category \"" + name + "\" is unknown");
      }
    } else if (CommandTable.redis().find(name.replace('|', ' ')).isEmpty()
        && rule.charAt(0) == '-') {
      throw new IllegalArgumentException("command \"" + name + "\" is unknown");
    }
    return rule;
  }

  /** Whether every command may be run. */
  public boolean allowAll() {
    return all;
  }

  /** Whether the command may be run. */
  public boolean allow(Command command) {
    return allowed.contains(command.name())
        || CommandTable.redis().find(command.name()).isEmpty() && decide(command);
  }

  /**
   * Whether a rule allows scripts by name, {@code +eval} or {@code +@scripting}, or all rules allow
   * everything: a script does whatever the proxy's own login may, so {@code +@all} beside limits
   * doesn't mean it.
   */
  public boolean nameScripting(Command command) {
    String name = command.errorName();
    return rules.stream()
        .anyMatch(
            rule ->
                rule.equals("+@scripting")
                    || rule.equals("+" + name)
                    || rule.equals("+" + command.name().split(" ", -1)[0]));
  }

  private boolean decide(Command command) {
    boolean allow = false;
    for (String rule : rules) {
      if (fits(rule.substring(1), command)) {
        allow = rule.charAt(0) == '+';
      }
    }
    return allow;
  }

  private static boolean fits(String rule, Command command) {
    if (rule.startsWith("@")) {
      return rule.equals("@all") || command.categories().contains(rule.substring(1));
    }
    String name = command.errorName();
    return rule.equals(name) || name.startsWith(rule + "|");
  }
}
