package dev.beltway.placement;

import dev.beltway.topology.Node;
import java.util.List;

/** A placement with an order of owners for each position: its owner, then others clockwise. */
public interface ClockwisePlacement extends RangedPlacement {

  /**
   * Writes the indexes in {@link #owners()} of the first distinct nodes clockwise into {@code into}
   * and returns how many there are: {@code into.length}, or as many as there are. The first is the
   * owner. Allocates nothing.
   */
  int preferenceList(long position, int[] into);

  /**
   * The first {@code replicas} distinct nodes clockwise, or as many as there are; the first is the
   * owner.
   *
   * @param replicas 1 or more
   * @throws NoNodesException if no node can own anything
   */
  List<Node> preferenceList(long position, int replicas);
}
