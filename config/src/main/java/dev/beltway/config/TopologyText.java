package dev.beltway.config;

import dev.beltway.topology.Machine;
import dev.beltway.topology.Node;
import dev.beltway.topology.SliceTable;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.Weight;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes topologies. What is written reads back to an equal topology, if each node has an address
 * and one owns something, as a file must; every setting of the placement is explicit, a node's
 * defaults are left out. The same topology gives the same text.
 */
public final class TopologyText {

  /** Words that YAML readers take for something else than text. */
  private static final Set<String> NOT_PLAIN =
      Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf");

  private static final int TABLE_CHARS = 120;

  private TopologyText() {}

  /** As YAML, a node a line. */
  public static String yaml(Topology topology) {
    StringBuilder text = new StringBuilder();
    text.append("version: ").append(TopologyFiles.VERSION).append('\n');
    text.append("epoch: ").append(topology.epoch()).append('\n');
    text.append("placement: ")
        .append(flow(PlacementFields.of(topology.rule()), false))
        .append('\n');
    text.append("nodes:").append(topology.nodes().isEmpty() ? " []\n" : "\n");
    for (Node node : topology.nodes()) {
      text.append("  - ").append(flow(node(node), false)).append('\n');
    }
    table(topology)
        .ifPresent(
            table -> {
              text.append("slices:\n  nodes: ").append(list(table.owners(), false));
              text.append("\n  table:\n");
              lines(table).forEach(line -> text.append("    - ").append(quoted(line)).append('\n'));
            });
    return text.toString();
  }

  /** As JSON, a node a line. */
  public static String json(Topology topology) {
    String nodes =
        topology.nodes().stream()
            .map(node -> "    " + flow(node(node), true))
            .collect(Collectors.joining(",\n"));
    return "{\n  \"version\": "
        + TopologyFiles.VERSION
        + ",\n  \"epoch\": "
        + topology.epoch()
        + ",\n  \"placement\": "
        + flow(PlacementFields.of(topology.rule()), true)
        + ",\n  \"nodes\": [\n"
        + nodes
        + "\n  ]"
        + table(topology)
            .map(
                table ->
                    ",\n  \"slices\": {\n    \"nodes\": "
                        + list(table.owners(), true)
                        + ",\n    \"table\": [\n"
                        + lines(table).stream()
                            .map(line -> "      " + quoted(line))
                            .collect(Collectors.joining(",\n"))
                        + "\n    ]\n  }")
            .orElse("")
        + "\n}\n";
  }

  private static Optional<SliceTable> table(Topology topology) {
    return topology.rule() instanceof SlicesRule slices
        ? slices.table().filter(table -> table.intervals() > 0)
        : Optional.empty();
  }

  private static List<String> lines(SliceTable table) {
    String text = table.encoded();
    List<String> lines = new ArrayList<>();
    for (int at = 0; at < text.length(); at += TABLE_CHARS) {
      lines.add(text.substring(at, Math.min(text.length(), at + TABLE_CHARS)));
    }
    return lines;
  }

  private static String list(List<String> texts, boolean json) {
    return texts.stream()
        .map(text -> value(text, json))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static Map<String, Object> node(Node node) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", node.id());
    node.address().ifPresent(address -> fields.put("address", address));
    if (!node.weight().equals(Weight.ONE)) {
      fields.put("weight", node.weight());
    }
    node.vnodes().ifPresent(vnodes -> fields.put("vnodes", vnodes));
    node.zone().ifPresent(zone -> fields.put("zone", zone));
    if (!node.machine().isUnknown()) {
      fields.put("machine", machine(node.machine()));
    }
    node.peer().name().ifPresent(name -> fields.put("name", name));
    node.peer().haproxyId().ifPresent(id -> fields.put("haproxyId", id));
    node.slots().ifPresent(slots -> fields.put("slots", slots.toString()));
    return fields;
  }

  private static Map<String, Object> machine(Machine machine) {
    Map<String, Object> fields = new LinkedHashMap<>();
    machine.cores().ifPresent(cores -> fields.put("cores", cores));
    machine.memoryGib().ifPresent(memory -> fields.put("memoryGib", memory));
    return fields;
  }

  private static String flow(Map<?, ?> fields, boolean json) {
    List<String> parts = new ArrayList<>();
    fields.forEach((name, value) -> parts.add(key(name, json) + ": " + value(value, json)));
    return "{ " + String.join(", ", parts) + " }";
  }

  private static String key(Object name, boolean json) {
    return json ? quoted(name.toString()) : name.toString();
  }

  private static String value(Object value, boolean json) {
    if (value instanceof Map<?, ?> map) {
      return flow(map, json);
    }
    if (value instanceof String text) {
      return json || !isPlain(text) ? quoted(text) : text;
    }
    return value.toString();
  }

  private static boolean isPlain(String text) {
    return text.matches("[A-Za-z][A-Za-z0-9_-]*")
        && !NOT_PLAIN.contains(text.toLowerCase(Locale.ROOT));
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
