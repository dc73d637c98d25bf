package dev.beltway.handover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The leader's machine: from what is stored and what nodes answer it decides what is to be done
 * next, for membership and for a change of topology (rules 1 to 9 and 11). A new leader begins with
 * nothing but what is stored; what an earlier one had begun is done again from the phase's start.
 *
 * <p>Pure: events in, {@link Action}s out. Not thread-safe.
 */
public final class Conductor {

  private static final double MOST_FULL = 0.8;
  private static final int MOST_BREAKS = 3;
  private static final int MOST_TRIES = 3;
  private static final long FIRST_RETRY = 100;
  private static final long LAST_RETRY = 2_000;
  private static final long PROBE_MILLIS = 500;
  private static final long LATE_MILLIS = 3_000;

  /** What is to be done. */
  public sealed interface Action {

    /** Have a task done, and say what came of it. */
    record Run(Task task) implements Action {}

    /** Write to the store, if this is still the leader and the document the one that was read. */
    record Write(Change change) implements Action {}

    /** Something that operators should know. */
    record Report(String text) implements Action {}

    /** Another leader gives the orders. */
    record StepDown(String reason) implements Action {}
  }

  /** What is written. */
  public sealed interface Change {
    /** Another state; it goes to the audit log first. */
    record State(ClusterState next, String event) implements Change {}

    /** A proxy may go on: its login is made. */
    record Admit(String registration) implements Change {}

    /** A proxy is fenced: it is struck off the list. */
    record Strike(String registration) implements Change {}

    /** A node's process is admitted. */
    record Run(String node, String run) implements Change {}
  }

  /**
   * All keys are to be looked at.
   *
   * @param number grows with each request
   * @param repairs whether what is wrong is mended
   */
  public record ScrubRequest(long number, boolean repairs) {}

  private record Failure(int times, long retryAt, String reason) {}

  private final Map<Task, Object> done = new HashMap<>();
  private final Map<Task, Failure> failures = new HashMap<>();
  private final Set<Task> underWay = new HashSet<>();
  private final Map<String, NodeFacts> facts = new TreeMap<>();
  private final Map<String, Long> heardAt = new HashMap<>();
  private final Map<String, Integer> unreachable = new TreeMap<>();
  private final Map<String, String> lastFailures = new HashMap<>();
  private final Map<String, String> addresses = new HashMap<>();
  private final Map<String, Integer> breaks = new HashMap<>();

  /** What would leave each source, as counted before anything moved. */
  private final Map<String, Survey.Result> surveys = new TreeMap<>();

  private final Deviation deviation = new Deviation();
  private @Nullable ScrubRequest scrub;
  private final Set<String> scrubNodes = new TreeSet<>();
  private boolean scrubEnded;
  private final Set<String> blockers = new LinkedHashSet<>();
  private final List<Action> actions = new ArrayList<>();

  /** Tokens that were opened for the phase that is being published. */
  private Map<Task, Object> pendingOpen = new HashMap<>();

  /** Tokens behind which everything is cleared away, so that they may be opened. */
  private final Set<TransferToken> mended = new HashSet<>();

  /** Processes that came while keys moved to them, and that an operator was asked about. */
  private final Set<String> askedAbout = new HashSet<>();

  private @Nullable ClusterView view;
  private long now;
  private long probedAt = Long.MIN_VALUE / 2;
  private long probe;

  /** When something that failed is tried again. */
  private long retryAt = Long.MAX_VALUE;

  /** What was done in another phase doesn't count: tasks carry the stamp of theirs. */
  private long stamp;

  /** When the second leg could not begin last. */
  private long refusedAt = Long.MIN_VALUE / 2;

  private boolean writing;
  private boolean deposed;

  // ---------------------------------------------------------------- events

  /** The store holds this; to be said also after each write, whether it was made or refused. */
  public List<Action> learned(ClusterView next) {
    writing = false;
    ClusterView before = view;
    if (before == null || isOther(before.routing().state(), next.routing().state())) {
      stamp++;
      done.keySet().removeIf(task -> !isAboutNode(task));
      failures.keySet().removeIf(task -> !isAboutNode(task));
      breaks.clear();
      deviation.restart();
      boolean sameLeg =
          before == null // An earlier leader may have counted.
              || before.routing().state().next().equals(next.routing().state().next())
                  && before.routing().state().leg() == next.routing().state().leg();
      if (!sameLeg && next.routing().phase() != Phase.STEADY) {
        surveys.clear();
      }
    }
    forgetMoved(next.routing());
    Set<Registration> registered = new HashSet<>();
    next.registrations().forEach(each -> registered.add(plain(each)));
    done.keySet()
        .removeIf(
            task -> task instanceof Task.Login login && !registered.contains(login.registration()));
    view = next;
    return decide();
  }

  /** What was said about a node at another address says nothing about this one. */
  private void forgetMoved(RoutingState routing) {
    Map<String, String> now = new HashMap<>();
    for (String id : routing.listed()) {
      now.put(id, routing.node(id).flatMap(node -> node.address()).orElse(""));
    }
    for (String id : Set.copyOf(addresses.keySet())) {
      if (!Objects.equals(addresses.get(id), now.get(id))) {
        facts.remove(id);
        unreachable.remove(id);
        failures.keySet().removeIf(task -> task.node().equals(id));
        done.keySet().removeIf(task -> task.node().equals(id));
      }
    }
    addresses.clear();
    addresses.putAll(now);
  }

