package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;

/** What all placements on a token map share: the lookup. */
abstract class TokenPlacement implements RangedPlacement {

  private final Topology topology;
  private final Partitioner partitioner;
  private final List<Node> owners;
  private final Node[] nodes;
  private final TokenMap map;

  TokenPlacement(Topology topology, Partitioner partitioner, List<Node> owners, TokenMap map) {
    this.topology = topology;
    this.partitioner = partitioner;
    this.owners = List.copyOf(owners);
    this.nodes = owners.toArray(new Node[0]);
    this.map = map;
  }

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
    return owners;
  }

  @Override
  public final TokenMap tokenMap() {
    return map;
  }

  @Override
  public int ownerIndexAt(long position) {
    if (nodes.length == 0) {
      throw new NoNodesException(topology.epoch(), topology.nodes().size());
    }
    return map.ownerAt(position);
  }

  @Override
  public final Node ownerAt(long position) {
    return nodes[ownerIndexAt(position)];
  }
}
