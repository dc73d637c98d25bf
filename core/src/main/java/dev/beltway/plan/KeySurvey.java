package dev.beltway.plan;

import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Counts a log of keys under the placements before and after a change: by requests, each line of
 * the log being one, and by different keys.
 *
 * <p>Keys are told apart by a 64-bit hash, up to {@link #MOST_KEYS} of them; with more than that
 * only requests are counted, and {@link #keys()} is empty. Memory is bounded by that, whatever the
 * log. Not thread-safe.
 */
public final class KeySurvey {

  /** The largest number of different keys that are told apart. */
  public static final int MOST_KEYS = 8_000_000;

  private final Placement before;
  private final Placement after;
  private final int nodesBefore;
  private final int nodesAfter;
  private final int[] sameByModulo;
  private final LongSet seen;
  private final Counts requests;
  private final Counts keys;

  /** A survey without any key so far. */
  public KeySurvey(Placement before, Placement after) {
    this(before, after, MOST_KEYS);
  }

  KeySurvey(Placement before, Placement after, int mostKeys) {
    this.before = before;
    this.after = after;
    List<String> listBefore = moduloList(before.topology());
    List<String> listAfter = moduloList(after.topology());
    this.nodesBefore = listBefore.size();
    this.nodesAfter = listAfter.size();
    this.seen = new LongSet(mostKeys);
    this.requests = new Counts();
    this.keys = new Counts();
    Map<String, Integer> index = new HashMap<>();
    for (int i = 0; i < nodesAfter; i++) {
      index.put(listAfter.get(i), i);
    }
    this.sameByModulo = listBefore.stream().mapToInt(id -> index.getOrDefault(id, -1)).toArray();
  }

  /** The list that {@code hash % N} would run over: it knows no drained nodes. */
  static List<String> moduloList(Topology topology) {
    return topology.nodes().stream().filter(node -> !node.isDrained()).map(Node::id).toList();
  }

  private final class Counts {

    private final long[] countsBefore = new long[before.owners().size()];
    private final long[] countsAfter = new long[after.owners().size()];
    private final FlowCounts flows = new FlowCounts(before, after);
    private long total;
    private long movedByModulo;

    void add(int was, int is, boolean moduloMoves) {
      total++;
      countsBefore[was]++;
      countsAfter[is]++;
      flows.add(was, is);
      movedByModulo += moduloMoves ? 1 : 0;
    }

    Tally tally() {
      return new Tally(
          total,
          byId(before, countsBefore),
          byId(after, countsAfter),
          flows.moved(),
          flows.flows(Math.max(1, total)),
          movedByModulo);
    }

    private Map<String, Long> byId(Placement placement, long[] counts) {
      Map<String, Long> byId = new HashMap<>();
      for (int i = 0; i < counts.length; i++) {
        byId.put(placement.owners().get(i).id(), counts[i]);
      }
      return Map.copyOf(byId);
    }
  }

  /**
   * What was counted, once by keys and once by requests.
   *
   * @param total all of them
   * @param before by node before the change
   * @param after by node after the change
   * @param moved how many change their node
   * @param flows from whom to whom, as shares of all
   * @param movedByModulo how many {@code hash % N} would have moved, by xxh3-64 and the order of
   *     the topologies
   */
  public record Tally(
      long total,
      Map<String, Long> before,
      Map<String, Long> after,
      long moved,
      List<Flow> flows,
      long movedByModulo) {}

  /**
   * Counts one line of the log.
   *
   * @throws dev.beltway.placement.NoNodesException if one of the topologies owns nothing
   */
  public void add(byte[] bytes, int offset, int length) {
    int was = before.ownerIndexAt(before.partitioner().position(bytes, offset, length));
    int is = after.ownerIndexAt(after.partitioner().position(bytes, offset, length));
    long hash = HashFunctions.XXH3_64.hash(bytes, offset, length);
    int moduloBefore = (int) Long.remainderUnsigned(hash, nodesBefore);
    int moduloAfter = (int) Long.remainderUnsigned(hash, nodesAfter);
    boolean moduloMoves = sameByModulo[moduloBefore] != moduloAfter;
    requests.add(was, is, moduloMoves);
    if (seen.add(hash)) {
      keys.add(was, is, moduloMoves);
    }
  }

  /** The lines counted. */
  public Tally requests() {
    return requests.tally();
  }

  /** The different keys; empty if there were too many. */
  public Optional<Tally> keys() {
    return seen.overflowed() ? Optional.empty() : Optional.of(keys.tally());
  }

  /** The different keys, or the lines if there were too many keys. */
  public Tally keysOrRequests() {
    return keys().orElseGet(this::requests);
  }

  /** The number of different keys, if it is known. */
  public OptionalLong keyCount() {
    return seen.overflowed() ? OptionalLong.empty() : OptionalLong.of(keys.total);
  }
}
