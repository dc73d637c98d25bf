package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;

/** {@code hash % N}, on the hash's own width. */
final class Modulo implements Placement {

  private final Topology topology;
  private final Partitioner partitioner;
  private final Node[] nodes;
  private final int unusedBits;

  Modulo(Topology topology, ModuloRule rule) {
    this.topology = topology;
    this.partitioner = rule.partitioner();
    this.nodes = topology.nodes().toArray(new Node[0]);
    this.unusedBits = Long.SIZE - rule.hash().bits();
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public Partitioner partitioner() {
    return partitioner;
  }

  @Override
  public List<Node> owners() {
    return topology.nodes();
  }

  @Override
  public int ownerIndexAt(long position) {
    if (nodes.length == 0) {
      throw new NoNodesException(topology.epoch(), 0);
    }
    return (int) Long.remainderUnsigned(position >>> unusedBits, nodes.length);
  }

  @Override
  public Node ownerAt(long position) {
    return nodes[ownerIndexAt(position)];
  }
}
