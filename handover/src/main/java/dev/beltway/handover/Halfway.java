package dev.beltway.handover;

import dev.beltway.placement.Placement;
import dev.beltway.token.Partitioner;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The mapping between two others where keys would go round in a circle: each key is at the later of
 * its two owners, by id. On the way there keys move only to later nodes, on the way on only to
 * earlier ones.
 *
 * <p>Why: a node that gives a key waits for the one that gets it. Two that give to each other at
 * the same time wait for each other, until a time-out breaks both transfers.
 */
public final class Halfway implements Placement {

  private final Placement one;
  private final Placement other;
  private final List<Node> owners;
  private final int[] ofOne;
  private final int[] ofOther;

  /** Between two mappings; the same from either side. */
  public Halfway(Placement one, Placement other) {
    this.one = one;
    this.other = other;
    Map<String, Node> nodes = new TreeMap<>();
    other.owners().forEach(node -> nodes.put(node.id(), node));
    one.owners().forEach(node -> nodes.put(node.id(), node));
    List<Node> all = new ArrayList<>(nodes.values());
    all.sort(Comparator.comparing(Node::id, NodeId.UTF8_ORDER));
    this.owners = List.copyOf(all);
    Map<String, Integer> index = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      index.put(all.get(i).id(), i);
    }
    this.ofOne = indexes(one, index);
    this.ofOther = indexes(other, index);
  }

  private static int[] indexes(Placement placement, Map<String, Integer> index) {
    return placement.owners().stream()
        .mapToInt(node -> index.getOrDefault(node.id(), -1))
        .toArray();
  }

  @Override
  public Topology topology() {
    return one.topology();
  }

  @Override
  public Partitioner partitioner() {
    return one.partitioner();
  }

  @Override
  public List<Node> owners() {
    return owners;
  }

  @Override
  public int ownerIndex(byte[] key, int offset, int length) {
    return Math.max(
        ofOne[one.ownerIndex(key, offset, length)], ofOther[other.ownerIndex(key, offset, length)]);
  }

  @Override
  public Node owner(byte[] bytes, int offset, int length) {
    return owners.get(ownerIndex(bytes, offset, length));
  }

  @Override
  public Node owner(byte[] key) {
    return owner(key, 0, key.length);
  }

  @Override
  public Node owner(String key) {
    return owner(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Not known: the two mappings may put a key at different positions.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public int ownerIndexAt(long position) {
    throw new UnsupportedOperationException("between two mappings a key is needed");
  }

  /**
   * Not known, as above.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public Node ownerAt(long position) {
    throw new UnsupportedOperationException("between two mappings a key is needed");
  }
}