  private static boolean isOther(ClusterState before, ClusterState after) {
    return before.version() != after.version()
        || before.phase() != after.phase()
        || !before.next().equals(after.next());
  }

  private static boolean isAboutNode(Task task) {
    return task instanceof Task.RaiseTerm
        || task instanceof Task.Login
        || task instanceof Task.Scrub
        || task instanceof Task.Probe;
  }

  /** All keys are looked at as soon as nothing moves; null for nothing to be looked at. */
  public List<Action> scrub(@Nullable ScrubRequest request) {
    scrub = request;
    scrubEnded = false;
    scrubNodes.clear();
    return decide();
  }

  /** Whether all nodes of the request were looked at. */
  public boolean hasScrubbed() {
    return scrubEnded;
  }

  /** What was found so far, by node. */
  public Map<String, Scrub.Result> scrubbed() {
    Map<String, Scrub.Result> found = new TreeMap<>();
    done.forEach(
        (task, result) -> {
          ScrubRequest asked = scrub;
          boolean mine =
              task instanceof Task.Scrub each && asked != null && each.request() == asked.number();
          if (mine && result instanceof Scrub.Result each) {
            found.put(task.node(), each);
          }
        });
    return found;
  }

  /** What an earlier leader has counted. */
  public void recall(Map<String, Survey.Result> earlier) {
    earlier.forEach(surveys::putIfAbsent);
  }

  /** What would leave each source, as counted before anything moved. */
  public Map<String, Survey.Result> surveys() {
    return Map.copyOf(surveys);
  }

  /** How far nodes are from what was planned. */
  public Deviation deviation() {
    return deviation;
  }

  /** Time passes. */
  public List<Action> tick(long millis) {
    now = millis;
    boolean due = now - probedAt >= PROBE_MILLIS || now >= retryAt;
    return due ? decide() : drain();
  }

  /** A task is done. */
  public List<Action> finished(Task task, Object result) {
    underWay.remove(task);
    failures.remove(task);
    if (task instanceof Task.Probe asked && !addresses.containsKey(asked.node())) {
      return decide(); // It has left meanwhile.
    } else if (task instanceof Task.Probe asked) {
      probed(asked.node(), (NodeFacts) result);
    } else {
      done.put(task, result);
      if (result instanceof Walk.Result walk) {
        breaks.remove(task.node());
        walk.replaced()
            .forEach(
                key ->
                    report(
                        "key "
                            + key
                            + " was also at its target, put there by somebody else; the value of "
                            + task.node()
                            + " was kept"));
      } else if (result instanceof Scrub.Result scrubbed) {
        reportScrub(task.node(), scrubbed);
      } else if (result instanceof Survey.Result survey) {
        surveys.put(task.node(), survey);
      } else if (result instanceof Long count && count > 0) {
        report(what(task) + ": " + count + " keys");
      }
    }
    return decide();
  }

  private void reportScrub(String node, Scrub.Result scrubbed) {
    report(
        "scrub of node "
            + node
            + ": "
            + scrubbed.keys()
            + " keys, "
            + scrubbed.duplicates()
            + " twice, "
            + scrubbed.orphans()
            + " out of reach, "
            + scrubbed.repaired()
            + " mended");
  }

  private static String what(Task task) {
    if (task instanceof Task.Purge) {
      return "removed from restarted node " + task.node() + " what it does not own";
    } else if (task instanceof Task.Clear) {
      return "looked for left-overs of keys that are at node " + task.node();
    }
    return "removed from restarted node " + task.node() + " what had moved away";
  }

  /** Whether a node has not answered for some seconds, although nothing says that it is gone. */
  public boolean isLate(String node) {
    return now - heardAt.getOrDefault(node, now) > LATE_MILLIS;
  }

  private void probed(String node, NodeFacts found) {
    heardAt.put(node, now);
    NodeFacts before = facts.put(node, found);
    unreachable.remove(node);
    if (before != null && !before.run().equals(found.run())) {
      report(
          "node "
              + node
              + " has restarted: it had "
              + before.keys()
              + " keys, now "
              + found.keys());
    }
    if (before != null && !before.role().equals(found.role())) {
      report("node " + node + " was a " + before.role() + " and is a " + found.role() + " now");
    }
  }

