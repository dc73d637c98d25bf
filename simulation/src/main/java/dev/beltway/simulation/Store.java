package dev.beltway.simulation;

import dev.beltway.handover.ClusterState;
import dev.beltway.handover.ClusterView;
import dev.beltway.handover.Registration;
import dev.beltway.handover.RoutingState;
import dev.beltway.placement.Placement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The coordination store: one document with revisions, registrations, admitted processes, a term.
 */
final class Store {

  private final Map<Long, Placement> placements = new HashMap<>();
  private final List<RoutingState> revisions = new ArrayList<>();
  private final Map<String, Registration> registrations = new TreeMap<>();
  private final Map<String, String> runs = new TreeMap<>();
  private final Flaws flaws;
  private long term;
  private int registered;
  private long changes;

  Store(Placement first, Flaws flaws) {
    this.flaws = flaws;
    placements.put(1L, first);
    revisions.add(RoutingState.steady(ClusterState.first(1), first));
  }

  long term() {
    return term;
  }

  long nextTerm() {
    return ++term;
  }

  /** Grows with each change of anything. */
  long changes() {
    return changes;
  }

  /** How many revisions there were. */
  int size() {
    return revisions.size();
  }

  RoutingState revision(int number) {
    return revisions.get(number);
  }

  RoutingState latest() {
    return revisions.get(revisions.size() - 1);
  }

  long newEpoch(Placement placement) {
    long epoch = placements.size() + 1L;
    placements.put(epoch, placement);
    return epoch;
  }

  Placement placement(long epoch) {
    Placement found = placements.get(epoch);
    if (found == null) {
      throw new IllegalStateException("no epoch " + epoch);
    }
    return found;
  }

  /** Writes the document if this revision is the one that was read; whether it did. */
  boolean put(long read, ClusterState next) {
    if (read != revisions.size() - 1 && !flaws.has(Flaw.NO_COMPARE_AND_SET)) {
      return false;
    }
    changes++;
    Placement from = placement(next.epoch());
    if (next.next().isEmpty()) {
      revisions.add(RoutingState.steady(next, from));
    } else {
      Placement to = placement(next.next().getAsLong());
      revisions.add(Mappings.routing(next, from, to));
    }
    return true;
  }

  ClusterView view() {
    List<Registration> seen = new ArrayList<>();
    long version = latest().version();
    for (Registration each : registrations.values()) {
      seen.add(flaws.has(Flaw.NO_BARRIER) ? acknowledged(each, version) : seenAs(each, version));
    }
    return new ClusterView(latest(), revisions.size() - 1L, seen, runs, Map.of());
  }

  private Registration seenAs(Registration each, long version) {
    boolean earlier = each.acknowledged() > 1 && each.acknowledged() < version;
    return flaws.has(Flaw.ACK_WITHOUT_VERSION) && earlier && latest().phase().holds()
        ? acknowledged(each, version)
        : each;
  }

  private static Registration acknowledged(Registration each, long version) {
    return new Registration(
        each.id(), each.name(), each.passwordHash(), each.admitted(), each.struck(), version);
  }

  // ---------------------------------------------------------------- registrations

  String register(String name, String hash) {
    changes++;
    String id = "r" + (1_000 + ++registered);
    registrations.put(id, new Registration(id, name, hash, false, false, 0));
    return id;
  }

  boolean isRegistered(String id) {
    return registrations.containsKey(id);
  }

  boolean isAdmitted(String id) {
    Registration found = registrations.get(id);
    return found != null && found.admitted();
  }

  void acknowledge(String id, long version) {
    changes++;
    registrations.computeIfPresent(id, (same, each) -> acknowledged(each, version));
  }

  void admit(String id) {
    changes++;
    registrations.computeIfPresent(
        id,
        (same, each) ->
            new Registration(
                id, each.name(), each.passwordHash(), true, each.struck(), each.acknowledged()));
  }

  void markStruck(String id) {
    changes++;
    registrations.computeIfPresent(
        id,
        (same, each) ->
            new Registration(
                id, each.name(), each.passwordHash(), each.admitted(), true, each.acknowledged()));
  }

  void strike(String id) {
    changes++;
    registrations.remove(id);
  }

  void run(String node, String run) {
    changes++;
    runs.put(node, run);
  }

  String admitted(String node) {
    return runs.getOrDefault(node, "");
  }

  List<Registration> registrations() {
    return new ArrayList<>(registrations.values());
  }
}
