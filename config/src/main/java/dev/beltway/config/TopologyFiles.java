package dev.beltway.config;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.topology.Machine;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotRanges;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.Weight;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads topology files. YAML 1.2, and JSON as the part of it that it is; the fields are described
 * in docs/topology-files.md.
 *
 * <p>Everything that isn't understood is refused: unknown fields, second values, values out of
 * range. A file is read up to {@link #MOST_BYTES} and not at all beyond.
 */
public final class TopologyFiles {

  /** The largest file, in bytes. */
  public static final int MOST_BYTES = 8 << 20;

  /** The longest line, in characters; the parser's time grows faster than a line does. */
  public static final int LONGEST_LINE = 2 << 20;

  /** The only version of the format so far. */
  public static final int VERSION = 1;

  private static final int MOST_ALIASES = 40;
  private static final String ALGORITHMS = "ring, modulo, slots";

  private final String file;

  private TopologyFiles(String file) {
    this.file = file;
  }

  /**
   * Reads a file.
   *
   * @throws TopologyFileException if it can't be read or isn't a topology that owns anything; the
   *     message says where and why
   */
  public static Topology read(Path path) throws TopologyFileException {
    String name = path.toString();
    if (Files.isDirectory(path)) {
      throw new TopologyFileException(name, 0, "", "is a folder, not a topology file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    } catch (NoSuchFileException e) {
      throw new TopologyFileException(name, 0, "", "there is no such file");
    } catch (AccessDeniedException e) {
      throw new TopologyFileException(name, 0, "", "can't be read: permission denied");
    } catch (IOException e) {
      throw new TopologyFileException(name, 0, "", "can't be read: " + e.getMessage());
    }
    if (bytes.length > MOST_BYTES) {
      throw new TopologyFileException(
          name, 0, "", "is larger than " + MOST_BYTES / (1 << 20) + " MiB, the most that is read");
    }
    return parse(name, bytes);
  }

  /**
   * Reads the bytes of a file.
   *
   * @param name what messages call it
   * @throws TopologyFileException as {@link #read}
   */
  public static Topology parse(String name, byte[] bytes) throws TopologyFileException {
    return new TopologyFiles(name).topology(compose(name, decode(name, bytes)));
  }

  private static String decode(String name, byte[] bytes) throws TopologyFileException {
    String text;
    try {
      text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
    } catch (CharacterCodingException e) {
      throw new TopologyFileException(name, 0, "", "is not text in UTF-8");
    }
    if (text.startsWith("\ufeff")) {
      text = text.substring(1);
    }
    int line = 1;
    int begin = 0;
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (i - begin > LONGEST_LINE) {
        throw new TopologyFileException(
            name, line, "", "is longer than " + LONGEST_LINE + " characters, the most for a line");
      }
      if (c == '\n') {
        line++;
        begin = i + 1;
      } else if (c < ' ' && c != '\t' && c != '\r' || c == 0x7f) {
        throw new TopologyFileException(
            name,
            line,
            "",
            String.format(
                Locale.ROOT, "has a control character, 0x%02x: not a text file", (int) c));
      }
      // The parser recurses: brackets are counted first, generously, since they may be quoted.
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (depth > MOST_BYTES / 1024) {
        throw new TopologyFileException(name, line, "", "nests too deeply");
      }
    }
    return text;
  }

  private static org.snakeyaml.engine.v2.nodes.Node compose(String name, String text)
      throws TopologyFileException {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(name)
            .setCodePointLimit(MOST_BYTES)
            .setMaxAliasesForCollections(MOST_ALIASES)
            .build();
    try {
      return new Compose(settings)
          .composeString(text)
          .orElseThrow(() -> new TopologyFileException(name, 0, "", "is empty"));
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(Mark::getLine).map(l -> l + 1).orElse(0);
      throw new TopologyFileException(name, line, "", "is not YAML or JSON: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new TopologyFileException(name, 0, "", "is not YAML or JSON: " + e.getMessage());
    } catch (StackOverflowError e) {
      throw new TopologyFileException(name, 0, "", "nests too deeply");
    }
  }

  private Topology topology(org.snakeyaml.engine.v2.nodes.Node root) throws TopologyFileException {
    YamlMapping top = YamlMapping.of(file, "", root);
    if (top.integer("version", VERSION, VERSION).isEmpty()) {
      throw top.wrong("version", "is missing; this program reads version " + VERSION);
    }
    long epoch = top.integer("epoch", 0, Topology.LAST_EPOCH).orElse(0L);
    Optional<YamlMapping> placement = top.mapping("placement");
    PlacementRule rule = placement.isPresent() ? rule(placement.get()) : RingRule.DEFAULT;
    List<YamlMapping> items =
        top.mappings("nodes").orElseThrow(() -> top.wrong("nodes", "is missing"));
    top.refuseOthers("version, epoch, placement, nodes");
    if (items.size() > Topology.MOST_NODES) {
      throw top.wrong("nodes", items.size() + " are more than " + Topology.MOST_NODES);
    }
    List<Node> nodes = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (YamlMapping item : items) {
      Node node = node(item, rule);
      Integer other = seen.putIfAbsent(node.id(), item.line());
      if (other != null) {
        throw item.wrong("id", node.id() + " stands twice; first on line " + other);
      }
      nodes.add(node);
    }
    if (nodes.stream().allMatch(Node::isDrained)) {
      throw top.wrong(
          "nodes",
          nodes.isEmpty()
              ? "is an empty list; at least one node must own something"
              : "all have weight 0; at least one node must own something");
    }
    return refusing(top, "nodes", () -> new Topology(epoch, rule, nodes));
  }

  private PlacementRule rule(YamlMapping placement) throws TopologyFileException {
    String algorithm =
        placement
            .text("algorithm")
            .orElseThrow(() -> placement.wrong("algorithm", "is missing; known are " + ALGORITHMS));
    switch (algorithm) {
      case "ring" -> {
        HashFunction hash = hash(placement);
        int vnodes = count(placement, "vnodes", Node.MOST_VNODES, RingRule.DEFAULT_VNODES);
        int minVnodes =
            count(placement, "minVnodes", Node.MOST_VNODES, RingRule.DEFAULT_MIN_VNODES);
        String separator = placement.text("separator").orElse(RingRule.DEFAULT_SEPARATOR);
        boolean hashTags = placement.flag("hashTags").orElse(false);
        int replicas = count(placement, "replicas", RingRule.MOST_REPLICAS, 1);
        int maxTokens =
            count(placement, "maxTokens", RingRule.MOST_TOKENS, RingRule.DEFAULT_MAX_TOKENS);
        placement.refuseOthers(
            "algorithm, hash, vnodes, minVnodes, separator, hashTags, replicas, maxTokens");
        return refusing(
            placement,
            "separator",
            () -> new RingRule(hash, vnodes, minVnodes, separator, hashTags, replicas, maxTokens));
      }
      case "modulo" -> {
        ModuloRule rule = new ModuloRule(hash(placement), placement.flag("hashTags").orElse(false));
        placement.refuseOthers("algorithm, hash, hashTags for algorithm modulo");
        return rule;
      }
      case "slots" -> {
        int slots =
            count(
                placement,
                "slots",
                dev.beltway.token.Partitioner.MOST_SLOTS,
                SlotsRule.REDIS_SLOTS);
        SlotsRule rule = new SlotsRule(slots, placement.flag("hashTags").orElse(true));
        placement.refuseOthers("algorithm, slots, hashTags for algorithm slots");
        return rule;
      }
      default ->
          throw placement.wrong(
              "algorithm", shortened(algorithm) + " is unknown; known are " + ALGORITHMS);
    }
  }

  private static String shortened(String text) {
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }

  private HashFunction hash(YamlMapping placement) throws TopologyFileException {
    Optional<String> name = placement.text("hash");
    if (name.isEmpty()) {
      return HashFunctions.XXH3_64;
    }
    HashFunction hash = HashFunctions.all().get(name.get());
    if (hash == null) {
      throw placement.wrong(
          "hash",
          shortened(name.get())
              + " is unknown; known are "
              + String.join(", ", HashFunctions.all().keySet()));
    }
    return hash;
  }

  private static int count(YamlMapping mapping, String field, int most, int otherwise)
      throws TopologyFileException {
    return mapping.integer(field, 1, most).map(Long::intValue).orElse(otherwise);
  }

  private Node node(YamlMapping item, PlacementRule rule) throws TopologyFileException {
    String id = item.text("id").orElseThrow(() -> item.wrong("id", "is missing"));
    Node node = refusing(item, "id", () -> Node.of(id));
    String address =
        item.text("address")
            .orElseThrow(() -> item.wrong("address", "is missing; wanted is host:port"));
    node = refusing(item, "address", with(node, n -> n.withAddress(address)));

    Optional<Double> weight = item.number("weight", Weight.allowed());
    Optional<Long> vnodes = item.integer("vnodes", 0, Node.MOST_VNODES);
    if (weight.isPresent() && vnodes.isPresent()) {
      throw item.wrong("vnodes", "stands beside weight: state one of the two");
    }
    if (weight.isPresent()) {
      node = refusing(item, "weight", with(node, n -> n.withWeight(weight.get())));
    }
    if (vnodes.isPresent()) {
      if (!(rule instanceof RingRule)) {
        throw item.wrong("vnodes", rule.algorithm() + " has no virtual nodes");
      }
      node = node.withVnodes(vnodes.get().intValue());
    }
    Optional<String> zone = item.text("zone");
    if (zone.isPresent()) {
      node = refusing(item, "zone", with(node, n -> n.withZone(zone.get())));
    }
    Optional<YamlMapping> machine = item.mapping("machine");
    if (machine.isPresent()) {
      node = node.withMachine(machine(machine.get()));
    }
    Optional<String> slots = item.text("slots");
    if (slots.isPresent()) {
      if (!(rule instanceof SlotsRule)) {
        throw item.wrong("slots", rule.algorithm() + " has no slots");
      }
      node = refusing(item, "slots", with(node, n -> n.withSlots(SlotRanges.parse(slots.get()))));
    }
    item.refuseOthers("id, address, weight, vnodes, zone, machine, slots");
    return node;
  }

  private Machine machine(YamlMapping machine) throws TopologyFileException {
    Optional<Long> cores = machine.integer("cores", 1, 4096);
    Optional<Double> memory = machine.number("memoryGib", "a number above 0");
    machine.refuseOthers("cores, memoryGib");
    return refusing(
        machine,
        "memoryGib",
        () ->
            new Machine(
                cores.isPresent() ? OptionalInt.of(cores.get().intValue()) : OptionalInt.empty(),
                memory.isPresent() ? OptionalDouble.of(memory.get()) : OptionalDouble.empty()));
  }

  private interface Making<T> {
    T make();
  }

  private interface Changing {
    Node change(Node node);
  }

  private static Making<Node> with(Node node, Changing change) {
    return () -> change.change(node);
  }

  /** Makes a value; what its constructor refuses is told with the place in the file. */
  private static <T> T refusing(YamlMapping mapping, String field, Making<T> making)
      throws TopologyFileException {
    try {
      return making.make();
    } catch (IllegalArgumentException e) {
      throw mapping.wrong(field, String.valueOf(e.getMessage()));
    }
  }
}
