package dev.beltway.cli;

import dev.beltway.lab.log.KeyVisitor;
import dev.beltway.placement.BoundedAssignment;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Replicas;
import dev.beltway.topology.Node;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The owners of one key after the other, without an object for each. */
interface RouteOwners {

  /** Finds the owners of a key and returns how many there are. */
  int find(byte[] key, int offset, int length);

  /** The id of an owner of the key that was found last. */
  String id(int i);

  /** One owner a key. */
  final class Sole implements RouteOwners {

    private final Placement placement;
    private int found;

    Sole(Placement placement) {
      this.placement = placement;
    }

    @Override
    public int find(byte[] key, int offset, int length) {
      found = placement.ownerIndexAt(placement.partitioner().position(key, offset, length));
      return 1;
    }

    @Override
    public String id(int i) {
      return placement.owners().get(found).id();
    }
  }

  /** Replicas. */
  final class Several implements RouteOwners {

    private final OrderedPlacement placement;
    private final List<Node> nodes;
    private final Replicas replicas;
    private final int[] found;

    Several(OrderedPlacement placement, Replicas replicas) {
      this.placement = placement;
      this.nodes = placement.owners();
      this.replicas = replicas;
      this.found = new int[replicas.replicas()];
    }

    @Override
    public int find(byte[] key, int offset, int length) {
      return replicas.list(placement.partitioner().position(key, offset, length), found);
    }

    @Override
    public String id(int i) {
      return nodes.get(found[i]).id();
    }
  }

  /**
   * One owner a key with a bound on what a node may have, which takes all keys before the first can
   * be answered. A key that comes again has the same owner.
   */
  final class Bounded implements RouteOwners {

    private static final int MOST_KEYS = 2_000_000;
    private static final int MOST_LINES = 20_000_000;

    private final OrderedPlacement placement;
    private final double factor;
    private final Map<ByteBuffer, Integer> numbers = new HashMap<>();
    private final List<byte[]> keys = new ArrayList<>();
    private int[] lines = new int[1024];
    private int lineCount;
    private boolean tooMany;
    private long[] positions = {};
    private BoundedAssignment assignment;
    private int found;

    /** Refuses a factor before any key is read. */
    Bounded(OrderedPlacement placement, double factor) throws BadInputException {
      this.placement = placement;
      this.factor = factor;
      try {
        this.assignment = BoundedAssignment.of(placement, factor);
      } catch (IllegalArgumentException e) {
        throw new BadInputException("--bound: " + e.getMessage());
      }
    }

    void add(byte[] key, int offset, int length) {
      ByteBuffer seen = ByteBuffer.wrap(key, offset, length);
      Integer number = numbers.get(seen);
      if (number == null) {
        tooMany |= keys.size() == MOST_KEYS;
      }
      tooMany |= lineCount == MOST_LINES;
      if (tooMany) {
        return;
      }
      if (number == null) {
        number = keys.size();
        byte[] own = Arrays.copyOfRange(key, offset, offset + length);
        keys.add(own);
        numbers.put(ByteBuffer.wrap(own), number);
      }
      if (lineCount == lines.length) {
        lines = Arrays.copyOf(lines, 2 * lineCount);
      }
      lines[lineCount++] = number;
    }

    void assign() throws BadInputException {
      if (tooMany) {
        throw new BadInputException(
            "--bound: more than "
                + Formats.count(MOST_KEYS)
                + " different keys or "
                + Formats.count(MOST_LINES)
                + " lines; all of them must fit into memory");
      }
      positions = keys.stream().mapToLong(key -> placement.partitioner().position(key)).toArray();
      assignment = BoundedAssignment.of(placement, factor, positions);
    }

    void forEachLine(KeyVisitor visitor) throws IOException {
      for (int line = 0; line < lineCount; line++) {
        byte[] key = keys.get(lines[line]);
        visitor.visit(key, 0, key.length);
      }
    }

    /** How many keys had to go on. */
    String overflow() {
      int moved = 0;
      for (int i = 0; i < positions.length; i++) {
        moved += assignment.node(i).equals(placement.ownerAt(positions[i])) ? 0 : 1;
      }
      return Formats.count(moved)
          + " of "
          + Formats.plural(keys.size(), "different key")
          + " went on to another node than the owner, for want of room";
    }

    @Override
    public int find(byte[] key, int offset, int length) {
      Integer number = numbers.get(ByteBuffer.wrap(key, offset, length));
      if (number == null) {
        throw new IllegalStateException("a key that was not read");
      }
      found = number;
      return 1;
    }

    @Override
    public String id(int i) {
      return assignment.node(found).id();
    }
  }
}
