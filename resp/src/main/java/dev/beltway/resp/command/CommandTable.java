package dev.beltway.resp.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * All commands of Redis 7.0.15, from its own COMMAND, with how they are treated. Immutable and safe
 * for any number of threads. Commands that it doesn't have, such as those of modules, can be learnt
 * from a node; see {@link CommandInfo}.
 */
public final class CommandTable {

  private static final String RESOURCE = "redis-commands.txt";

  private static final CommandTable REDIS = new CommandTable(load());

  private final Map<String, Command> byName;

  private CommandTable(Map<String, Command> byName) {
    this.byName = Collections.unmodifiableMap(byName);
  }

  /** The table. */
  public static CommandTable redis() {
    return REDIS;
  }

  /** All of them, sub-commands too, by name. */
  public Collection<Command> commands() {
    return byName.values();
  }

  /** The command of that name, two words for a sub-command, in small letters. */
  public Optional<Command> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  private static Map<String, Command> load() {
    Map<String, Command> commands = new TreeMap<>();
    try (InputStream in = CommandTable.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          Command command = command(line.split(" ; ", -1));
          commands.put(command.name(), command);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return commands;
  }

  private static Command command(String[] parts) {
    boolean container = parts[1].equals("container");
    Effect effect = container ? Effect.OTHER : effect(parts[1]);
    List<KeyGroup> keys = new ArrayList<>();
    for (int i = 5; i < parts.length; i++) {
      keys.add(group(effect, parts[i].split(" ", -1)));
    }
    String name = parts[0];
    Treatment treatment = Treatments.of(name, keys);
    String reason = treatment == Treatment.REFUSED ? Treatments.reason(name) : "";
    return new Command(
        name,
        Integer.parseInt(parts[2]),
        effect,
        words(parts[3]),
        words(parts[4]),
        keys,
        container,
        treatment,
        reason);
  }

  private static Set<String> words(String text) {
    return text.equals("-") ? Set.of() : Set.of(text.split(",", -1));
  }

  private static Effect effect(String word) {
    return Effect.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private static KeyGroup group(Effect command, String[] group) {
    boolean own = !group[0].equals("index") && !group[0].equals("keyword");
    String[] words = own ? Arrays.copyOfRange(group, 1, group.length) : group;
    boolean indexed = words[0].equals("index");
    int at = indexed ? 1 : 2;
    boolean counted = words[at + 1].equals("keynum");
    int second = Integer.parseInt(words[at + 2]);
    int third = Integer.parseInt(words[at + 3]);
    int fourth = Integer.parseInt(words[at + 4]);
    return new KeyGroup(
        own ? effect(group[0]) : command,
        indexed ? "" : words[1].toUpperCase(Locale.ROOT),
        Integer.parseInt(words[at]),
        counted,
        second,
        counted ? fourth : third,
        counted ? 0 : fourth,
        counted ? third : 0);
  }
}
