package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.Node;
import dev.beltway.topology.SlotTable;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Slots and their table, as ranges: one token at the end of each run of one owner's slots. */
final class FixedSlots extends TokenPlacement implements RangedPlacement {

  private FixedSlots(Topology topology, Partitioner partitioner, List<Node> owners, TokenMap map) {
    super(topology, partitioner, owners, map);
  }

  static FixedSlots of(Topology topology, SlotsRule rule) {
    SlotTable table = topology.slotTable().orElseThrow();
    int[] slotCounts = new int[table.nodes().size()];
    for (int slot = 0; slot < rule.slots(); slot++) {
      if (table.ownerIndex(slot) >= 0) {
        slotCounts[table.ownerIndex(slot)]++;
      }
    }
    List<Node> owners = new ArrayList<>();
    int[] ownerOfNode = new int[slotCounts.length];
    for (int i = 0; i < slotCounts.length; i++) {
      if (slotCounts[i] > 0) {
        ownerOfNode[i] = owners.size();
        owners.add(table.nodes().get(i));
      }
    }
    return new FixedSlots(
        topology, rule.partitioner(), owners, tokens(table, ownerOfNode, owners.size()));
  }

  private static TokenMap tokens(SlotTable table, int[] ownerOfNode, int owners) {
    int[] counts = new int[owners];
    forEachRun(table, (slot, node) -> counts[ownerOfNode[node]]++);
    int[] at = new int[owners];
    for (int owner = 1; owner < owners; owner++) {
      at[owner] = at[owner - 1] + counts[owner - 1];
    }
    long[] grouped = new long[Arrays.stream(counts).sum()];
    forEachRun(
        table,
        (slot, node) -> grouped[at[ownerOfNode[node]]++] = lastPosition(slot, table.slots()));
    return TokenMap.of(grouped, counts);
  }

  private interface RunVisitor {
    void visit(int lastSlot, int node);
  }

  private static void forEachRun(SlotTable table, RunVisitor visitor) {
    for (int slot = 0; slot < table.slots(); slot++) {
      int node = table.ownerIndex(slot);
      if (node >= 0 && (slot + 1 == table.slots() || node != table.ownerIndex(slot + 1))) {
        visitor.visit(slot, node);
      }
    }
  }

  private static long lastPosition(int slot, int slots) {
    return slot + 1 == slots ? -1L : Partitioner.slotPosition(slot + 1, slots) - 1;
  }
}
