package dev.beltway.lab.report;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A colour for each node, the same in all drawings of a report; after ten they come again. */
final class NodeColours {

  private static final int COLOURS = 10;

  private final Map<String, Integer> numbers = new HashMap<>();

  NodeColours(List<String> ids) {
    ids.forEach(id -> numbers.putIfAbsent(id, numbers.size() % COLOURS));
  }

  /** The class that fills with the node's colour. */
  String fill(String id) {
    return "f" + numbers.getOrDefault(id, 0);
  }
}
