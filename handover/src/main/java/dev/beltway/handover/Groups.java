package dev.beltway.handover;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keys by the node that something is to be done with them at, one node after the other.
 *
 * @param keys by node
 */
record Groups(Map<String, List<String>> keys) {

  /** What is done with the keys of a node. */
  interface Part {
    Step of(String node, List<String> keys, Supplier<Step> then);
  }

  /**
   * Groups keys.
   *
   * @param by names the node of a key; null for a key that is left out
   */
  static Groups of(List<String> keys, Function<String, @Nullable String> by) {
    Map<String, List<String>> groups = new TreeMap<>();
    for (String key : keys) {
      String node = by.apply(key);
      if (node != null) {
        groups.computeIfAbsent(node, n -> new ArrayList<>()).add(key);
      }
    }
    return new Groups(groups);
  }

  /** Does something with each group, then goes on. */
  Step each(Part part, Supplier<Step> then) {
    return each(keys.entrySet().iterator(), part, then);
  }

  private static Step each(
      Iterator<Map.Entry<String, List<String>>> groups, Part part, Supplier<Step> then) {
    if (!groups.hasNext()) {
      return then.get();
    }
    Map.Entry<String, List<String>> group = groups.next();
    return part.of(group.getKey(), group.getValue(), () -> each(groups, part, then));
  }
}
