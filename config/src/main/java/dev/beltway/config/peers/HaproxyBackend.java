package dev.beltway.config.peers;

import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** HAProxy's {@code backend} and {@code listen} sections with {@code hash-type consistent}. */
public final class HaproxyBackend {

  private static final Set<String> SECTIONS =
      Set.of(
          "global",
          "defaults",
          "frontend",
          "backend",
          "listen",
          "peers",
          "resolvers",
          "userlist",
          "mailers",
          "cache",
          "program",
          "ring",
          "http-errors",
          "fcgi-app",
          "log-forward");

  private HaproxyBackend() {}

  /** What a section says, as far as it matters. */
  private static final class Section {
    final String name;
    final int line;
    @Nullable List<String> hashType;
    @Nullable String balance;
    @Nullable String balanceFactor;
    final List<String> defaultServer = new ArrayList<>();
    final List<List<String>> servers = new ArrayList<>();
    final List<Integer> lines = new ArrayList<>();

    Section(String name, int line, @Nullable Section defaults) {
      this.name = name;
      this.line = line;
      if (defaults != null) {
        hashType = defaults.hashType;
        balance = defaults.balance;
        balanceFactor = defaults.balanceFactor;
        defaultServer.addAll(defaults.defaultServer);
      }
    }
  }

  /**
   * The backends of a configuration that have servers, in its order.
   *
   * @throws PoolException if one can't be taken over, with the reason
   */
  public static List<Pool> read(String text) throws PoolException {
    List<Pool> pools = new ArrayList<>();
    for (Section section : sections(text)) {
      if (!section.servers.isEmpty()) {
        pools.add(pool(section));
      }
    }
    return pools;
  }

  private static List<Section> sections(String text) throws PoolException {
    List<Section> sections = new ArrayList<>();
    Section current = null;
    Section defaults = null;
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      List<String> words = words(line, number);
      if (words.isEmpty()) {
        continue;
      }
      String first = words.get(0);
      if (SECTIONS.contains(first)) {
        boolean serves = first.equals("backend") || first.equals("listen");
        boolean isDefaults = first.equals("defaults");
        current =
            serves || isDefaults
                ? new Section(
                    words.size() > 1 ? words.get(1) : first, number, serves ? defaults : null)
                : null;
        if (isDefaults) {
          defaults = current;
        } else if (current != null) {
          sections.add(current);
        }
      } else if (current != null) {
        take(current, words, number);
      }
    }
    return sections;
  }

  private static void take(Section section, List<String> words, int line) {
    List<String> rest = words.subList(1, words.size());
    String value = rest.isEmpty() ? "" : rest.get(0);
    switch (words.get(0)) {
      case "hash-type" -> section.hashType = rest;
      case "balance" -> section.balance = value;
      case "hash-balance-factor" -> section.balanceFactor = value;
      case "default-server" -> section.defaultServer.addAll(rest);
      case "server" -> {
        section.servers.add(rest);
        section.lines.add(line);
      }
      default -> {}
    }
  }

  private static List<String> words(String line, int number) throws PoolException {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    char quote = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
        inWord = true;
      } else if (c == '\\' && i + 1 < line.length()) {
        i++;
        word.append(line.charAt(i));
        inWord = true;
      } else if (c == '#') {
        break;
      } else if (Character.isWhitespace(c)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
          inWord = false;
        }
      } else {
        word.append(c);
        inWord = true;
      }
    }
    if (quote != 0) {
      throw PoolException.at(number, "a quote that is not closed");
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }

  private static Pool pool(Section section) throws PoolException {
    List<String> hash = section.hashType == null ? List.of("map-based") : section.hashType;
    String where = "backend " + section.name;
    if (hash.isEmpty() || !hash.get(0).equals("consistent")) {
      throw PoolException.at(section.line, where + " has no \"hash-type consistent\", so no ring");
    }
    String function = "sdbm";
    boolean avalanche = hash.size() == 1;
    for (String word : hash.subList(1, hash.size())) {
      if (word.equals("avalanche")) {
        avalanche = true;
      } else {
        function = word;
      }
    }
    if (hash.size() == 1) {
      function = HaproxyRule.DEFAULT.function();
    }
    Servers servers = new Servers();
    List<String> notes = new ArrayList<>();
    for (int i = 0; i < section.servers.size(); i++) {
      server(section, i, servers, notes);
    }
    if (section.balanceFactor != null && !section.balanceFactor.equals("0")) {
      notes.add(
          "hash-balance-factor: under load HAProxy sends keys on to other servers; the topology"
              + " has where they are without that");
    }
    try {
      return new Pool(
          section.name,
          new Topology(0, new HaproxyRule(function, avalanche), servers.nodes()),
          notes);
    } catch (IllegalArgumentException e) {
      throw PoolException.at(section.line, where + ": " + e.getMessage());
    }
  }

  private static void server(Section section, int index, Servers servers, List<String> notes)
      throws PoolException {
    List<String> words = section.servers.get(index);
    int line = section.lines.get(index);
    if (words.size() < 2) {
      throw PoolException.at(line, "a server without an address");
    }
    List<String> options = new ArrayList<>(section.defaultServer);
    options.addAll(words.subList(2, words.size()));
    int weight = 1;
    OptionalInt id = OptionalInt.of(index + 1);
    for (int i = 0; i < options.size(); i++) {
      String value = i + 1 < options.size() ? options.get(i + 1) : "";
      switch (options.get(i)) {
        case "weight" -> weight = number(line, "weight", value, HaproxyRule.MOST_WEIGHT);
        case "id" -> id = OptionalInt.of(number(line, "id", value, Integer.MAX_VALUE));
        case "disabled" -> weight = 0;
        case "backup" -> {
          notes.add("server " + words.get(0) + " is a backup, which is not on the ring: left out");
          return;
        }
        case "hash-key" -> {
          if (!value.equals("id")) {
            throw PoolException.at(line, "hash-key " + value + "; only id can be taken over");
          }
        }
        default -> {}
      }
    }
    servers.add(line, words.get(0), words.get(1), weight, Optional.empty(), id);
  }

  private static int number(int line, String what, String text, int most) throws PoolException {
    if (!text.matches("[0-9]{1,10}") || Long.parseLong(text) > most) {
      throw PoolException.at(line, what + " \"" + text + "\" is outside 0 to " + most);
    }
    return Integer.parseInt(text);
  }

  /**
   * A backend section.
   *
   * @throws PoolException if the topology isn't HAProxy's
   */
  public static String write(String name, Topology topology) throws PoolException {
    if (!(topology.rule() instanceof HaproxyRule rule)) {
      throw new PoolException(
          "HAProxy has a ring of its own; this topology is "
              + Exports.describe(topology)
              + ", and its keys would move");
    }
    StringBuilder text = new StringBuilder();
    text.append("backend ").append(name).append("\n    balance uri\n    hash-type consistent ");
    text.append(rule.function()).append(rule.avalanche() ? " avalanche\n" : "\n");
    Map<String, Integer> ids = HaproxyRule.ids(topology.nodes());
    for (Node node : topology.nodes()) {
      text.append("    server ").append(node.id()).append(' ').append(Servers.addressOf(node));
      text.append(" id ").append(ids.get(node.id()));
      text.append(" weight ").append(Servers.weight(node)).append('\n');
    }
    return text.toString();
  }
}
