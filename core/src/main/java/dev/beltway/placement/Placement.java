package dev.beltway.placement;

import dev.beltway.token.Partitioner;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;

/**
 * The compiled mapping of one topology: key to owner. Immutable and safe for any number of threads;
 * a change makes a new one. Publish it by one volatile write and read it once a request.
 *
 * <p>The mapping depends on the topology alone. Lookups allocate nothing (see {@link
 * Partitioner#position(String)} for the one exception, hash tags in strings).
 */
public interface Placement {

  /** The topology that this was made from. */
  Topology topology();

  /** How a key finds its position. */
  Partitioner partitioner();

  /**
   * The nodes that can own a position: by id where the order of the list means nothing, else in the
   * order that decides between equal points.
   */
  List<Node> owners();

  /**
   * The index in {@link #owners()} of a position's owner.
   *
   * @throws NoNodesException if no node can own anything
   */
  int ownerIndexAt(long position);

  /** The index in {@link #owners()} of a key's owner; see {@link #ownerIndexAt(long)}. */
  default int ownerIndex(byte[] key, int offset, int length) {
    return ownerIndexAt(partitioner().position(key, offset, length));
  }

  /**
   * The owner of a position.
   *
   * @throws NoNodesException if no node can own anything
   */
  Node ownerAt(long position);

  /** The owner of a key, by its UTF-8 bytes; see {@link #ownerAt(long)}. */
  default Node owner(String key) {
    return ownerAt(partitioner().position(key));
  }

  /** The owner of a key; see {@link #ownerAt(long)}. */
  default Node owner(byte[] key) {
    return ownerAt(partitioner().position(key, 0, key.length));
  }

  /** The owner of a key that stands in a larger array; see {@link #ownerAt(long)}. */
  default Node owner(byte[] bytes, int offset, int length) {
    return ownerAt(partitioner().position(bytes, offset, length));
  }
}
