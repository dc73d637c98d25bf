package dev.beltway.placement;

import dev.beltway.topology.Node;
import java.util.List;

/**
 * A fixed number of things, such as partitions or jobs, assigned to nodes so that none carries more
 * than ⌈c · share · number⌉: each goes to the first node of its walk with room. Immutable.
 *
 * <p>The result depends on the placement, the factor and the order in which the things are given,
 * and on nothing else. It always ends, and everything has a node.
 */
public final class BoundedAssignment {

  private final List<Node> owners;
  private final int[] assigned;
  private final long[] loads;
  private final long[] caps;

  private BoundedAssignment(List<Node> owners, int[] assigned, long[] loads, long[] caps) {
    this.owners = owners;
    this.assigned = assigned;
    this.loads = loads;
    this.caps = caps;
  }

  /**
   * Assigns things by their positions, in their order.
   *
   * @param factor c, the largest load over the fair one: 1 to 1,000; 1.25 is usual
   * @throws NoNodesException if there is something to assign and no node owns anything
   */
  public static BoundedAssignment of(OrderedPlacement placement, double factor, long... positions) {
    LoadBound bound = new LoadBound(placement, factor);
    int nodes = placement.owners().size();
    long[] caps = new long[nodes];
    for (int owner = 0; owner < nodes; owner++) {
      caps[owner] = bound.cap(owner, positions.length);
    }
    long[] loads = new long[nodes];
    int[] assigned = new int[positions.length];
    for (int i = 0; i < positions.length; i++) {
      assigned[i] = firstWithRoom(placement, positions[i], loads, caps);
      loads[assigned[i]]++;
    }
    return new BoundedAssignment(placement.owners(), assigned, loads, caps);
  }

  private static int firstWithRoom(
      OrderedPlacement placement, long position, long[] loads, long[] caps) {
    int owner = placement.ownerIndexAt(position);
    int stops = placement.stops();
    for (int stop = 0; stop < stops; stop++) {
      owner = placement.stopAt(position, stop);
      if (loads[owner] < caps[owner]) {
        return owner;
      }
    }
    throw new IllegalStateException(
        "no room on " + loads.length + " nodes; the caps must add up to the number of things");
  }

  /** The node of a thing, by its index in the positions. */
  public Node node(int index) {
    return owners.get(assigned[index]);
  }

  /** How many things a node carries, by its index in the placement's owners. */
  public long load(int owner) {
    return loads[owner];
  }

  /** How many things a node may carry, by its index in the placement's owners. */
  public long cap(int owner) {
    return caps[owner];
  }
}
