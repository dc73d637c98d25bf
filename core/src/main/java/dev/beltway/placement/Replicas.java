package dev.beltway.placement;

import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes that hold a key's replicas: distinct nodes of the placement's walk, the owner first,
 * and in different failure domains as long as there are any left. Immutable and safe for any number
 * of threads.
 *
 * <p>A change elsewhere leaves the list of a position as it is. Where there are fewer nodes than
 * replicas the list is shorter, never longer by a repetition.
 */
public final class Replicas {

  private final OrderedPlacement placement;
  private final int replicas;
  private final int domains;

  /** The domain of each owner, as a number from 0; empty where every node is one of its own. */
  private final int[] domainOf;

  private Replicas(OrderedPlacement placement, int replicas, FailureDomain domain) {
    if (replicas < 1) {
      throw new IllegalArgumentException("replicas " + replicas + " is less than 1");
    }
    this.placement = placement;
    this.replicas = replicas;
    List<Node> owners = placement.owners();
    Map<String, Integer> numbers = new HashMap<>();
    int[] numberOf = new int[owners.size()];
    for (int i = 0; i < numberOf.length; i++) {
      String name = domain.of(owners.get(i));
      numbers.putIfAbsent(name, numbers.size());
      numberOf[i] = numbers.getOrDefault(name, 0);
    }
    this.domains = numbers.size();
    this.domainOf = domains == numberOf.length ? new int[0] : numberOf;
  }

  /** As the topology says, see {@link Replication}. */
  public static Replicas of(OrderedPlacement placement) {
    return of(placement, placement.topology().rule().replication());
  }

  /** With other replicas than the topology says. */
  public static Replicas of(OrderedPlacement placement, Replication replication) {
    return new Replicas(placement, replication.replicas(), replication.domain());
  }

  /**
   * So many replicas, as many as one likes.
   *
   * @param replicas 1 or more
   */
  public static Replicas of(OrderedPlacement placement, int replicas, FailureDomain domain) {
    return new Replicas(placement, replicas, domain);
  }

  /** How many replicas a list has unless there are fewer nodes. */
  public int replicas() {
    return replicas;
  }

  /** How many failure domains there are. */
  public int domains() {
    return domains;
  }

  /** Whether lists are shorter than asked for, since there are fewer nodes that own anything. */
  public boolean fewerNodes() {
    return placement.owners().size() < replicas;
  }

  /** Whether some replicas must share a failure domain, since there are fewer domains. */
  public boolean fewerDomains() {
    return domains < Math.min(replicas, placement.owners().size());
  }

  /**
   * Writes the indexes in the placement's {@link Placement#owners()} of the nodes that hold a
   * position and returns how many there are: {@link #replicas()}, or as many as there are nodes, or
   * as fit into {@code into}. Allocates nothing.
   */
  public int list(long position, int[] into) {
    int wanted = Math.min(replicas, into.length);
    if (domainOf.length == 0) {
      return wanted == into.length
          ? placement.preferenceList(position, into)
          : distinct(position, into, 0, wanted);
    }
    int stops = placement.stops();
    int apart = Math.min(wanted, domains);
    int found = 0;
    for (int stop = 0; stop < stops && found < apart; stop++) {
      int owner = placement.stopAt(position, stop);
      if (!sharesDomain(into, found, domainOf[owner])) {
        into[found++] = owner;
      }
    }
    return found < wanted ? distinct(position, into, found, wanted) : found;
  }

  private int distinct(long position, int[] into, int already, int wanted) {
    int stops = placement.stops();
    int most = Math.min(wanted, placement.owners().size());
    int found = already;
    for (int stop = 0; stop < stops && found < most; stop++) {
      int owner = placement.stopAt(position, stop);
      if (!contains(into, found, owner)) {
        into[found++] = owner;
      }
    }
    return found;
  }

  private boolean sharesDomain(int[] owners, int count, int domain) {
    for (int i = 0; i < count; i++) {
      if (domainOf[owners[i]] == domain) {
        return true;
      }
    }
    return false;
  }

  static boolean contains(int[] owners, int count, int owner) {
    for (int i = 0; i < count; i++) {
      if (owners[i] == owner) {
        return true;
      }
    }
    return false;
  }

  /**
   * The nodes that hold a position, the owner first.
   *
   * @throws NoNodesException if no node can own anything
   */
  public List<Node> list(long position) {
    placement.ownerIndexAt(position); // Says so if there are no nodes.
    int[] found = new int[Math.min(replicas, placement.owners().size())];
    int count = list(position, found);
    List<Node> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(placement.owners().get(found[i]));
    }
    return nodes;
  }

  /** The nodes that hold a key, by its UTF-8 bytes; see {@link #list(long)}. */
  public List<Node> list(String key) {
    return list(placement.partitioner().position(key));
  }
}