  /** A task can't be done now. */
  public List<Action> failed(Task task, String reason, boolean deposedThere) {
    underWay.remove(task);
    if (deposedThere) {
      deposed = true;
      actions.add(new Action.StepDown(reason));
      return drain();
    }
    if (task instanceof Task.Probe) {
      unreachable.merge(task.node(), 1, Integer::sum);
      lastFailures.put(task.node(), reason);
      if (unreachable.getOrDefault(task.node(), 0) >= MOST_TRIES) {
        facts.remove(task.node());
      }
      return decide();
    }
    if (task instanceof Task.Move move && reason.startsWith(Walk.BROKEN)) {
      done.remove(new Task.OpenToken(move.node(), move.token()));
      breaks.merge(task.node(), 1, Integer::sum);
      report("transfers from node " + task.node() + " broke off: " + reason);
      return decide();
    }
    ClusterView current = view;
    if (task instanceof Task.Move && reason.startsWith(Walk.DIFFERS) && current != null) {
      ClusterState state = current.routing().state();
      report(reason);
      boolean asked = !state.pause().isEmpty() && !state.isResting();
      if (state.phase() == Phase.MOVING && !asked && !writing) {
        write(
            new Change.State(
                state.withPause(
                    reason
                        + "; look at both, then `beltway migration resume` compares again, or"
                        + " `beltway migration abort` takes the change back"),
                "pause"));
        return drain();
      }
    }
    if (reason.contains(Orders.TERM_LOST) || reason.contains("BELTWAYTERM false")) {
      done.keySet()
          .removeIf(
              raised -> raised instanceof Task.RaiseTerm && raised.node().equals(task.node()));
    }
    Failure before = failures.get(task);
    int times = before == null ? 1 : before.times() + 1;
    long wait = Math.min(LAST_RETRY, FIRST_RETRY << Math.min(times - 1, 10));
    failures.put(task, new Failure(times, now + wait, reason));
    return decide();
  }

  /** What stands in the way of going on, for people. */
  public Set<String> blockers() {
    return Set.copyOf(blockers);
  }

  /** How nodes are, as far as they answer. */
  public Map<String, NodeFacts> facts() {
    return Map.copyOf(facts);
  }

  // ---------------------------------------------------------------- deciding

  private List<Action> drain() {
    List<Action> all = new ArrayList<>(actions);
    actions.clear();
    return all;
  }

  private List<Action> decide() {
    ClusterView current = view;
    if (deposed || current == null) {
      return drain();
    }
    blockers.clear();
    retryAt = Long.MAX_VALUE;
    probeAll(current);
    if (isOldCopy(current)) {
      return drain();
    }
    if (!writing) {
      boolean changed = membership(current);
      if (!changed) {
        RoutingState routing = current.routing();
        switch (routing.phase()) {
          case STEADY -> steady(current, routing);
          case PREPARING -> prepare(current, routing);
          case FENCING -> fence(current, routing);
          case MOVING -> move(current, routing);
          case REVERSING -> reverse(current, routing);
        }
      }
    }
    return drain();
  }

  private void probeAll(ClusterView current) {
    if (now - probedAt < PROBE_MILLIS) {
      return;
    }
    probedAt = now;
    probe++;
    for (String node : current.routing().listed()) {
      if (underWay.stream()
          .noneMatch(task -> task instanceof Task.Probe && task.node().equals(node))) {
        Task task = new Task.Probe(node, probe);
        underWay.add(task);
        actions.add(new Action.Run(task));
      }
    }
  }

  /** Whether somebody has acknowledged more than is stored: then the store has lost something. */
  private boolean isOldCopy(ClusterView current) {
    boolean old = false;
    for (Registration registration : current.registrations()) {
      if (registration.acknowledged() > current.routing().version()) {
        old = true;
        blockers.add(
            "ALARM: proxy "
                + registration.name()
                + " has acknowledged version "
                + registration.acknowledged()
                + ", but the store says "
                + current.routing().version()
                + ": it is an old copy. Nothing is done; bring the right one back");
      }
    }
    return old;
  }

  /** Whether a task is done; if not it is asked for, and noted as what is waited for. */
  private boolean need(Task task) {
    if (done.containsKey(task)) {
      return true;
    }
    Failure failure = failures.get(task);
    if (failure != null) {
      blockers.add(failure.reason());
      retryAt = failure.retryAt() > now ? Math.min(retryAt, failure.retryAt()) : retryAt;
    }
    if (!underWay.contains(task) && (failure == null || failure.retryAt() <= now)) {
      underWay.add(task);
      actions.add(new Action.Run(task));
    }
    return false;
  }

  private void write(Change change) {
    writing = true;
    actions.add(new Action.Write(change));
  }

  private void report(String text) {
    actions.add(new Action.Report(text));
  }

  // ---------------------------------------------------------------- membership

  /** Logins of proxies, and nodes that are another process; whether something is written. */
  private boolean membership(ClusterView current) {
    for (String node : current.routing().nodes()) {
      NodeFacts found = facts.get(node);
      if (found == null) {
        blockers.add("node " + node + " does not answer");
      } else if (!current.routing().isElsewhere(node) && admitNode(current, node, found)) {
        return true;
      }
    }
    for (Registration registration : current.registrations()) {
      if (isStruck(current, registration)) {
        if (strike(current, registration)) {
          return true;
        }
      } else if (!registration.admitted() && hasLogins(current, registration)) {
        write(new Change.Admit(registration.id()));
        return true;
      }
    }
    return false;
  }

  /** A later start of the same name fences the earlier one (rule 3). */
  private static boolean isStruck(ClusterView current, Registration registration) {
    return registration.struck()
        || current.registrations().stream()
            .anyMatch(
                other ->
                    other.name().equals(registration.name())
                        && other.id().compareTo(registration.id()) > 0);
  }

