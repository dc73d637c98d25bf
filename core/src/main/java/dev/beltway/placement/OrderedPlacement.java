package dev.beltway.placement;

import dev.beltway.topology.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A placement with an order of nodes for each position: its owner, then whoever comes next. That
 * order is what replicas, failover and bounded loads follow.
 *
 * <p>The order is a walk with stops. A node may be met at several stops; when all stops have been
 * visited, every node that owns something has been met. Nodes that a change of a ring doesn't touch
 * keep their order among each other.
 */
public interface OrderedPlacement extends Placement {

  /** The number of stops of a walk; 0 if no node owns anything. */
  int stops();

  /**
   * The index in {@link #owners()} of the node at a stop of the walk from a position. Stop 0 is the
   * owner. Allocates nothing.
   *
   * @param stop 0 to {@link #stops()} − 1
   */
  int stopAt(long position, int stop);

  /**
   * Writes the indexes in {@link #owners()} of the first distinct nodes of the walk into {@code
   * into} and returns how many there are: {@code into.length}, or as many as there are. The first
   * is the owner. Allocates nothing. Failure domains are not looked at; {@link Replicas} does that.
   */
  default int preferenceList(long position, int[] into) {
    int most = Math.min(into.length, owners().size());
    int stops = stops();
    int found = 0;
    for (int stop = 0; stop < stops && found < most; stop++) {
      int owner = stopAt(position, stop);
      if (!Replicas.contains(into, found, owner)) {
        into[found++] = owner;
      }
    }
    return found;
  }

  /**
   * The first {@code replicas} distinct nodes of the walk, or as many as there are; the first is
   * the owner.
   *
   * @param replicas 1 or more
   * @throws NoNodesException if no node can own anything
   */
  default List<Node> preferenceList(long position, int replicas) {
    if (replicas < 1) {
      throw new IllegalArgumentException("replicas " + replicas + " is less than 1");
    }
    ownerIndexAt(position); // Says so if there are no nodes.
    int[] found = new int[Math.min(replicas, owners().size())];
    int count = preferenceList(position, found);
    List<Node> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(owners().get(found[i]));
    }
    return nodes;
  }

  /**
   * The first node of the walk that is up: the owner if it is, else whoever takes over. When a node
   * returns it has its keys again, since nothing else has changed.
   *
   * @throws NoNodesException if none is up
   */
  default Node ownerAmong(long position, Predicate<Node> up) {
    int stops = stops();
    for (int stop = 0; stop < stops; stop++) {
      Node node = owners().get(stopAt(position, stop));
      if (up.test(node)) {
        return node;
      }
    }
    ownerIndexAt(position); // Says so if there are no nodes at all.
    throw NoNodesException.allDown(topology().epoch(), owners().size());
  }

  /** The first node of the key's walk that is up; see {@link #ownerAmong(long, Predicate)}. */
  default Node ownerAmong(String key, Predicate<Node> up) {
    return ownerAmong(partitioner().position(key), up);
  }
}
