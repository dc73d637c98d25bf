package dev.beltway.handover;

import static java.util.Collections.unmodifiableMap;
import static java.util.Collections.unmodifiableSet;

import dev.beltway.placement.Placement;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.plan.Difference;
import dev.beltway.plan.Flow;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who gives keys to whom in a change. Where the two mappings put keys at the same positions this is
 * exact; where they don't, such as from modulo to a ring, every node may give to every other.
 *
 * @param targets by source, all that it gives to
 * @param nodes all that own something in either mapping
 */
public record Flows(Map<String, Set<String>> targets, Set<String> nodes) {

  /** Copies the collections. */
  public Flows {
    nodes = unmodifiableSet(new TreeSet<>(nodes));
    Map<String, Set<String>> copy = new TreeMap<>();
    targets.forEach((source, all) -> copy.put(source, unmodifiableSet(new TreeSet<>(all))));
    targets = unmodifiableMap(copy);
  }

  /** Nobody gives anything. */
  public static Flows none(Placement placement) {
    return new Flows(Map.of(), owners(placement));
  }

  private static Set<String> owners(Placement... placements) {
    Set<String> ids = new TreeSet<>();
    for (Placement placement : placements) {
      placement.owners().forEach(node -> ids.add(node.id()));
    }
    return ids;
  }

  /** Between two mappings. */
  public static Flows between(Placement from, Placement to) {
    Map<String, Set<String>> found = new TreeMap<>();
    if (from.topology().fingerprint().equals(to.topology().fingerprint())) {
      return new Flows(Map.of(), owners(from, to));
    }
    boolean exact =
        from instanceof RangedPlacement
            && to instanceof RangedPlacement
            && from.partitioner().equals(to.partitioner())
            && from.partitioner().coversRing();
    if (exact) {
      for (Flow flow : Difference.between(from, to).flows()) {
        found.computeIfAbsent(flow.from(), s -> new TreeSet<>()).add(flow.to());
      }
      return new Flows(found, owners(from, to));
    }
    for (Node source : from.owners()) {
      for (Node target : to.owners()) {
        if (!source.id().equals(target.id())) {
          found.computeIfAbsent(source.id(), s -> new TreeSet<>()).add(target.id());
        }
      }
    }
    return new Flows(found, owners(from, to));
  }

  /** Only those to later nodes, by id; or only those to earlier ones. */
  Flows towards(boolean later) {
    Map<String, Set<String>> found = new TreeMap<>();
    targets.forEach(
        (source, all) -> {
          for (String target : all) {
            if (NodeId.UTF8_ORDER.compare(source, target) < 0 == later) {
              found.computeIfAbsent(source, s -> new TreeSet<>()).add(target);
            }
          }
        });
    return new Flows(found, nodes);
  }

  /** Whether some nodes give to each other, directly or over others. */
  public boolean isCircular() {
    Set<String> left = new TreeSet<>(targets.keySet());
    boolean removed = true;
    while (removed) {
      // Who gives to nobody that gives is in no circle.
      removed = left.removeIf(source -> of(source).stream().noneMatch(left::contains));
    }
    return !left.isEmpty();
  }

  /** The nodes that keys leave. */
  public Set<String> sources() {
    return targets.keySet();
  }

  /** The nodes that a source gives to. */
  public Set<String> of(String source) {
    return targets.getOrDefault(source, Set.of());
  }

  /** The nodes that get keys. */
  public Set<String> receivers() {
    Set<String> all = new TreeSet<>();
    targets.values().forEach(all::addAll);
    return all;
  }

  /** All nodes that take part. */
  public Set<String> all() {
    Set<String> all = receivers();
    all.addAll(targets.keySet());
    return all;
  }
}
