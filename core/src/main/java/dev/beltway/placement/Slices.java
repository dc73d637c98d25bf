package dev.beltway.placement;

import dev.beltway.hash.Finalizers;
import dev.beltway.token.OwnerTable;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.Node;
import dev.beltway.topology.SliceTable;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Intervals of exact shares.
 *
 * <p>Intervals are few and long, so the neighbours of an interval say little: were they its
 * successors, a failed node's load would fall on one or two others. The walk from a position
 * therefore first looks at scattered positions made from it, which meets each node in proportion to
 * its share, and only after {@link #PROBES} of them goes through all intervals clockwise, so that
 * every node is met in the end.
 */
final class Slices extends TokenPlacement implements OrderedPlacement {

  /** Scattered stops before the walk turns clockwise; part of the contract. */
  static final int PROBES = 128;

  /** 2⁶⁴ over the golden ratio, as SplitMix64 steps. */
  private static final long STEP = 0x9e3779b97f4a7c15L;

  private final OwnerTable table;

  private Slices(Topology topology, SlicesRule rule, List<Node> owners, TokenMap map) {
    super(topology, rule.partitioner(), owners, map);
    this.table = OwnerTable.of(map);
  }

  static Slices of(Topology topology, SlicesRule rule) {
    SliceTable slices = rule.tableFor(topology.nodes());
    List<Node> owners = new ArrayList<>();
    for (Node node : topology.nodesById()) {
      if (owners.size() < slices.owners().size()
          && slices.owners().get(owners.size()).equals(node.id())) {
        owners.add(node);
      }
    }
    int[] counts = new int[owners.size()];
    for (int i = 0; i < slices.intervals(); i++) {
      counts[slices.ownerIndex(i)]++;
    }
    int[] at = new int[counts.length];
    for (int owner = 1; owner < at.length; owner++) {
      at[owner] = at[owner - 1] + counts[owner - 1];
    }
    long[] tokens = new long[Arrays.stream(counts).sum()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[at[slices.ownerIndex(i)]++] = slices.lastPosition(i);
    }
    return new Slices(topology, rule, owners, TokenMap.of(tokens, counts));
  }

  @Override
  public int ownerIndexAt(long position) {
    int owner = table.ownerAt(position);
    return owner == OwnerTable.UNDECIDED ? super.ownerIndexAt(position) : owner;
  }

  @Override
  public long bytes() {
    return super.bytes() + table.bytes();
  }

  @Override
  public int stops() {
    return tokenMap().size() == 0 ? 0 : PROBES + tokenMap().size();
  }

  @Override
  public int stopAt(long position, int stop) {
    if (stop == 0) {
      return ownerIndexAt(position);
    }
    return stop < PROBES
        ? ownerIndexAt(Finalizers.splitmix64(position + stop * STEP))
        : tokenMap().ownerAt(position, stop - PROBES);
  }
}
