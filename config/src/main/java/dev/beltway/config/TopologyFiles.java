package dev.beltway.config;

import dev.beltway.topology.Machine;
import dev.beltway.topology.Node;
import dev.beltway.topology.Peer;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SliceTable;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotRanges;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.Weight;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

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

  private TopologyFiles() {}

  /**
   * Reads a file.
   *
   * @throws ConfigFileException if it can't be read or isn't a topology that owns anything; the
   *     message says where and why
   */
  public static Topology read(Path path) throws ConfigFileException {
    return parse(path.toString(), YamlFile.bytes(path, "a topology file"));
  }

  /**
   * Reads the bytes of a file.
   *
   * @param name what messages call it
   * @throws ConfigFileException as {@link #read}
   */
  public static Topology parse(String name, byte[] bytes) throws ConfigFileException {
    return new TopologyFiles().topology(YamlFile.root(name, bytes));
  }

  private Topology topology(YamlMapping top) throws ConfigFileException {
    if (top.integer("version", VERSION, VERSION).isEmpty()) {
      throw top.wrong("version", "is missing; this program reads version " + VERSION);
    }
    long epoch = top.integer("epoch", 0, Topology.LAST_EPOCH).orElse(0L);
    Optional<YamlMapping> placement = top.mapping("placement");
    PlacementRule rule =
        withSlices(
            top, placement.isPresent() ? PlacementFields.read(placement.get()) : RingRule.DEFAULT);
    List<YamlMapping> items =
        top.mappings("nodes").orElseThrow(() -> top.wrong("nodes", "is missing"));
    top.refuseOthers("version, epoch, placement, nodes, slices");
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
    return top.made("nodes", () -> new Topology(epoch, rule, nodes));
  }

  /** The table of slices, which belongs to the rule though it stands at the end of the file. */
  private static PlacementRule withSlices(YamlMapping top, PlacementRule rule)
      throws ConfigFileException {
    Optional<YamlMapping> slices = top.mapping("slices");
    if (slices.isEmpty()) {
      return rule;
    }
    if (!(rule instanceof SlicesRule cut)) {
      throw top.wrong("slices", rule.algorithm() + " has no slices");
    }
    YamlMapping fields = slices.get();
    List<String> owners =
        fields.texts("nodes").orElseThrow(() -> fields.wrong("nodes", "is missing"));
    List<String> lines =
        fields.texts("table").orElseThrow(() -> fields.wrong("table", "is missing"));
    fields.refuseOthers("nodes, table");
    if (owners.isEmpty()) {
      throw fields.wrong("nodes", "is an empty list; leave slices out to cut the ring anew");
    }
    SliceTable table =
        fields.made("table", () -> SliceTable.decoded(owners, String.join("", lines)));
    return cut.withTable(table);
  }

  private Node node(YamlMapping item, PlacementRule rule) throws ConfigFileException {
    String id = item.text("id").orElseThrow(() -> item.wrong("id", "is missing"));
    Node node = item.made("id", () -> Node.of(id));
    String address =
        item.text("address")
            .orElseThrow(() -> item.wrong("address", "is missing; wanted is host:port"));
    node = item.made("address", with(node, n -> n.withAddress(address)));

    Optional<Double> weight = item.number("weight", Weight.allowed());
    Optional<Long> vnodes = item.integer("vnodes", 0, Node.MOST_VNODES);
    if (weight.isPresent() && vnodes.isPresent()) {
      throw item.wrong("vnodes", "stands beside weight: state one of the two");
    }
    if (weight.isPresent()) {
      node = item.made("weight", with(node, n -> n.withWeight(weight.get())));
    }
    if (vnodes.isPresent()) {
      if (!(rule instanceof RingRule)) {
        throw item.wrong("vnodes", rule.algorithm() + " has no virtual nodes");
      }
      node = node.withVnodes(vnodes.get().intValue());
    }
    Optional<String> zone = item.text("zone");
    if (zone.isPresent()) {
      node = item.made("zone", with(node, n -> n.withZone(zone.get())));
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
      node = item.made("slots", with(node, n -> n.withSlots(SlotRanges.parse(slots.get()))));
    }
    node = withPeer(item, node);
    item.refuseOthers("id, address, weight, vnodes, zone, machine, slots, name, haproxyId");
    return node;
  }

  private static Node withPeer(YamlMapping item, Node node) throws ConfigFileException {
    Optional<String> name = item.text("name");
    Optional<Long> haproxyId = item.integer("haproxyId", 1, Integer.MAX_VALUE);
    if (name.isEmpty() && haproxyId.isEmpty()) {
      return node;
    }
    OptionalInt number =
        haproxyId.isPresent() ? OptionalInt.of(haproxyId.get().intValue()) : OptionalInt.empty();
    return node.withPeer(item.made("name", () -> new Peer(name, number)));
  }

  private Machine machine(YamlMapping machine) throws ConfigFileException {
    Optional<Long> cores = machine.integer("cores", 1, 4096);
    Optional<Double> memory = machine.number("memoryGib", "a number above 0");
    machine.refuseOthers("cores, memoryGib");
    return machine.made(
        "memoryGib",
        () ->
            new Machine(
                cores.isPresent() ? OptionalInt.of(cores.get().intValue()) : OptionalInt.empty(),
                memory.isPresent() ? OptionalDouble.of(memory.get()) : OptionalDouble.empty()));
  }

  private interface Changing {
    Node change(Node node);
  }

  private static YamlMapping.Making<Node> with(Node node, Changing change) {
    return () -> change.change(node);
  }
}
