package dev.beltway.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which node owns which slot. Immutable.
 *
 * <p>A table is dealt out by weight as far as nodes don't state their slots. {@link #changedTo}
 * deals again for other nodes or weights and moves no slot more than it must; the result is stated
 * in the topology, since a table that follows a history can't be derived from the nodes alone.
 */
public final class SlotTable {

  private static final int NOBODY = -1;

  /** Quotas this close to a whole number are that number. */
  private static final double ROUNDING = 1e-9;

  private final List<Node> owners;
  private final int[] ownerOf;

  private SlotTable(List<Node> owners, int[] ownerOf) {
    this.owners = owners;
    this.ownerOf = ownerOf;
  }

  /**
   * The table of a topology. Stated slots stay where they are stated; the others go by weight to
   * the nodes that state none, in order of their ids, each a run of neighbouring slots as far as
   * that goes. The order in which nodes are listed means nothing.
   *
   * @throws IllegalArgumentException if two nodes state the same slot, a slot is too large, a
   *     drained node states slots, or slots are left that nobody may own
   */
  static SlotTable of(SlotsRule rule, List<Node> nodes) {
    List<Node> owners = nodes.stream().sorted(byId()).toList();
    int[] ownerOf = new int[rule.slots()];
    Arrays.fill(ownerOf, NOBODY);
    int free = rule.slots();
    boolean[] dealtTo = new boolean[owners.size()];
    for (int i = 0; i < owners.size(); i++) {
      Node node = owners.get(i);
      dealtTo[i] = node.slots().isEmpty() && !node.isDrained();
      if (node.slots().isPresent()) {
        free -= claim(ownerOf, i, owners, node, node.slots().get());
      }
    }
    boolean anyDealtTo = false;
    for (boolean dealt : dealtTo) {
      anyDealtTo |= dealt;
    }
    if (free > 0 && !anyDealtTo && !owners.stream().allMatch(Node::isDrained)) {
      int first = 0;
      while (ownerOf[first] != NOBODY) {
        first++;
      }
      throw new IllegalArgumentException(
          free + " slots have no owner, the first is " + first + ": all nodes state their slots");
    }
    deal(ownerOf, free, owners, dealtTo);
    return new SlotTable(owners, ownerOf);
  }

  private static Comparator<Node> byId() {
    return Comparator.comparing(Node::id, NodeId.UTF8_ORDER);
  }