  private boolean strike(ClusterView current, Registration registration) {
    boolean making =
        underWay.stream()
            .anyMatch(
                task ->
                    task instanceof Task.Login login
                        && login.registration().id().equals(registration.id()));
    if (making) {
      return false; // It could be made after it was removed.
    }
    boolean everywhere = true;
    for (String node : current.routing().nodes()) {
      NodeFacts found = facts.get(node);
      boolean raised = found != null && done.containsKey(new Task.RaiseTerm(node, found.run()));
      if (!raised || !need(new Task.Logout(node, registration.user()))) {
        everywhere = false;
        blockers.add("proxy " + registration.name() + " is not fenced yet at node " + node);
      }
    }
    if (everywhere) {
      write(new Change.Strike(registration.id()));
      report("proxy " + registration.name() + " (" + registration.id() + ") is fenced");
    }
    return everywhere;
  }

  private boolean isReady(ClusterView current, String node) {
    NodeFacts found = facts.get(node);
    return found != null
        && found.run().equals(current.runs().get(node))
        && done.containsKey(new Task.RaiseTerm(node, found.run()));
  }

  private boolean hasLogins(ClusterView current, Registration registration) {
    int made = 0;
    for (String node : current.routing().nodes()) {
      NodeFacts found = facts.get(node);
      if (found == null) {
        continue; // Whoever is away gets it when it is back.
      }
      if (!isReady(current, node)
          || !done.containsKey(new Task.Login(node, found.run(), plain(registration)))) {
        return false;
      }
      made++;
    }
    return made > 0;
  }

  /** The registration without what changes. */
  private static Registration plain(Registration registration) {
    return new Registration(
        registration.id(), registration.name(), registration.passwordHash(), false, false, 0);
  }

  private boolean logins(ClusterView current, String node, String run) {
    boolean all = true;
    for (Registration registration : current.registrations()) {
      if (!isStruck(current, registration)) {
        all &= need(new Task.Login(node, run, plain(registration)));
      }
    }
    return all;
  }

  /** A node gets its logins; if it is a new process, after what rule 11 asks for. */
  private boolean admitNode(ClusterView current, String node, NodeFacts found) {
    String run = found.run();
    if (!need(new Task.RaiseTerm(node, run))) {
      return false;
    }
    ClusterState state = current.routing().state();
    boolean admitted = run.equals(current.runs().get(node));
    if (state.phase() == Phase.MOVING) {
      boolean target = current.routing().flows().receivers().contains(node);
      boolean known = current.runs().containsKey(node);
      boolean asks = !admitted && known && target && !found.durable();
      if (asks && askedAbout.add(run)) { // Once; whoever resumes has agreed.
        write(
            new Change.State(
                state.withPause(
                    "node "
                        + node
                        + " restarted while keys were moving to it, and does not write each"
                        + " command to disk: what it lost can't be known. `beltway resume` goes"
                        + " on with what is there"),
                "pause"));
        return true;
      }
      // A token is for one process, also if that ended before the token was published.
      TransferToken token = state.tokens().get(node);
      if (token != null && !token.run().equals(run)) {
        if (!dropTransfersOf(current, node) || !need(new Task.DropArrived(node, run))) {
          return false;
        }
        TransferToken next = token.next(run);
        mended.add(next); // What was on both is gone: nothing is left to clear.
        write(new Change.State(state.withToken(node, next), "restart of " + node));
        return true;
      }
    }
    if (admitted) {
      logins(current, node, run);
      return false;
    }
    if (current.runs().containsKey(node)) {
      boolean owns =
          current.routing().from().owners().stream().anyMatch(owner -> owner.id().equals(node));
      // A server that only joins now may have data of somebody else: the search will find it.
      if (owns && !need(new Task.Purge(node, run))) {
        return false;
      }
    }
    if (!logins(current, node, run)) {
      return false;
    }
    write(new Change.Run(node, run));
    return true;
  }

  private boolean dropTransfersOf(ClusterView current, String source) {
    boolean all = true;
    for (String target : current.routing().flows().of(source)) {
      all &= need(new Task.DropTransfers(target, source, stamp));
    }
    return all;
  }

  // ---------------------------------------------------------------- the phases

  /** Whether everybody has acknowledged this version, or is fenced (rules 4 and 8). */
  private boolean isAcknowledged(ClusterView current) {
    boolean all = true;
    for (Registration registration : current.registrations()) {
      if (registration.acknowledged() != current.routing().version()) {
        all = false;
        blockers.add(
            "proxy "
                + registration.name()
                + " has not acknowledged version "
                + current.routing().version());
      }
    }
    return all;
  }

  private boolean allReady(ClusterView current, Set<String> nodes) {
    boolean all = true;
    for (String node : nodes) {
      if (!isReady(current, node)) {
        all = false;
        blockers.add("node " + node + " is not ready");
      }
    }
    return all;
  }

