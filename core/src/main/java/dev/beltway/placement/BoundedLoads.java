package dev.beltway.placement;

import dev.beltway.topology.Node;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Live loads, such as sessions or requests in flight, kept within ⌈c · share · total⌉ on each node:
 * {@link #acquire} takes the first node of a key's walk with room, {@link #release} gives the room
 * back. Safe for any number of threads, without locks.
 *
 * <p>The cap follows the total of the moment: when an acquire ends, the node that it took was below
 * the cap that belongs to a total which was true during the call. Later releases lower the caps
 * again, so a node may then carry more than its cap until it has released some; it gets nothing new
 * meanwhile. With c ≥ 1 there is always room, and nothing is ever refused.
 *
 * <p>A change of the topology makes a new object with {@link #with}; loads are counted by node id
 * in both, so what was acquired through the old one can be released through either.
 */
public final class BoundedLoads {

  private final OrderedPlacement placement;
  private final double factor;
  private final LoadBound bound;
  private final Counters counters;
  private final AtomicLong[] loads;

  /** What all objects of one succession of topologies share. */
  private static final class Counters {
    final AtomicLong total = new AtomicLong();
    final Map<String, AtomicLong> byId = new ConcurrentHashMap<>();
  }

  private BoundedLoads(OrderedPlacement placement, double factor, Counters counters) {
    this.placement = placement;
    this.factor = factor;
    this.bound = new LoadBound(placement, factor);
    this.counters = counters;
    this.loads =
        placement.owners().stream()
            .map(node -> counters.byId.computeIfAbsent(node.id(), id -> new AtomicLong()))
            .toArray(AtomicLong[]::new);
  }

  /**
   * No load so far.
   *
   * @param factor c, the largest load over the fair one: 1 to 1,000; 1.25 is usual
   */
  public static BoundedLoads of(OrderedPlacement placement, double factor) {
    return new BoundedLoads(placement, factor, new Counters());
  }

  /** The same loads under another placement. */
  public BoundedLoads with(OrderedPlacement next) {
    return new BoundedLoads(next, factor, counters);
  }

  /**
   * Takes room on a node and returns its index in the placement's owners. Allocates nothing; mostly
   * one stop, all stops at worst.
   *
   * @throws NoNodesException if no node owns anything
   */
  public int acquire(long position) {
    int owner = placement.ownerIndexAt(position); // Says so if there are no nodes.
    long total = counters.total.incrementAndGet();
    if (tryTake(owner, total)) {
      return owner;
    }
    int stops = placement.stops();
    while (true) {
      for (int stop = 1; stop < stops; stop++) {
        owner = placement.stopAt(position, stop);
        if (tryTake(owner, total)) {
          return owner;
        }
      }
      // Every node was full for this total. Since the caps add up to it, others must have taken
      // room that belongs to a larger total meanwhile: they have made progress, and with the total
      // of now there is room again.
      total = counters.total.get();
      owner = placement.stopAt(position, 0);
      if (tryTake(owner, total)) {
        return owner;
      }
    }
  }

  private boolean tryTake(int owner, long total) {
    AtomicLong load = loads[owner];
    long cap = bound.cap(owner, total);
    long seen = load.get();
    while (seen < cap) {
      long found = load.compareAndExchange(seen, seen + 1);
      if (found == seen) {
        return true;
      }
      seen = found;
    }
    return false;
  }

  /** Takes room for a key, by its UTF-8 bytes; see {@link #acquire(long)}. */
  public Node acquire(String key) {
    return placement.owners().get(acquire(placement.partitioner().position(key)));
  }

  /**
   * Gives back the room that an {@link #acquire(long)} on this object took.
   *
   * @param owner what it returned
   * @throws IllegalStateException if the node carries nothing: something was released twice
   */
  public void release(int owner) {
    release(loads[owner], placement.owners().get(owner).id());
  }

  /**
   * Gives back room on a node, which need not be in the topology any more.
   *
   * @throws IllegalStateException if the node carries nothing: something was released twice, or
   *     never acquired
   */
  public void release(Node node) {
    AtomicLong load = counters.byId.get(node.id());
    if (load == null) {
      throw new IllegalStateException("node " + node.id() + " has never carried anything");
    }
    release(load, node.id());
  }

  private void release(AtomicLong load, String id) {
    long seen = load.get();
    while (seen > 0) {
      long found = load.compareAndExchange(seen, seen - 1);
      if (found == seen) {
        // After the node's own count, so that the loads never add up to more than the total.
        counters.total.decrementAndGet();
        return;
      }
      seen = found;
    }
    throw new IllegalStateException("node " + id + " carries nothing that could be released");
  }

  /** The load of all nodes, acquires under way included. */
  public long total() {
    return counters.total.get();
  }

  /** The load of a node, 0 if it has never carried any. */
  public long load(String id) {
    AtomicLong load = counters.byId.get(id);
    return load == null ? 0 : load.get();
  }

  /** The cap of an owner, by its index, when the total is so much. */
  public long cap(int owner, long total) {
    return bound.cap(owner, total);
  }
}
