package dev.beltway.config;

import dev.beltway.topology.Machine;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.Weight;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  private TopologyText() {}

  /** As YAML, a node a line. */
  public static String yaml(Topology topology) {
    StringBuilder text = new StringBuilder();
    text.append("version: ").append(TopologyFiles.VERSION).append('\n');
    text.append("epoch: ").append(topology.epoch()).append('\n');
    text.append("placement: ").append(flow(placement(topology.rule()), false)).append('\n');
    text.append("nodes:").append(topology.nodes().isEmpty() ? " []\n" : "\n");
    for (Node node : topology.nodes()) {
      text.append("  - ").append(flow(node(node), false)).append('\n');
    }
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
        + flow(placement(topology.rule()), true)
        + ",\n  \"nodes\": [\n"
        + nodes
        + "\n  ]\n}\n";
  }

  private static Map<String, Object> placement(PlacementRule rule) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("algorithm", rule.algorithm());
    if (rule instanceof RingRule ring) {
      fields.put("hash", ring.hash().name());
      fields.put("vnodes", ring.vnodes());
      fields.put("minVnodes", ring.minVnodes());
      fields.put("separator", ring.separator());
      fields.put("hashTags", ring.hashTags());
      fields.put("replicas", ring.replicas());
      fields.put("maxTokens", ring.maxTokens());
    } else if (rule instanceof ModuloRule modulo) {
      fields.put("hash", modulo.hash().name());
      fields.put("hashTags", modulo.hashTags());
    } else if (rule instanceof SlotsRule slots) {
      fields.put("slots", slots.slots());
      fields.put("hashTags", slots.hashTags());
    }
    return fields;
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