  /** Refuses the change that is being prepared: everything stays as it was. */
  private void refuse(ClusterView current, String reason) {
    ClusterState state = current.routing().state();
    if (state.isOnTheWay()) { // There is no way back that needs nothing: it is tried again.
      blockers.add(reason);
      if (now >= refusedAt + LAST_RETRY) {
        refusedAt = now;
        done.keySet().removeIf(task -> !isAboutNode(task));
      }
      retryAt = Math.min(retryAt, refusedAt + LAST_RETRY);
      return;
    }
    write(new Change.State(state.notPrepared(), "refused: " + reason));
    report("the change is refused: " + reason);
  }

  /** Nothing moves: a look at all keys, or the next step of a change in steps. */
  private void steady(ClusterView current, RoutingState routing) {
    if (scrubs(routing)) {
      return;
    }
    ClusterState state = routing.state();
    deviation.observe(now, facts, current.shares());
    deviation.alarms().forEach(this::report);
    Gradual gradual = state.gradual().orElse(null);
    if (gradual == null) {
      return;
    }
    if (state.pause().isEmpty() && isAcknowledged(current) && isFit(gradual, state)) {
      write(
          gradual.epochs().isEmpty()
              ? new Change.State(state.withGradual(Optional.empty()), "all steps are made")
              : new Change.State(
                  state.preparing(
                      gradual.epochs().get(0),
                      Way.of(gradual.circular(), 0),
                      gradual.change(),
                      Optional.of(gradual.rest())),
                  "step"));
    }
  }

  /** Whether what is measured allows the next step; goes back if it is too far off. */
  private boolean isFit(Gradual gradual, ClusterState state) {
    if (!gradual.checked()) {
      return true;
    }
    if (!deviation.isKnown()) {
      blockers.add(
          "the next step waits until this one is measured: "
              + deviation.missing()
              + "; `beltway migration resume` goes on without");
      return false;
    }
    String reason = deviation.tooFar();
    if (!reason.isEmpty()) {
      report(reason + ": the change in steps goes back");
      dev.beltway.handover.Change back =
          new dev.beltway.handover.Change(
              "go back, " + reason,
              "beltway",
              gradual.change().what(),
              true,
              gradual.change().options());
      write(
          new Change.State(
              state.preparing(
                  gradual.origin(), Way.of(gradual.circular(), 0), back, Optional.empty()),
              "goes back"));
      return false;
    }
    return true;
  }

  /** Whether all keys are being looked at. */
  private boolean scrubs(RoutingState routing) {
    ScrubRequest asked = scrub;
    if (asked == null || scrubEnded) {
      return false;
    }
    if (scrubNodes.isEmpty()) {
      scrubNodes.addAll(routing.listed());
    }
    for (String node : scrubNodes) {
      Task.Scrub task = new Task.Scrub(node, asked.number(), asked.repairs());
      NodeFacts found = facts.get(node);
      boolean answers = found != null || unreachable.getOrDefault(node, 0) < MOST_TRIES;
      if (!done.containsKey(task)) {
        if (!routing.listed().contains(node) || !answers) {
          done.put(task, Scrub.Result.failed("it does not answer"));
        } else if (found == null || !done.containsKey(new Task.RaiseTerm(node, found.run()))) {
          blockers.add("node " + node + " can't be scrubbed yet: it is not ready");
          return true;
        } else if (!isScrubbed(task)) {
          return true; // One after the other, to spare the nodes.
        }
      }
    }
    scrubEnded = true;
    return false;
  }

  /** Whether a node was looked through; what fails again and again is told, and left. */
  private boolean isScrubbed(Task.Scrub task) {
    if (need(task)) {
      return true;
    }
    Failure failure = failures.get(task);
    if (failure == null || failure.times() < MOST_TRIES) {
      return false;
    }
    done.put(task, Scrub.Result.failed(failure.reason()));
    failures.remove(task);
    return true;
  }

  private void prepare(ClusterView current, RoutingState routing) {
    Set<String> nodes = routing.flows().all();
    if (underWay.stream().anyMatch(task -> task instanceof Task.Scrub)) {
      blockers.add("a scrub looks at keys, which must not move meanwhile");
      return;
    }
    if (!routing.state().pause().isEmpty()) {
      return;
    }
    for (String node : nodes) {
      if (unreachable.getOrDefault(node, 0) >= MOST_TRIES) {
        refuse(
            current,
            "node "
                + node
                + " does not answer ("
                + lastFailures.getOrDefault(node, "")
                + "); start it, or name another address");
        return;
      }
      NodeFacts found = facts.get(node);
      Failure failure = found == null ? null : failures.get(new Task.RaiseTerm(node, found.run()));
      if (failure != null && failure.times() >= MOST_TRIES) {
        refuse(current, failure.reason());
        return;
      }
    }
    if (!areServersRight(current, routing, nodes)) {
      return;
    }
    boolean acknowledged = isAcknowledged(current);
    if (!allReady(current, nodes) || !acknowledged) {
      return;
    }
    if (nodes.isEmpty()) { // Nothing moves: an address, a zone, a weight that changes no share.
      write(
          new Change.State(
              routing.state().steady(routing.state().next().orElseThrow()), "nothing moves"));
      return;
    }
    if (!preflight(current, routing, nodes)) {
      return;
    }
    // Close, then delete, then search: in this order nothing can arrive behind the search (rule 6).
    if (!closeAll(nodes) || !dropAll(current, nodes)) {
      return;
    }
    Map<String, String> searched = search(current, routing, nodes);
    if (searched != null) {
      write(new Change.State(routing.state().fencing(searched), "fencing"));
    }
  }

