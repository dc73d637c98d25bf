package dev.beltway.config.peers;

import dev.beltway.topology.Address;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.Peer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Servers as a configuration lists them, to nodes. */
final class Servers {

  private final List<Node> nodes = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  /**
   * Adds one.
   *
   * @param wanted the id that it should have; another one if that is taken or can't be one
   * @param name what the other system makes points from, where that isn't the address
   */
  void add(
      int line,
      String wanted,
      String address,
      int weight,
      Optional<String> name,
      OptionalInt haproxyId)
      throws PoolException {
    try {
      Address.checked(address);
      String id = wanted;
      if (!isId(wanted) || ids.contains(wanted)) {
        int number = nodes.size() + 1;
        id = "server-" + number;
        while (ids.contains(id)) {
          number++;
          id = "server-" + number;
        }
      }
      ids.add(id);
      nodes.add(
          Node.of(id).withAddress(address).withWeight(weight).withPeer(new Peer(name, haproxyId)));
    } catch (IllegalArgumentException e) {
      throw PoolException.at(line, String.valueOf(e.getMessage()));
    }
  }

  private static boolean isId(String text) {
    try {
      NodeId.checked(text);
      return !Address.isAddress(text);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  List<Node> nodes() {
    return nodes;
  }

  /** An address as a server has it, for a configuration that is written. */
  static String addressOf(Node node) throws PoolException {
    return node.address()
        .orElseThrow(() -> new PoolException("node " + node.id() + " has no address"));
  }

  /** A weight as a whole number. */
  static int weight(Node node) throws PoolException {
    double weight = node.weight().value();
    if (weight != Math.rint(weight)) {
      throw new PoolException(
          "weight " + node.weight() + " of node " + node.id() + " is not whole");
    }
    return (int) weight;
  }
}
