package dev.beltway.resp.command;

import java.util.List;
import java.util.Set;

/**
 * One command, or one sub-command of a container.
 *
 * @param name in small letters, two words with a space for a sub-command
 * @param arity how many arguments with the name, negative for at least as many
 * @param effect what it does to its keys
 * @param flags as COMMAND calls them
 * @param categories ACL categories, without the at sign
 * @param keys where its keys stand
 * @param container whether its first argument names a sub-command
 * @param treatment what a router does with it
 * @param reason why it is refused; empty if it isn't
 */
public record Command(
    String name,
    int arity,
    Effect effect,
    Set<String> flags,
    Set<String> categories,
    List<KeyGroup> keys,
    boolean container,
    Treatment treatment,
    String reason) {

  /** Copies the collections. */
  public Command {
    flags = Set.copyOf(flags);
    categories = Set.copyOf(categories);
    keys = List.copyOf(keys);
  }

  /** As an error text names it: {@code config|get}. */
  public String errorName() {
    return name.replace(' ', '|');
  }

  /** Whether that many arguments, the name among them, are allowed. */
  public boolean takes(int arguments) {
    return arity >= 0 ? arguments == arity : arguments >= -arity;
  }

  /** Whether it may change a key. */
  public boolean writes() {
    return flags.contains("write");
  }

  /** The argument that is its only key, whatever the others are; 0 if it isn't that simple. */
  public int onlyKey() {
    if (keys.size() == 1 && !name.equals("sort") && !name.equals("sort_ro")) {
      KeyGroup group = keys.get(0);
      return group.isFixed() && group.last() == 0 ? group.begin() : 0;
    }
    return 0;
  }

  /** Visits its keys among a request's arguments. */
  public void visitKeys(Arguments arguments, KeyGroup.Visitor visitor) {
    boolean migratesSeveral = name.equals("migrate") && hasKeysOption(arguments);
    for (KeyGroup group : keys) {
      // MIGRATE with KEYS has an empty word where its one key would be.
      if (!migratesSeveral || !group.keyword().isEmpty()) {
        group.visit(arguments, visitor);
      }
    }
  }

  private static boolean hasKeysOption(Arguments arguments) {
    for (int i = 1; i < arguments.count(); i++) {
      if (arguments.is(i, "KEYS")) {
        return true;
      }
    }
    return false;
  }
}
