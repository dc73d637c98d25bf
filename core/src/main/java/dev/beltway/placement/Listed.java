package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Topology;
import java.util.List;

/** Placements that compute an index into the list of nodes from a hash's value in its own width. */
abstract class Listed implements Placement {

  private final Topology topology;
  private final Partitioner partitioner;
  private final Node[] nodes;
  private final int unusedBits;

  Listed(Topology topology) {
    PlacementRule rule = topology.rule();
    this.topology = topology;
    this.partitioner = rule.partitioner();
    this.nodes = topology.nodes().toArray(new Node[0]);
    this.unusedBits = Long.SIZE - partitioner.hash().bits();
  }

  /** The index, 0 to {@code count} − 1, of a hash value; at least one node is there. */
  abstract int index(long hash, int count);

  @Override
  public final Topology topology() {
    return topology;
  }

  @Override
  public final Partitioner partitioner() {
    return partitioner;
  }

  @Override
  public final List<Node> owners() {
    return topology.nodes();
  }

  @Override
  public final int ownerIndexAt(long position) {
    if (nodes.length == 0) {
      throw new NoNodesException(topology.epoch(), 0);
    }
    return index(position >>> unusedBits, nodes.length);
  }

  @Override
  public final Node ownerAt(long position) {
    return nodes[ownerIndexAt(position)];
  }
}
