package dev.beltway.config.peers;

import dev.beltway.topology.Address;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** nginx's {@code upstream} blocks with {@code hash … consistent}. */
public final class NginxUpstream {

  private static final String DEFAULT_PORT = ":80";

  private NginxUpstream() {}

  /** A statement: its words, and the line that it begins on. */
  private record Statement(int line, List<String> words, char end) {}

  /**
   * The upstream blocks of a configuration, in its order. Other blocks are passed over.
   *
   * @throws PoolException if a block can't be taken over, with the reason
   */
  public static List<Pool> read(String text) throws PoolException {
    List<Statement> statements = statements(text);
    List<Pool> pools = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      Statement begin = statements.get(i);
      if (begin.end() == '{'
          && begin.words().size() == 2
          && begin.words().get(0).equals("upstream")) {
        List<Statement> inner = new ArrayList<>();
        for (i++; i < statements.size() && statements.get(i).end() != '}'; i++) {
          inner.add(statements.get(i));
        }
        pools.add(pool(begin, inner));
      }
    }
    return pools;
  }

  private static Pool pool(Statement begin, List<Statement> inner) throws PoolException {
    String name = begin.words().get(1);
    boolean consistent = false;
    Servers servers = new Servers();
    List<String> notes = new ArrayList<>();
    for (Statement statement : inner) {
      List<String> words = statement.words();
      if (words.get(0).equals("hash")) {
        consistent = words.size() == 3 && words.get(2).equals("consistent");
      } else if (words.get(0).equals("server") && words.size() > 1) {
        server(statement, servers, notes);
      }
    }
    if (!consistent) {
      throw PoolException.at(
          begin.line(), "upstream " + name + " has no \"hash … consistent\", so no ring");
    }
    try {
      return new Pool(name, new Topology(0, NginxRule.DEFAULT, servers.nodes()), notes);
    } catch (IllegalArgumentException e) {
      throw PoolException.at(begin.line(), "upstream " + name + ": " + e.getMessage());
    }
  }

  private static void server(Statement statement, Servers servers, List<String> notes)
      throws PoolException {
    List<String> words = statement.words();
    String server = words.get(1);
    int weight = 1;
    for (String option : words.subList(2, words.size())) {
      if (option.startsWith("weight=")) {
        String number = option.substring("weight=".length());
        if (!number.matches("[1-9][0-9]{0,8}")) {
          throw PoolException.at(statement.line(), option + " is not a whole number from 1");
        }
        weight = Integer.parseInt(number);
      } else if (option.equals("down")) {
        weight = 0;
      } else if (option.equals("backup")) {
        notes.add("server " + server + " is a backup, which is not on the ring: left out");
        return;
      }
    }
    if (server.startsWith("unix:")) {
      throw PoolException.at(statement.line(), "server " + server + " is a socket file");
    }
    boolean port = Address.isAddress(server);
    String address = port ? server : server + DEFAULT_PORT;
    servers.add(
        statement.line(),
        server,
        address,
        weight,
        port ? Optional.empty() : Optional.of(server),
        OptionalInt.empty());
  }

  /** Words between spaces, quotes and comments understood; a statement ends with ; or a brace. */
  private static List<Statement> statements(String text) throws PoolException {
    List<Statement> statements = new ArrayList<>();
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int line = 1;
    int begin = 1;
    char quote = 0;
    boolean comment = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        line++;
        comment = false;
      }
      if (comment) {
        continue;
      }
      if (quote != 0) {
        if (c == quote) {
          words.add(word.toString());
          word.setLength(0);
          quote = 0;
        } else {
          word.append(c);
        }
        continue;
      }
      boolean variable = (c == '{' || c == '}') && isInVariable(word, c);
      boolean ends = !variable && (c == ';' || c == '{' || c == '}');
      if ((Character.isWhitespace(c) || ends) && word.length() > 0) {
        words.add(word.toString());
        word.setLength(0);
      }
      if (words.isEmpty() && word.length() == 0) {
        begin = line;
      }
      if (ends) {
        if (c != '}' && words.isEmpty()) {
          throw PoolException.at(line, "'" + c + "' without anything before it");
        }
        if (c == '}' && !words.isEmpty()) {
          throw PoolException.at(line, "a statement without a semicolon");
        }
        statements.add(new Statement(begin, words, c));
        words = new ArrayList<>();
      } else if (c == '#' && word.length() == 0) {
        comment = true;
      } else if ((c == '"' || c == '\'') && word.length() == 0) {
        quote = c;
      } else if (!Character.isWhitespace(c)) {
        word.append(c);
      }
    }
    if (quote != 0 || !words.isEmpty() || word.length() > 0) {
      throw PoolException.at(line, "the file ends within a statement");
    }
    return statements;
  }

  /** A brace of <code>${name}</code> is no block's. */
  private static boolean isInVariable(StringBuilder word, char brace) {
    int dollar = word.lastIndexOf("${");
    return brace == '{'
        ? word.length() > 0 && word.charAt(word.length() - 1) == '$'
        : dollar >= 0 && word.indexOf("}", dollar) < 0;
  }

  /**
   * An upstream block.
   *
   * @throws PoolException if the topology isn't nginx's
   */
  public static String write(String name, Topology topology) throws PoolException {
    if (!(topology.rule() instanceof NginxRule)) {
      throw new PoolException(
          "nginx has a ring of its own; this topology is "
              + Exports.describe(topology)
              + ", and its keys would move");
    }
    StringBuilder text = new StringBuilder();
    text.append("upstream ").append(name).append(" {\n    hash $request_uri consistent;\n");
    for (Node node : topology.nodes()) {
      int weight = Servers.weight(node);
      text.append("    server ").append(server(node));
      if (weight > 1) {
        text.append(" weight=").append(weight);
      }
      text.append(weight == 0 ? " down;\n" : ";\n");
    }
    return text.append("}\n").toString();
  }

  private static String server(Node node) throws PoolException {
    String address = Servers.addressOf(node);
    String name = node.peer().name().orElse(address);
    boolean reaches = name.equals(address) || (name + DEFAULT_PORT).equals(address);
    if (!reaches) {
      throw new PoolException(
          "node "
              + node.id()
              + " is called "
              + name
              + " but is at "
              + address
              + "; nginx makes points from where it connects to");
    }
    return name;
  }
}