  /** Whether each node is a server of its own, new ones are empty, and moved ones the same. */
  private boolean areServersRight(ClusterView current, RoutingState routing, Set<String> nodes) {
    Map<String, String> byRun = new HashMap<>();
    for (String node : routing.listed()) {
      NodeFacts found = facts.get(node);
      if (routing.isElsewhere(node)) {
        boolean forced = isForced(routing);
        if (unreachable.getOrDefault(node, 0) >= MOST_TRIES) {
          refuse(
              current,
              "node "
                  + node
                  + " does not answer at its new address ("
                  + lastFailures.getOrDefault(node, "")
                  + ")");
          return false;
        } else if (found == null) {
          blockers.add("node " + node + " has not answered at its new address yet");
          return false;
        } else if (!forced && !found.run().equals(current.runs().get(node))) {
          refuse(
              current,
              "what is at the new address of node "
                  + node
                  + " is another process than before; if its data was taken there, say so with"
                  + " --force");
          return false;
        }
      }
      if (found == null) {
        continue;
      }
      String other = byRun.put(found.run(), node);
      if (other != null) {
        refuse(current, "nodes " + other + " and " + node + " are the same server");
        return false;
      }
      boolean joins =
          nodes.contains(node)
              && routing.from().owners().stream().noneMatch(owner -> owner.id().equals(node));
      if (joins && !routing.state().isOnTheWay() && found.keys() > 0) {
        refuse(
            current,
            "node "
                + node
                + " has "
                + found.keys()
                + " keys already; a server that joins must be empty");
        return false;
      }
      Failure stuck = joins ? worst(node) : null;
      if (stuck != null && stuck.times() >= 2 * MOST_TRIES) {
        refuse(current, stuck.reason());
        return false;
      }
    }
    return true;
  }

  /** What has failed most often at a node. */
  private @Nullable Failure worst(String node) {
    Failure worst = null;
    for (Map.Entry<Task, Failure> entry : failures.entrySet()) {
      boolean more = worst == null || entry.getValue().times() > worst.times();
      if (entry.getKey().node().equals(node) && more) {
        worst = entry.getValue();
      }
    }
    return worst;
  }

  private boolean preflight(ClusterView current, RoutingState routing, Set<String> nodes) {
    List<Task> checks = new ArrayList<>();
    boolean forced = isForced(routing);
    nodes.forEach(node -> checks.add(new Task.Preflight(node, forced, stamp)));
    boolean all = true;
    for (Task check : checks) {
      all &= passes(current, check, "node " + check.node() + ": ");
    }
    if (!all || writing) {
      return false;
    }
    for (String source : routing.flows().sources()) {
      for (String target : routing.flows().of(source)) {
        all &=
            passes(
                current,
                new Task.TryOut(source, target, stamp),
                "keys can't go from node " + source + " to node " + target + ": ");
      }
    }
    if (!all || writing) {
      return false;
    }
    for (String source : routing.flows().sources()) {
      all &= need(new Task.Survey(source, stamp));
    }
    return all && (forced || routing.state().isOnTheWay() || isRoomFor(current, routing));
  }

  private static boolean isForced(RoutingState routing) {
    return routing.state().change().map(dev.beltway.handover.Change::forced).orElse(false);
  }

  /** Whether what would come fits into each target, and stays there. */
  private boolean isRoomFor(ClusterView current, RoutingState routing) {
    Map<String, Long> coming = new TreeMap<>();
    Map<String, Boolean> evictsAtSource = new TreeMap<>();
    for (String source : routing.flows().sources()) {
      Object counted = done.get(new Task.Survey(source, stamp));
      NodeFacts from = facts.get(source);
      if (counted instanceof Survey.Result survey) {
        survey
            .bytes()
            .forEach(
                (target, bytes) -> {
                  coming.merge(target, bytes, Long::sum);
                  evictsAtSource.merge(
                      target, from != null && from.load().evicts(), Boolean::logicalAnd);
                });
      }
    }
    for (Map.Entry<String, Long> each : coming.entrySet()) {
      NodeFacts found = facts.get(each.getKey());
      NodeFacts.Load load = found == null ? NodeFacts.Load.UNKNOWN : found.load();
      long after = load.memory() + each.getValue();
      if (load.maxMemory() > 0 && after > load.maxMemory() * MOST_FULL) {
        refuse(
            current,
            "node "
                + each.getKey()
                + " would have "
                + after
                + " bytes in memory, more than 80 % of its maxmemory "
                + load.maxMemory()
                + "; raise that, give it less weight, or go on with --force");
        return false;
      }
      if (load.evicts() && !Boolean.TRUE.equals(evictsAtSource.get(each.getKey()))) {
        refuse(
            current,
            "node "
                + each.getKey()
                + " throws keys away when it is full (maxmemory-policy "
                + load.policy()
                + "), and not all nodes that give keys to it do; set noeviction there, or go on"
                + " with --force");
        return false;
      }
    }
    return true;
  }

