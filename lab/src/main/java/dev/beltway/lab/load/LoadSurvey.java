package dev.beltway.lab.load;

import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.Request;
import dev.beltway.placement.Placement;
import dev.beltway.plan.Flow;
import dev.beltway.plan.FlowCounts;
import dev.beltway.token.Partitioner;
import dev.beltway.topology.Node;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Counts the requests of a log by node, before and after a change of topology, in one pass.
 *
 * <p>Requests and bytes by node are exact. Different keys and the hottest keys are estimated by
 * sketches in bounded memory, each with its bounds, or counted exactly for small logs. A key is
 * hashed once where the topology's hash can also tell keys apart (xxh3-64 without hash tags and
 * slots), else twice. Not thread-safe.
 */
public final class LoadSurvey {

  /** The most keys that are told apart exactly. */
  public static final long MOST_EXACT_KEYS = 2_000_000;

  /** The most bytes of keys that are told apart exactly. */
  public static final long MOST_EXACT_BYTES = 1L << 28;

  private final Placement before;
  private final Optional<Placement> after;
  private final Partitioner partitioner;
  private final boolean oneHash;
  private final boolean onePosition;
  private final KeyTally keys;
  private final long[] requests;
  private final long[] bytes;
  private final long[] requestsAfter;
  private final long[] bytesAfter;
  private final Optional<FlowCounts> flows;
  private long requestCount;
  private long movedBytes;
  private long firstTime = Request.NO_TIME;
  private long lastTime = Request.NO_TIME;

  private LoadSurvey(Placement before, Optional<Placement> after, LogFormat format, boolean exact) {
    this.before = before;
    this.after = after;
    this.partitioner = before.partitioner();
    this.oneHash =
        partitioner.hash() == HashFunctions.XXH3_64
            && !partitioner.hashTags()
            && partitioner.slots() == 0;
    this.onePosition = after.map(p -> p.partitioner().equals(partitioner)).orElse(false);
    int owners = before.owners().size();
    int ownersAfter = after.map(p -> p.owners().size()).orElse(0);
    this.requests = new long[owners];
    this.bytes = new long[owners];
    this.requestsAfter = new long[ownersAfter];
    this.bytesAfter = new long[ownersAfter];
    this.flows = after.map(p -> new FlowCounts(before, p));
    this.keys =
        exact
            ? new ExactTally(owners, ownersAfter, MOST_EXACT_KEYS, MOST_EXACT_BYTES)
            : new SketchedTally(owners, ownersAfter, format.hasSizes());
  }

  /** A survey by sketches. */
  public static LoadSurvey sketched(Placement before, Optional<Placement> after, LogFormat format) {
    return new LoadSurvey(before, after, format, false);
  }

  /** A survey that keeps every key. */
  public static LoadSurvey exact(Placement before, Optional<Placement> after, LogFormat format) {
    return new LoadSurvey(before, after, format, true);
  }

  /**
   * Counts one request.
   *
   * @throws TooManyKeysException if keys are told apart exactly and there are too many
   * @throws dev.beltway.placement.NoNodesException if a topology owns nothing
   */
  public void add(Request request) {
    byte[] array = request.bytes();
    int offset = request.offset();
    int length = request.length();
    long position = partitioner.position(array, offset, length);
    long hash = oneHash ? position : HashFunctions.XXH3_64.hash(array, offset, length);
    long count = request.count();
    long size = count * request.size();
    int owner = before.ownerIndexAt(position);
    requests[owner] += count;
    bytes[owner] += size;
    int ownerAfter = 0;
    boolean moves = false;
    if (after.isPresent()) {
      Placement next = after.get();
      long positionAfter =
          onePosition ? position : next.partitioner().position(array, offset, length);
      ownerAfter = next.ownerIndexAt(positionAfter);
      requestsAfter[ownerAfter] += count;
      bytesAfter[ownerAfter] += size;
      moves = flows.orElseThrow().add(owner, ownerAfter, count);
      movedBytes += moves ? size : 0;
    }
    keys.add(request, hash, owner, ownerAfter, moves);
    requestCount += count;
    if (request.time() != Request.NO_TIME) {
      firstTime =
          firstTime == Request.NO_TIME ? request.time() : Math.min(firstTime, request.time());
      lastTime = Math.max(lastTime, request.time());
    }
  }

  /** The requests counted so far. */
  public long requests() {
    return requestCount;
  }

  /**
   * What was found so far.
   *
   * @param hotKeys how many of the hottest keys to tell, 1 or more
   */
  public LoadFindings findings(int hotKeys) {
    NodeLoads loads = NodeLoads.of(before, keys::keys, keys.allKeys(), requests, bytes);
    Optional<LogMovement> movement = after.map(this::movement);
    return new LoadFindings(
        loads,
        movement,
        hotList(Measure.REQUESTS, hotKeys),
        hotList(Measure.BYTES, loads.bytes() == 0 ? 0 : hotKeys),
        firstTime,
        lastTime);
  }

  private LogMovement movement(Placement next) {
    FlowCounts counts = flows.orElseThrow();
    Count all = keys.allKeys();
    NodeLoads loads =
        NodeLoads.of(
            next,
            owner -> keys.keysAfter(owner).atMost(all.upper()),
            all,
            requestsAfter,
            bytesAfter);
    List<Flow> moves = counts.flows(Math.max(1, requestCount));
    Set<String> ids = ids(before);
    Set<String> idsAfter = ids(next);
    double staying =
        moves.stream()
            .filter(flow -> idsAfter.contains(flow.from()) && ids.contains(flow.to()))
            .mapToDouble(Flow::share)
            .sum();
    return new LogMovement(
        loads, keys.movedKeys().atMost(all.upper()), counts.moved(), movedBytes, moves, staying);
  }

  private static Set<String> ids(Placement placement) {
    return placement.owners().stream().map(Node::id).collect(Collectors.toSet());
  }

  private HotList hotList(Measure measure, int most) {
    List<HotKey> found =
        keys.largest(measure, most + 1).stream()
            .map(
                frequency -> {
                  byte[] bytesOfKey = frequency.key().bytes();
                  return new HotKey(
                      frequency.key(),
                      before.owner(bytesOfKey).id(),
                      frequency.amount(),
                      frequency.reads());
                })
            .toList();
    return new HotList(
            found, keys.largestError(measure), keys.missedBelow(measure), keys.isCertain(measure))
        .first(most);
  }
}
