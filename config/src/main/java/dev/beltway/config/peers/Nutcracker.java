package dev.beltway.config.peers;

import dev.beltway.config.ConfigFileException;
import dev.beltway.config.YamlText;
import dev.beltway.hash.HashFunction;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** twemproxy's {@code nutcracker.yml}: pools with {@code distribution: ketama}. */
public final class Nutcracker {

  private static final Pattern SERVER = Pattern.compile("(\\S+?)(?::(\\d{1,9}))(?:\\s+(\\S+))?");

  private Nutcracker() {}

  /**
   * The pools of a configuration, in its order.
   *
   * @param text of the file
   * @throws ConfigFileException if it is no such file
   * @throws PoolException if a pool can't be taken over, with the reason
   */
  public static List<Pool> read(String file, byte[] text)
      throws ConfigFileException, PoolException {
    List<Pool> pools = new ArrayList<>();
    for (YamlText.Section section : YamlText.sections(file, text)) {
      pools.add(pool(section));
    }
    return pools;
  }

  private static Pool pool(YamlText.Section section) throws ConfigFileException, PoolException {
    String name = section.name();
    String distribution = section.text("distribution").orElse("ketama");
    if (!distribution.equals("ketama")) {
      throw new PoolException(
          "pool "
              + name
              + ": distribution "
              + distribution
              + " can't be taken over; only ketama has a ring");
    }
    String hash = section.text("hash").orElse("fnv1a_64");
    HashFunction keyHash = KetamaVariant.TWEMPROXY.keyHashes().get(hash);
    if (keyHash == null) {
      throw new PoolException(
          "pool "
              + name
              + ": hash "
              + hash
              + " is none of "
              + String.join(", ", KetamaVariant.TWEMPROXY.keyHashes().keySet()));
    }
    Optional<String> tag = section.text("hash_tag");
    if (tag.isPresent() && !tag.get().equals("{}")) {
      throw new PoolException(
          "pool " + name + ": hash_tag \"" + tag.get() + "\"; here a tag stands in {}");
    }
    Servers servers = new Servers();
    for (String line : section.texts("servers")) {
      server(name, line, servers);
    }
    List<String> notes = new ArrayList<>();
    if (section.text("auto_eject_hosts").orElse("false").equals("true")) {
      notes.add(
          "auto_eject_hosts: a proxy started with --policy next routes around a server that is out,"
              + " and empties it before it serves again");
    }
    if (section.text("redis_auth").isPresent()) {
      notes.add(
          "redis_auth: give the password to the proxy in BELTWAY_NODE_PASSWORD, and to its clients'"
              + " user by --users");
    }
    String database = section.text("redis_db").orElse("0");
    if (!database.equals("0")) {
      notes.add("redis_db: clients must SELECT " + database + " themselves; they begin in 0");
    }
    if (!section.text("redis").orElse("false").equals("true")) {
      notes.add("the pool speaks memcached; the topology routes its keys, the proxy speaks Redis");
    }
    try {
      return new Pool(
          name,
          new Topology(
              0,
              new KetamaRule(KetamaVariant.TWEMPROXY, keyHash, tag.isPresent(), Replication.NONE),
              servers.nodes()),
          notes);
    } catch (IllegalArgumentException e) {
      throw new PoolException("pool " + name + ": " + e.getMessage());
    }
  }

  private static void server(String pool, String line, Servers servers) throws PoolException {
    Matcher parts = SERVER.matcher(line.strip());
    if (!parts.matches() || line.startsWith("/")) {
      throw new PoolException(
          "pool "
              + pool
              + ": server \""
              + line
              + "\" is not host:port:weight with or without a name");
    }
    String address = parts.group(1);
    Optional<String> name = Optional.ofNullable(parts.group(3));
    servers.add(
        0,
        name.orElse(address),
        address,
        Integer.parseInt(parts.group(2)),
        name.filter(n -> !n.equals(address)),
        OptionalInt.empty());
  }

  /**
   * A configuration of one pool.
   *
   * @throws PoolException if the topology isn't twemproxy's ketama
   */
  public static String write(String name, Topology topology) throws PoolException {
    if (!(topology.rule() instanceof KetamaRule rule)
        || rule.variant() != KetamaVariant.TWEMPROXY) {
      throw new PoolException(
          "twemproxy has ketama of its own; this topology is "
              + Exports.describe(topology)
              + ", and its keys would move");
    }
    StringBuilder text = new StringBuilder();
    text.append(name).append(":\n  listen: 127.0.0.1:22121\n  hash: ");
    text.append(hashName(rule)).append("\n  distribution: ketama\n");
    if (rule.hashTags()) {
      text.append("  hash_tag: \"{}\"\n");
    }
    text.append("  redis: true\n  auto_eject_hosts: false\n  servers:\n");
    for (Node node : topology.nodes()) {
      if (!node.isDrained()) {
        String address = Servers.addressOf(node);
        text.append("    - ").append(address).append(':').append(Servers.weight(node));
        String label = KetamaVariant.TWEMPROXY.label(node);
        if (node.peer().name().isPresent()) {
          text.append(' ').append(label);
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  private static String hashName(KetamaRule rule) {
    for (Map.Entry<String, HashFunction> hash : KetamaVariant.TWEMPROXY.keyHashes().entrySet()) {
      if (hash.getValue().equals(rule.keyHash())) {
        return hash.getKey();
      }
    }
    throw new IllegalStateException("no name for " + rule.keyHash().name());
  }
}