  private boolean passes(ClusterView current, Task check, String prefix) {
    if (need(check)) {
      String refusal = String.valueOf(done.get(check));
      if (!refusal.isEmpty() && !writing) {
        refuse(current, prefix + refusal);
      }
      return refusal.isEmpty();
    }
    Failure failure = failures.get(check);
    if (failure != null && failure.times() >= MOST_TRIES && !writing) {
      refuse(current, prefix + failure.reason());
    }
    return false;
  }

  private boolean closeAll(Set<String> nodes) {
    for (Task task : underWay) {
      if (task instanceof Task.OpenToken) { // It could open behind our back what is closed here.
        blockers.add("a token at node " + task.node() + " is still being opened");
        return false;
      }
    }
    boolean all = true;
    for (String node : nodes) {
      all &= need(new Task.CloseToken(node, stamp));
    }
    return all;
  }

  private boolean dropAll(ClusterView current, Set<String> nodes) {
    boolean all = true;
    for (String node : nodes) {
      Set<Task> earlier = new HashSet<>(done.keySet());
      boolean dropped =
          earlier.stream()
              .anyMatch(
                  task ->
                      task instanceof Task.DropUsers drop
                          && drop.node().equals(node)
                          && drop.stamp() == stamp);
      all &= dropped || need(dropUsers(current, node));
    }
    return all;
  }

  private Task dropUsers(ClusterView current, String node) {
    for (Task task : underWay) {
      if (task instanceof Task.DropUsers drop
          && drop.node().equals(node)
          && drop.stamp() == stamp) {
        return task;
      }
    }
    Set<String> keep = new TreeSet<>();
    current.registrations().forEach(registration -> keep.add(registration.user()));
    return new Task.DropUsers(node, keep, stamp);
  }

  /** The run ids of all that take part, once no target has a moving key; null before. */
  private @Nullable Map<String, String> search(
      ClusterView current, RoutingState routing, Set<String> nodes) {
    Map<String, String> searched = new TreeMap<>();
    boolean all = true;
    for (String node : nodes) {
      NodeFacts found = facts.get(node);
      if (found == null) {
        return null;
      }
      searched.put(node, found.run());
      if (routing.flows().receivers().contains(node)) {
        Task task = new Task.Search(node, found.run(), stamp);
        if (!need(task)) {
          all = false;
        } else if (!"".equals(done.get(task))) {
          refuseStray(current, node, String.valueOf(done.get(task)));
          return null;
        }
      }
    }
    return all ? searched : null;
  }

  private void refuseStray(ClusterView current, String node, String key) {
    if (current.routing().phase() == Phase.PREPARING) {
      refuse(
          current,
          "node "
              + node
              + " has key "
              + key
              + " already, which it does not own; `beltway scrub` shows what does not belong there,"
              + " and --repair mends it");
    } else if (!writing) {
      blockers.add("node " + node + " has key " + key + ", which it does not own; take it away");
      if (now >= refusedAt + LAST_RETRY) {
        refusedAt = now;
        done.keySet().removeIf(task -> task instanceof Task.Search && task.node().equals(node));
      }
      retryAt = Math.min(retryAt, refusedAt + LAST_RETRY);
    }
  }

  private void fence(ClusterView current, RoutingState routing) {
    Set<String> nodes = routing.flows().all();
    if (!isAcknowledged(current) || !allReady(current, nodes)) {
      return;
    }
    // After the barrier: the processes are those that were searched, or are searched again.
    boolean asked = true;
    for (String node : nodes) {
      asked &= need(new Task.AskRun(node, stamp));
    }
    if (!asked) {
      return;
    }
    Map<String, String> runs = new TreeMap<>();
    for (String node : nodes) {
      runs.put(node, String.valueOf(done.get(new Task.AskRun(node, stamp))));
    }
    for (String node : nodes) {
      if (!isRun(node, Objects.requireNonNull(runs.get(node)))) {
        forgetRuns(); // Asked for too early; the node's admission comes first.
        return;
      }
    }
    if (!runs.equals(routing.state().runs())) {
      Map<String, String> searched = search(current, routing, nodes);
      if (searched != null && !writing) {
        forgetRuns();
        write(new Change.State(routing.state().withRuns(searched), "searched again"));
      }
      return;
    }
    open(routing, runs);
  }

  private boolean isRun(String node, String run) {
    NodeFacts found = facts.get(node);
    return found != null && found.run().equals(run);
  }

  private void forgetRuns() {
    done.keySet().removeIf(task -> task instanceof Task.AskRun);
  }

