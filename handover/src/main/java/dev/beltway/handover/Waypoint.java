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
 * A mapping between two others: each key is where one of them puts it. No topology describes it; it
 * holds only on the way of a change. Immutable.
 */
public abstract sealed class Waypoint implements Placement permits Halfway, Canary {

  private final Placement one;
  private final Placement other;
  private final List<Node> owners;
  private final int[] ofOne;
  private final int[] ofOther;

  Waypoint(Placement one, Placement other) {
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

  final int indexOfOne(byte[] key, int offset, int length) {
    return ofOne[one.ownerIndex(key, offset, length)];
  }

  final int indexOfOther(byte[] key, int offset, int length) {
    return ofOther[other.ownerIndex(key, offset, length)];
  }

  @Override
  public final Topology topology() {
    return one.topology();
  }

  @Override
  public final Partitioner partitioner() {
    return one.partitioner();
  }

  /** The owners of both mappings, by id. */
  @Override
  public final List<Node> owners() {
    return owners;
  }

  @Override
  public final Node owner(byte[] bytes, int offset, int length) {
    return owners.get(ownerIndex(bytes, offset, length));
  }

  @Override
  public final Node owner(byte[] key) {
    return owner(key, 0, key.length);
  }

  @Override
  public final Node owner(String key) {
    return owner(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Not known: the two mappings may put a key at different positions.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public final int ownerIndexAt(long position) {
    throw new UnsupportedOperationException("between two mappings a key is needed");
  }

  /**
   * Not known, as above.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public final Node ownerAt(long position) {
    throw new UnsupportedOperationException("between two mappings a key is needed");
  }
}
