package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A placement with some nodes down: what they own goes to the next node of the walk that is up, so
 * it spreads over many. Everything else stays, and a node that returns has its keys again.
 *
 * <p>Immutable and safe for any number of threads: when a node fails or returns, make a new one and
 * publish it. It is a placement with an order itself, so replicas and bounded loads work on it.
 */
public final class Failover implements OrderedPlacement {

  private static final int DOWN = -1;

  private final OrderedPlacement placement;
  private final List<Node> up;

  /** For each owner of the whole placement its index among those that are up, or DOWN. */
  private final int[] indexOf;

  private Failover(OrderedPlacement placement, Set<String> down) {
    this.placement = placement;
    List<Node> whole = placement.owners();
    List<Node> left = new ArrayList<>();
    this.indexOf = new int[whole.size()];
    Arrays.fill(indexOf, DOWN);
    for (int i = 0; i < whole.size(); i++) {
      if (!down.contains(whole.get(i).id())) {
        indexOf[i] = left.size();
        left.add(whole.get(i));
      }
    }
    this.up = List.copyOf(left);
  }

  /**
   * With these nodes down.
   *
   * @throws IllegalArgumentException if one of them is not in the topology
   */
  public static Failover of(OrderedPlacement placement, Collection<String> down) {
    for (String id : down) {
      if (placement.topology().node(id).isEmpty()) {
        throw new IllegalArgumentException("node " + id + " is not in the topology");
      }
    }
    return new Failover(placement, new HashSet<>(down));
  }

  /** The topology of the whole; only {@link #owners()} tells who is up. */
  @Override
  public Topology topology() {
    return placement.topology();
  }

  @Override
  public Partitioner partitioner() {
    return placement.partitioner();
  }

  /** The owners that are up, in the order of the whole placement's. */
  @Override
  public List<Node> owners() {
    return up;
  }

  @Override
  public int stops() {
    return up.isEmpty() ? 0 : placement.stops();
  }

  /** The node of the first stop from this one on that is up. */
  @Override
  public int stopAt(long position, int stop) {
    int stops = placement.stops();
    for (int i = stop; i < stop + stops; i++) {
      int index = indexOf[placement.stopAt(position, i < stops ? i : i - stops)];
      if (index != DOWN) {
        return index;
      }
    }
    throw NoNodesException.allDown(topology().epoch(), indexOf.length);
  }

  /** In one walk that skips what is down. */
  @Override
  public int preferenceList(long position, int[] into) {
    int most = Math.min(into.length, up.size());
    int stops = placement.stops();
    int found = 0;
    for (int stop = 0; stop < stops && found < most; stop++) {
      int index = indexOf[placement.stopAt(position, stop)];
      if (index != DOWN && !Replicas.contains(into, found, index)) {
        into[found++] = index;
      }
    }
    return found;
  }

  @Override
  public int ownerIndexAt(long position) {
    int owner = placement.ownerIndexAt(position); // Says so if there are no nodes at all.
    return indexOf[owner] == DOWN ? stopAt(position, 0) : indexOf[owner];
  }

  @Override
  public Node ownerAt(long position) {
    return up.get(ownerIndexAt(position));
  }
}