  private void open(RoutingState routing, Map<String, String> runs) {
    for (Task task : underWay) {
      if (isLongLived(task)) { // What it removes may be alive by the time it gets there.
        blockers.add("work of an earlier phase at node " + task.node() + " has not ended yet");
        return;
      }
    }
    Map<String, TransferToken> tokens = new TreeMap<>();
    boolean all = true;
    for (String source : routing.flows().sources()) {
      TransferToken token =
          new TransferToken(routing.version() + 1, 0, Objects.requireNonNull(runs.get(source)));
      tokens.put(source, token);
      all &= need(new Task.OpenToken(source, token));
    }
    if (all) {
      Map<Task, Object> opened = new HashMap<>();
      tokens.forEach((source, token) -> opened.put(new Task.OpenToken(source, token), ""));
      write(new Change.State(routing.state().moving(tokens), "moving"));
      done.keySet().removeIf(task -> task instanceof Task.OpenToken);
      pendingOpen = opened;
    }
  }

  private static boolean isLongLived(Task task) {
    return task instanceof Task.Clear
        || task instanceof Task.Purge
        || task instanceof Task.DropArrived
        || task instanceof Task.Scrub
        || task instanceof Task.Move;
  }

  private void move(ClusterView current, RoutingState routing) {
    ClusterState state = routing.state();
    if (!state.pause().isEmpty() && !state.isResting()) {
      return;
    }
    boolean all = true;
    for (String source : routing.flows().sources()) {
      TransferToken token = state.tokens().get(source);
      if (token == null) {
        throw new IllegalStateException("no token of source " + source);
      }
      Task opening = new Task.OpenToken(source, token);
      Object opened = pendingOpen.remove(opening);
      if (opened != null) {
        done.put(opening, opened);
      }
      if (!isReady(current, source) || !allReady(current, routing.flows().of(source))) {
        blockers.add("node " + source + " or a target of it is not ready");
        all = false;
        continue;
      }
      if (!done.containsKey(opening) && !mend(routing, source, token)) {
        if (writing) {
          return;
        }
        all = false;
        continue;
      }
      all &= need(new Task.Move(source, token));
    }
    if (!all || !state.pause().isEmpty()) {
      return;
    }
    boolean asked = true;
    for (String source : routing.flows().sources()) {
      asked &= need(new Task.AskRun(source, stamp));
    }
    if (!asked) {
      return;
    }
    for (String source : routing.flows().sources()) {
      TransferToken token = Objects.requireNonNull(state.tokens().get(source));
      Walk.Result walk = (Walk.Result) done.get(new Task.Move(source, token));
      String run = String.valueOf(done.get(new Task.AskRun(source, stamp)));
      if (walk == null || !walk.run().equals(run)) {
        forgetRuns(); // It has restarted since: its admission makes another token.
        return;
      }
    }
    write(
        state.isLastLeg()
            ? new Change.State(state.steady(state.next().orElseThrow()), "done")
            : new Change.State(
                state.nextLeg(), state.isVerified() ? "the canary is verified" : "halfway"));
  }

  /** Whether the token is good; mends it step by step (rule 5). */
  private boolean mend(RoutingState routing, String source, TransferToken token) {
    if (breaks.getOrDefault(source, 0) >= MOST_BREAKS) {
      breaks.remove(source); // It is counted anew when an operator has looked at it.
      write(
          new Change.State(
              routing
                  .state()
                  .withPause(
                      "transfers from node "
                          + source
                          + " broke off "
                          + MOST_BREAKS
                          + " times one after the other; `beltway resume` tries again"),
              "pause"));
      return false;
    }
    if (mended.contains(token)) {
      return need(new Task.OpenToken(source, token));
    }
    boolean dropped = true;
    long mending = token.generation() + (stamp << 20);
    for (String target : routing.flows().of(source)) {
      dropped &= need(new Task.DropTransfers(target, source, mending));
    }
    if (!dropped || !need(new Task.Clear(source, token.run(), mending))) {
      return false;
    }
    NodeFacts found = Objects.requireNonNull(facts.get(source));
    TransferToken next = token.next(found.run());
    mended.add(next);
    write(
        new Change.State(routing.state().withToken(source, next), "mended transfers of " + source));
    return false;
  }

  private void reverse(ClusterView current, RoutingState routing) {
    Set<String> nodes = routing.flows().all();
    if (!allReady(current, nodes)) {
      isAcknowledged(current); // Says for whom else it waits.
      return;
    }
    if (!closeAll(nodes) || !dropAll(current, nodes)) {
      return;
    }
    boolean cleared = true;
    for (String node : routing.flows().receivers()) {
      String run = Objects.requireNonNull(facts.get(node)).run();
      boolean same = run.equals(routing.state().runs().getOrDefault(node, run));
      // A process that came later may have got back from an old file what had moved away.
      cleared &= need(same ? new Task.Clear(node, run, stamp) : new Task.DropArrived(node, run));
    }
    if (!cleared || !isAcknowledged(current)) {
      return;
    }
    boolean asked = true;
    for (String node : nodes) {
      asked &= need(new Task.AskRun(node, stamp));
    }
    if (!asked) {
      return;
    }
    Map<String, String> runs = new TreeMap<>();
    for (String node : nodes) {
      String run = String.valueOf(done.get(new Task.AskRun(node, stamp)));
      if (!isRun(node, run)) {
        forgetRuns();
        return;
      }
      runs.put(node, run);
    }
    open(routing, runs);
  }
}