  private static int claim(
      int[] ownerOf, int owner, List<Node> owners, Node node, SlotRanges stated) {
    if (stated.largest() >= ownerOf.length) {
      throw new IllegalArgumentException(
          String.format(
              "slots of node %s: %d is outside 0 to %d",
              node.id(), stated.largest(), ownerOf.length - 1));
    }
    if (node.isDrained() && stated.count() > 0) {
      throw new IllegalArgumentException(
          "slots of node " + node.id() + ": a node of weight 0 can't own slots");
    }
    BitSet slots = stated.toSet();
    for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
      if (ownerOf[slot] != NOBODY) {
        throw new IllegalArgumentException(
            String.format(
                "slots of node %s: %d is stated by node %s too",
                node.id(), slot, owners.get(ownerOf[slot]).id()));
      }
      ownerOf[slot] = owner;
    }
    return stated.count();
  }

  /**
   * The table for other nodes and weights that keeps every slot where it is unless its owner has to
   * give it up. Counts follow the weights to within one slot, and a node that is within one already
   * keeps its count; statements of slots in {@code nodes} are ignored.
   */
  public SlotTable changedTo(List<Node> nodes) {
    List<Node> newOwners = nodes.stream().sorted(byId()).toList();
    int[] changed = new int[ownerOf.length];
    Arrays.fill(changed, NOBODY);
    int[] counts = new int[newOwners.size()];
    for (int slot = 0; slot < ownerOf.length; slot++) {
      Optional<Node> owner = owner(slot);
      for (int i = 0; owner.isPresent() && i < newOwners.size(); i++) {
        if (newOwners.get(i).id().equals(owner.get().id())) {
          changed[slot] = i;
          counts[i]++;
        }
      }
    }
    boolean[] dealtTo = new boolean[newOwners.size()];
    for (int i = 0; i < dealtTo.length; i++) {
      dealtTo[i] = !newOwners.get(i).isDrained();
    }
    int[] targets = apportion(ownerOf.length, newOwners, dealtTo, counts);
    // A node that owns too many gives up its last slots.
    for (int slot = changed.length - 1; slot >= 0; slot--) {
      int owner = changed[slot];
      if (owner != NOBODY && counts[owner] > targets[owner]) {
        changed[slot] = NOBODY;
        counts[owner]--;
      }
    }
    fill(changed, counts, targets);
    return new SlotTable(newOwners, changed);
  }

  private static void deal(int[] ownerOf, int free, List<Node> owners, boolean[] dealtTo) {
    int[] none = new int[owners.size()];
    fill(ownerOf, none, apportion(free, owners, dealtTo, none));
  }

  private static void fill(int[] ownerOf, int[] counts, int[] targets) {
    int receiver = 0;
    for (int slot = 0; slot < ownerOf.length; slot++) {
      if (ownerOf[slot] != NOBODY) {
        continue;
      }
      while (receiver < targets.length && counts[receiver] >= targets[receiver]) {
        receiver++;
      }
      if (receiver == targets.length) {
        return;
      }
      ownerOf[slot] = receiver;
      counts[receiver]++;
    }
  }

  /**
   * How many of {@code total} slots each node gets: its weight's quota rounded up or down, one at
   * least while there are enough, the present count wherever that is one of the two; what is left
   * over goes by largest remainder, ties by id.
   */
  private static int[] apportion(int total, List<Node> owners, boolean[] dealtTo, int[] present) {
    double weights = 0;
    int receivers = 0;
    for (int i = 0; i < dealtTo.length; i++) {
      weights += dealtTo[i] ? owners.get(i).weight().value() : 0;
      receivers += dealtTo[i] ? 1 : 0;
    }
    int least = receivers <= total ? 1 : 0;
    double[] quota = new double[dealtTo.length];
    int[] targets = new int[dealtTo.length];
    int sum = 0;
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < dealtTo.length; i++) {
      if (dealtTo[i]) {
        quota[i] = total * owners.get(i).weight().value() / weights;
        int low = Math.max(least, (int) Math.floor(quota[i] + ROUNDING));
        int high = Math.max(least, (int) Math.ceil(quota[i] - ROUNDING));
        targets[i] = Math.max(low, Math.min(high, present[i]));
        sum += targets[i];
        order.add(i);
      }
    }
    // Whoever is farthest under its quota gets the next one; whoever is farthest over gives it.
    Comparator<Integer> byExcess = Comparator.comparingDouble(i -> targets[i] - quota[i]);
    while (sum < total && !order.isEmpty()) {
      targets[order.stream().min(byExcess).orElseThrow()]++;
      sum++;
    }
    while (sum > total) {
      int over = order.stream().filter(i -> targets[i] > least).max(byExcess).orElseThrow();
      targets[over]--;
      sum--;
    }
    return targets;
  }

  /** The number of slots. */
  public int slots() {
    return ownerOf.length;
  }

  /** All nodes of the topology, in order of their ids. */
  public List<Node> nodes() {
    return owners;
  }

  /** The owner of a slot; empty where all nodes are drained. */
  public Optional<Node> owner(int slot) {
    return ownerOf[slot] == NOBODY ? Optional.empty() : Optional.of(owners.get(ownerOf[slot]));
  }

  /** The index in {@link #nodes()} of a slot's owner, or −1. */
  public int ownerIndex(int slot) {
    return ownerOf[slot];
  }

  /** The slots of a node; none for a node that isn't there. */
  public SlotRanges slotsOf(String id) {
    BitSet slots = new BitSet();
    for (int slot = 0; slot < ownerOf.length; slot++) {
      if (ownerOf[slot] != NOBODY && owners.get(ownerOf[slot]).id().equals(id)) {
        slots.set(slot);
      }
    }
    return SlotRanges.of(slots);
  }

  /** The nodes with their slots stated, in order of their ids. */
  public List<Node> stated() {
    return owners.stream().map(node -> node.withSlots(slotsOf(node.id()))).toList();
  }
}
