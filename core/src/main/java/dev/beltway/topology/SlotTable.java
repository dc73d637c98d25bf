package dev.beltway.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
              Locale.ROOT,
              "slots of node %s: %d is outside 0 to %d",
              node.id(),
              stated.largest(),
              ownerOf.length - 1));
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
                Locale.ROOT,
                "slots of node %s: %d is stated by node %s too",
                node.id(),
                slot,
                owners.get(ownerOf[slot]).id()));
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
    Map<String, Integer> indexes = indexes(newOwners);
    for (int slot = 0; slot < ownerOf.length; slot++) {
      Integer stays = ownerOf[slot] == NOBODY ? null : indexes.get(owners.get(ownerOf[slot]).id());
      if (stays != null) {
        changed[slot] = stays;
        counts[stays]++;
      }
    }
    int[] targets = apportion(ownerOf.length, newOwners, active(newOwners), counts);
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

  /**
   * The table without one node: what it owned is dealt to the others by weight, and nothing else
   * moves. The same table if there is no such node or no other with a weight.
   */
  public SlotTable without(String id) {
    List<Node> rest = owners.stream().filter(node -> !node.id().equals(id)).toList();
    if (rest.size() == owners.size() || rest.stream().allMatch(Node::isDrained)) {
      return this;
    }
    Map<String, Integer> indexes = indexes(rest);
    int[] changed = new int[ownerOf.length];
    int free = 0;
    for (int slot = 0; slot < changed.length; slot++) {
      String owner = ownerOf[slot] == NOBODY ? id : owners.get(ownerOf[slot]).id();
      changed[slot] = indexes.getOrDefault(owner, NOBODY);
      free += changed[slot] == NOBODY ? 1 : 0;
    }
    deal(changed, free, rest, active(rest));
    return new SlotTable(rest, changed);
  }

  private static boolean[] active(List<Node> nodes) {
    boolean[] active = new boolean[nodes.size()];
    for (int i = 0; i < active.length; i++) {
      active[i] = !nodes.get(i).isDrained();
    }
    return active;
  }

  private static Map<String, Integer> indexes(List<Node> nodes) {
    Map<String, Integer> indexes = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      indexes.put(nodes.get(i).id(), i);
    }
    return indexes;
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
    // Compared to nine decimals, so that what is equal but for rounding is a tie, which goes by id.
    Comparator<Integer> byExcess =
        Comparator.comparingLong(i -> Math.round((targets[i] - quota[i]) / ROUNDING));
    // More nodes are under their quota than slots are left, so one round is enough.
    for (int receiver : order.stream().sorted(byExcess).limit(Math.max(0, total - sum)).toList()) {
      targets[receiver]++;
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

  /** The slots of each node, in the order of {@link #nodes()}; O(slots + nodes). */
  public List<SlotRanges> slotsOfAll() {
    BitSet[] slots = new BitSet[owners.size()];
    Arrays.setAll(slots, i -> new BitSet());
    for (int slot = 0; slot < ownerOf.length; slot++) {
      if (ownerOf[slot] != NOBODY) {
        slots[ownerOf[slot]].set(slot);
      }
    }
    return Arrays.stream(slots).map(SlotRanges::of).toList();
  }

  /** The number of slots of each node by id; O(slots + nodes). */
  public Map<String, Integer> counts() {
    Map<String, Integer> counts = new HashMap<>();
    owners.forEach(node -> counts.put(node.id(), 0));
    for (int owner : ownerOf) {
      if (owner != NOBODY) {
        counts.merge(owners.get(owner).id(), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** The nodes with their slots stated, in order of their ids. */
  public List<Node> stated() {
    List<SlotRanges> slots = slotsOfAll();
    List<Node> stated = new ArrayList<>();
    for (int i = 0; i < owners.size(); i++) {
      stated.add(owners.get(i).withSlots(slots.get(i)));
    }
    return List.copyOf(stated);
  }
}
