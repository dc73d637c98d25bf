package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;

/** Points on a ring, each owning what lies between its predecessor and itself. */
class Points extends TokenPlacement implements ClockwisePlacement {

  Points(Topology topology, Partitioner partitioner, List<Node> owners, TokenMap map) {
    super(topology, partitioner, owners, map);
  }

  @Override
  public final int stops() {
    return tokenMap().size();
  }

  @Override
  public final int stopAt(long position, int stop) {
    return tokenMap().ownerAt(position, stop);
  }

  /** In one walk, where the general way looks the position up at every stop. */
  @Override
  public final int preferenceList(long position, int[] into) {
    return tokenMap().walk(position, into);
  }
}
