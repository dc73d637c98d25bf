package dev.beltway.topology;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * One node. A node is its id: tokens are made from it, so its address may change and no key moves,
 * except under algorithms of other systems that take the address for a name; see {@link Peer}.
 *
 * @param id unique in the topology; see {@link NodeId}
 * @param address where the node is reached, {@code host:port}; empty for a node that is only a name
 * @param weight what it should carry; {@link Weight#ONE} beside an exact count of vnodes
 * @param vnodes the exact number of tokens instead of one that follows from the weight; 0 is
 *     drained
 * @param zone the failure domain
 * @param machine what it runs on
 * @param slots the slots that it is stated to own, for fixed slots alone
 * @param peer what another system calls it, for algorithms taken over from there
 */
public record Node(
    String id,
    Optional<String> address,
    Weight weight,
    OptionalInt vnodes,
    Optional<String> zone,
    Machine machine,
    Optional<SlotRanges> slots,
    Peer peer) {

  /** The largest exact count of vnodes. */
  public static final int MOST_VNODES = 1_000_000;

  /** Checks each part. */
  public Node {
    NodeId.checked(id);
    address.ifPresent(Address::checked);
    if (vnodes.isPresent()) {
      if (vnodes.getAsInt() < 0 || vnodes.getAsInt() > MOST_VNODES) {
        throw new IllegalArgumentException(
            "vnodes " + vnodes.getAsInt() + " is outside 0 to " + MOST_VNODES);
      }
      if (!weight.equals(Weight.ONE)) {
        throw new IllegalArgumentException(
            "vnodes " + vnodes.getAsInt() + " beside weight " + weight + ": state one of the two");
      }
    }
    if (zone.isPresent() && (zone.get().isBlank() || !Texts.isPlain(zone.get()))) {
      throw new IllegalArgumentException(
          "zone \"" + Texts.visible(zone.get()) + "\" is empty or has a control character");
    }
  }

  /** A node of weight 1 that is only a name. */
  public static Node of(String id) {
    return new Node(
        id,
        Optional.empty(),
        Weight.ONE,
        OptionalInt.empty(),
        Optional.empty(),
        Machine.UNKNOWN,
        Optional.empty(),
        Peer.SAME);
  }

  /** The same node with another address. */
  public Node withAddress(String newAddress) {
    return new Node(id, Optional.of(newAddress), weight, vnodes, zone, machine, slots, peer);
  }

  /** The same node with a weight, and no exact count. */
  public Node withWeight(double newWeight) {
    return new Node(
        id, address, new Weight(newWeight), OptionalInt.empty(), zone, machine, slots, peer);
  }

  /** The same node with an exact count of vnodes. */
  public Node withVnodes(int newVnodes) {
    return new Node(id, address, Weight.ONE, OptionalInt.of(newVnodes), zone, machine, slots, peer);
  }

  /** The same node in a zone. */
  public Node withZone(String newZone) {
    return new Node(id, address, weight, vnodes, Optional.of(newZone), machine, slots, peer);
  }

  /** The same node on a machine. */
  public Node withMachine(Machine newMachine) {
    return new Node(id, address, weight, vnodes, zone, newMachine, slots, peer);
  }

  /** The same node with stated slots. */
  public Node withSlots(SlotRanges newSlots) {
    return new Node(id, address, weight, vnodes, zone, machine, Optional.of(newSlots), peer);
  }

  /** The same node with what another system calls it. */
  public Node withPeer(Peer newPeer) {
    return new Node(id, address, weight, vnodes, zone, machine, slots, newPeer);
  }

  /** Whether the node owns nothing because it was told so. */
  public boolean isDrained() {
    return vnodes.isPresent() ? vnodes.getAsInt() == 0 : weight.isZero();
  }
}
