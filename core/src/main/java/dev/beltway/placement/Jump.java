package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;

/** Jump consistent hash (Lamping and Veach, 2014) on the hash's value in its own width. */
final class Jump implements Placement {

  private static final long MULTIPLIER = 2_862_933_555_777_941_757L;

  private final Topology topology;
  private final Partitioner partitioner;
  private final Node[] nodes;
  private final int unusedBits;

  Jump(Topology topology, JumpRule rule) {
    this.topology = topology;
    this.partitioner = rule.partitioner();
    this.nodes = topology.nodes().toArray(new Node[0]);
    this.unusedBits = Long.SIZE - rule.hash().bits();
  }

  /**
   * The bucket, 0 to {@code buckets} − 1, of a number. O(log buckets).
   *
   * <p>The division comes before the multiplication, as published: other orders round differently
   * for a few numbers in a billion.
   */
  static int bucket(long number, int buckets) {
    long state = number;
    long bucket = -1;
    long next = 0;
    while (next < buckets) {
      bucket = next;
      state = state * MULTIPLIER + 1;
      next = (long) ((bucket + 1) * (0x1p31 / ((state >>> 33) + 1)));
    }
    return (int) bucket;
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
    return bucket(position >>> unusedBits, nodes.length);
  }

  @Override
  public Node ownerAt(long position) {
    return nodes[ownerIndexAt(position)];
  }
}
