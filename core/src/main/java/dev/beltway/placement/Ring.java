package dev.beltway.placement;

import dev.beltway.hash.HashFunction;
import dev.beltway.token.Partitioner;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.Arrays;
import java.util.List;

/** A ring with virtual nodes. */
final class Ring extends Points {

  Ring(Topology topology, Partitioner partitioner, List<Node> owners, TokenMap map) {
    super(topology, partitioner, owners, map);
  }

  static Ring of(Topology topology) {
    RingRule rule = (RingRule) topology.rule();
    List<Node> owners = owning(topology);
    int[] counts = owners.stream().mapToInt(rule::vnodesOf).toArray();
    long[] tokens = new long[Arrays.stream(counts).sum()];
    int at = 0;
    for (int owner = 0; owner < counts.length; owner++) {
      hashLabels(rule, owners.get(owner), 0, counts[owner], tokens, at);
      at += counts[owner];
    }
    return new Ring(topology, rule.partitioner(), owners, TokenMap.of(tokens, counts));
  }

  /** The nodes with tokens, by id: of equal tokens the smallest id's comes first. */
  private static List<Node> owning(Topology topology) {
    RingRule rule = (RingRule) topology.rule();
    return topology.nodesById().stream().filter(node -> rule.vnodesOf(node) > 0).toList();
  }

  private static void hashLabels(
      RingRule rule, Node node, int from, int to, long[] tokens, int at) {
    VnodeLabel label = new VnodeLabel(node.id(), rule.separator());
    HashFunction hash = rule.hash();
    for (int index = from; index < to; index++) {
      tokens[at + index - from] = hash.position(label.bytes(), 0, label.encode(index));
    }
  }

  /** The ring of the next topology; copies what stays if the rule of tokens is the same. */
  Ring changedTo(Topology next) {
    RingRule newRule = (RingRule) next.rule();
    if (!(topology().rule() instanceof RingRule rule)
        || !partitioner().equals(newRule.partitioner())
        || rule.hash() != newRule.hash()
        || !rule.separator().equals(newRule.separator())) {
      return of(next);
    }
    List<Node> before = owners();
    List<Node> after = owning(next);
    int[] ordinals = new int[before.size()];
    int[] removedCounts = new int[before.size()];
    int[] addedCounts = new int[after.size()];
    // Indexes of the vnodes that a node keeps, from 0; what it loses or gains comes after them.
    int[] keptOfAfter = new int[after.size()];
    int[] keptOfBefore = new int[before.size()];
    for (int b = 0, a = 0; b < before.size() || a < after.size(); ) {
      int order =
          b == before.size()
              ? 1
              : a == after.size()
                  ? -1
                  : NodeId.UTF8_ORDER.compare(before.get(b).id(), after.get(a).id());
      int had = order <= 0 ? rule.vnodesOf(before.get(b)) : 0;
      int has = order >= 0 ? newRule.vnodesOf(after.get(a)) : 0;
      int kept = Math.min(had, has);
      if (order <= 0) {
        ordinals[b] = Math.min(a, Math.max(after.size() - 1, 0));
        removedCounts[b] = had - kept;
        keptOfBefore[b] = kept;
        b++;
      }
      if (order >= 0) {
        addedCounts[a] = has - kept;
        keptOfAfter[a] = kept;
        a++;
      }
    }
    TokenMap map =
        tokenMap()
            .changed(
                ordinals,
                after.size(),
                tokens(rule, before, keptOfBefore, removedCounts),
                removedCounts,
                tokens(newRule, after, keptOfAfter, addedCounts),
                addedCounts);
    return new Ring(next, newRule.partitioner(), after, map);
  }

  private static long[] tokens(RingRule rule, List<Node> nodes, int[] from, int[] counts) {
    long[] tokens = new long[Arrays.stream(counts).sum()];
    int at = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        hashLabels(rule, nodes.get(i), from[i], from[i] + counts[i], tokens, at);
        at += counts[i];
      }
    }
    return tokens;
  }
}
