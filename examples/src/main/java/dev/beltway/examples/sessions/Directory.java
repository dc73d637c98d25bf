package dev.beltway.examples.sessions;

import dev.beltway.placement.BoundedLoads;
import dev.beltway.placement.ClockwisePlacement;
import dev.beltway.placement.NoNodesException;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Says which instance a session belongs to: the first clockwise on a ring that has room, with no
 * instance above {@value #BOUND} times its fair share. A session stays where it is until its
 * instance leaves, or one joins that comes before it on the ring. Thread-safe.
 */
public final class Directory {

  /** The largest load of an instance over its fair share. */
  public static final double BOUND = 1.25;

  private Topology topology;
  private ClockwisePlacement ring;
  private BoundedLoads loads;
  private final Map<String, Node> sessions = new HashMap<>();

  /** Without instances; they join. */
  public Directory() {
    topology = Topology.ring();
    ring = Placements.ring(topology);
    loads = BoundedLoads.of(ring, BOUND);
  }

  /**
   * Where a session is to connect: the same answer as before, as long as that instance is there.
   *
   * @throws NoNodesException if there is no instance
   */
  public synchronized Node place(String session) {
    Node known = sessions.get(session);
    if (known == null) {
      known = loads.acquire(session);
      sessions.put(session, known);
    }
    return known;
  }

  /** Where a session is; empty if it has no place. */
  public synchronized Optional<Node> find(String session) {
    return Optional.ofNullable(sessions.get(session));
  }

  /** A session is over. */
  public synchronized void end(String session) {
    Node node = sessions.remove(session);
    if (node != null) {
      loads.release(node);
    }
  }

  /**
   * An instance joins.
   *
   * @return the sessions that belong to it now: they have lost their places, and get new ones when
   *     they ask
   */
  public synchronized List<String> join(Node instance) {
    change(topology.plus(instance));
    return displace(
        session -> ring.owner(session).id().equals(instance.id()) && !isAt(session, instance.id()));
  }

  /**
   * An instance leaves.
   *
   * @return its sessions: they have lost their places, and get new ones when they ask
   */
  public synchronized List<String> leave(String instance) {
    change(topology.minus(instance));
    return displace(session -> isAt(session, instance));
  }

  private boolean isAt(String session, String instance) {
    Node at = sessions.get(session);
    return at != null && at.id().equals(instance);
  }

  private void change(Topology next) {
    topology = next;
    ring = Placements.ring(next);
    loads = loads.with(ring);
  }

  private List<String> displace(java.util.function.Predicate<String> moves) {
    List<String> displaced = new ArrayList<>();
    for (String session : List.copyOf(sessions.keySet())) {
      if (moves.test(session)) {
        displaced.add(session);
        end(session);
      }
    }
    return displaced;
  }

  /** How many sessions each instance has. */
  public synchronized Map<String, Long> loads() {
    Map<String, Long> all = new HashMap<>();
    topology.nodes().forEach(node -> all.put(node.id(), loads.load(node.id())));
    return all;
  }

  /** How many sessions an instance may have now. */
  public synchronized long cap() {
    return topology.nodes().isEmpty() ? 0 : loads.cap(0, loads.total());
  }
}
