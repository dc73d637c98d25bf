package dev.beltway.plan;

import dev.beltway.placement.Placement;
import dev.beltway.topology.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts by pair of owners, before and after. Memory grows with the pairs that occur, not with
 * their product. Not thread-safe.
 */
public final class FlowCounts {

  private final List<Node> before;
  private final List<Node> after;
  private final int[] afterOf;
  private final Map<Long, Integer> pairs = new HashMap<>();
  private final List<long[]> counts = new ArrayList<>();
  private long moved;

  /** Nothing counted so far. */
  public FlowCounts(Placement before, Placement after) {
    this.before = before.owners();
    this.after = after.owners();
    Map<String, Integer> index = new HashMap<>();
    for (int i = 0; i < this.after.size(); i++) {
      index.put(this.after.get(i).id(), i);
    }
    this.afterOf =
        this.before.stream().mapToInt(node -> index.getOrDefault(node.id(), -1)).toArray();
  }

  /** Whether both indexes mean the same node. */
  boolean isSame(int was, int is) {
    return afterOf[was] == is;
  }

  /** Counts one key; returns whether it moves. */
  boolean add(int was, int is) {
    return add(was, is, 1);
  }

  /**
   * Counts what has these indexes of owners; returns whether it moves.
   *
   * @param weight how much to count, 0 or more
   */
  public boolean add(int was, int is, long weight) {
    if (isSame(was, is)) {
      return false;
    }
    counts.get(pair(was, is))[0] += weight;
    moved += weight;
    return true;
  }

  /** The number of a pair of owners, given out at its first use. */
  int pair(int was, int is) {
    Integer known = pairs.get((long) was << 32 | is);
    if (known != null) {
      return known;
    }
    int pair = pairs.size();
    pairs.put((long) was << 32 | is, pair);
    counts.add(new long[1]);
    return pair;
  }

  /** The sum of all that moves. */
  public long moved() {
    return moved;
  }

  /** All pairs that occurred, each with its part of {@code total}, the largest first. */
  public List<Flow> flows(long total) {
    return flows(pair -> (double) counts.get(pair)[0] / total);
  }

  /** All pairs that occurred, each with the share that the caller keeps for it. */
  List<Flow> flows(java.util.function.IntToDoubleFunction share) {
    List<Flow> flows = new ArrayList<>();
    pairs.forEach(
        (key, pair) ->
            flows.add(
                new Flow(
                    before.get((int) (key >>> 32)).id(),
                    after.get(key.intValue()).id(),
                    share.applyAsDouble(pair))));
    return Difference.largestFirst(flows);
  }
}
