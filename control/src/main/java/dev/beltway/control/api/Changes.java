package dev.beltway.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.LoadReport;
import dev.beltway.config.ConfigFileException;
import dev.beltway.config.TopologyFiles;
import dev.beltway.config.TopologyText;
import dev.beltway.control.store.AuditEntry;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.ClusterStore.Read;
import dev.beltway.control.store.Codec;
import dev.beltway.handover.Change;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Conductor;
import dev.beltway.handover.Flows;
import dev.beltway.handover.Gradual;
import dev.beltway.handover.MoveOptions;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Way;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.plan.Difference;
import dev.beltway.plan.Flow;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Changes of topology as people ask for them. Each is written by compare-and-set on what was read;
 * what follows is the leader's.
 */
final class Changes {

  private static final int TRIES = 5;

  /** How many keys of a node are looked through in a second, about. */
  private static final double WALKED_PER_SECOND = 100_000;

  private final ClusterStore store;

  Changes(ClusterStore store) {
    this.store = store;
  }

  /** How a topology becomes another one. */
  interface Edit {
    Topology apply(Topology now) throws Problem, IOException;
  }

  /**
   * Who asks, why, and how keys are to move.
   *
   * @param canary share of the moving keys that goes first; 0 for none
   * @param step by which share weights change at once; 0 for the whole
   * @param checked whether each step waits until the one before is measured
   */
  record Asked(
      String who,
      String why,
      boolean dryRun,
      long epoch,
      boolean force,
      MoveOptions options,
      double canary,
      double step,
      boolean checked) {

    /** The same as a dry run. */
    Asked onPaper() {
      return new Asked(who, why, true, epoch, force, options, canary, step, checked);
    }

    Change change(String what) {
      return new Change(shortened(what), who, why, force, options);
    }
  }

  Read read() throws Problem, IOException {
    Optional<Read> read = store.state();
    if (read.isEmpty()) {
      throw Problem.conflict("there is no topology yet", "store one: beltway apply pool.yaml");
    }
    return read.get();
  }

  /** Stores the first topology, or changes to this one. */
  ObjectNode apply(Topology wanted, Asked asked) throws Problem, IOException {
    requireAddresses(wanted);
    if (store.state().isEmpty()) {
      if (!asked.dryRun()) {
        boolean made =
            store.create(
                wanted,
                new AuditEntry(
                    Instant.now(),
                    asked.who(),
                    "first topology",
                    asked.why(),
                    1,
                    Phase.STEADY.name(),
                    Math.max(1, wanted.epoch()),
                    wanted.fingerprint().hex(),
                    0,
                    ""));
        if (!made) {
          throw Problem.conflict("somebody else was faster", "look at it, and try again");
        }
      }
      return Codec.object()
          .put("epoch", Math.max(1, wanted.epoch()))
          .put("dryRun", asked.dryRun())
          .put("first", true);
    }
    return change("apply a topology", asked, now -> wanted);
  }

  private static void requireAddresses(Topology topology) throws Problem {
    Map<String, String> seen = new HashMap<>();
    for (Node node : topology.nodes()) {
      if (node.address().isEmpty()) {
        throw Problem.bad("node " + node.id() + " has no address", "state host:port");
      }
      String other = seen.put(node.address().get(), node.id());
      if (other != null) {
        throw Problem.bad(
            "nodes "
                + other
                + " and "
                + node.id()
                + " have the same address "
                + node.address().get(),
            "one server is one node");
      }
    }
    if (topology.nodes().stream().allMatch(Node::isDrained)) {
      throw Problem.bad("no node would own anything", "leave at least one with a weight");
    }
  }

  /**
   * Refuses if a change could not begin now.
   *
   * @throws Problem with what stands in the way
   */
  void requireIdle(Asked asked) throws Problem, IOException {
    requireIdle(read().routing().state(), asked);
  }

  private static void requireIdle(ClusterState state, Asked asked) throws Problem {
    if ((state.phase() != Phase.STEADY || state.gradual().isPresent()) && !asked.dryRun()) {
      throw busy(state);
    }
    if (asked.epoch() > 0 && asked.epoch() != state.epoch()) {
      throw Problem.conflict(
          "the epoch is " + state.epoch() + ", not " + asked.epoch(),
          "look at what has changed, and ask again");
    }
  }

  /** Changes the topology; with a dry run only says what it would do. */
  ObjectNode change(String what, Asked asked, Edit edit) throws Problem, IOException {
    return change(what, asked, edit, false);
  }

  /**
   * Changes the topology; with a dry run only says what it would do.
   *
   * @param ranges whether a dry run also says who would own what
   */
  ObjectNode change(String what, Asked asked, Edit edit, boolean ranges)
      throws Problem, IOException {
    for (int i = 0; i < TRIES; i++) {
      Read read = read();
      ClusterState state = read.routing().state();
      requireIdle(state, asked);
      Topology now = read.routing().from().topology();
      Topology next;
      try {
        Topology edited = edit.apply(now);
        long epoch = last(state.epoch()) + 1;
        next = new Topology(epoch, edited.rule(), edited.nodes());
      } catch (IllegalArgumentException e) {
        throw Problem.bad(String.valueOf(e.getMessage()), "ask for something that it allows");
      }
      requireAddresses(next);
      requireSameServers(now, next);
      List<Topology> steps = asked.step() == 0 ? List.of(next) : steps(now, next, asked.step());
      next = steps.get(steps.size() - 1);
      ObjectNode summary = summary(read.routing().from(), Placements.of(next));
      summary.put("fromEpoch", state.epoch());
      estimate(summary, asked.options());
      summary.put("what", what).put("dryRun", asked.dryRun()).put("steps", steps.size());
      if (asked.dryRun()) {
        if (ranges) {
          summary.set("ranges", Ranges.of(Placements.of(next)));
        }
        return summary;
      }
      if (next.nodes().equals(now.nodes()) && next.rule().equals(now.rule())) {
        throw Problem.conflict("this changes nothing", "the topology is like that already");
      }
      if (store.put(
          read.revision(),
          first(read, steps, asked, what, summary),
          withOrigin(steps, now),
          entry(asked, "asked for: " + what, state, read.routing(), next),
          -1)) {
        return summary;
      }
    }
    throw Problem.conflict("the state changes too fast", "try again");
  }

  /** How many keys that is, and how long it takes where a rate is wanted. */
  private void estimate(ObjectNode summary, MoveOptions options) throws IOException {
    String text = store.status();
    if (text.isEmpty()) {
      return;
    }
    long keys = 0;
    long most = 0;
    for (JsonNode node : Codec.read(Codec.bytes(text)).path("nodes")) {
      keys += node.path("keys").asLong();
      most = Math.max(most, node.path("keys").asLong());
    }
    long moving = Math.round(keys * summary.path("moved").asDouble());
    summary.put("keys", moving);
    if (options.keysPerSecond() > 0) {
      // All keys are looked through before anything moves, and once more at the end.
      double walks = 2.0 * most / WALKED_PER_SECOND;
      summary.put("seconds", (double) moving / options.keysPerSecond() + walks);
    }
  }

  /** The state in which the change, or its first step, is prepared. */
  private static ClusterState first(
      Read read, List<Topology> steps, Asked asked, String what, ObjectNode summary) {
    Placement from = read.routing().from();
    boolean circular = false;
    boolean firstCircular = false;
    Placement before = from;
    for (Topology step : steps) {
      Placement after = Placements.of(step);
      circular |= Flows.between(before, after).isCircular();
      circular |= steps.size() > 1 && Flows.between(after, from).isCircular();
      if (before == from) {
        firstCircular = Flows.between(from, after).isCircular();
      }
      before = after;
    }
    Change change = asked.change(what);
    Optional<Gradual> following = Optional.empty();
    if (steps.size() > 1) {
      List<Long> epochs = new ArrayList<>();
      steps.subList(1, steps.size()).forEach(step -> epochs.add(step.epoch()));
      long origin = steps.get(steps.size() - 1).epoch() + 1;
      following = Optional.of(new Gradual(origin, epochs, circular, asked.checked(), change));
    }
    Way way = Way.of(firstCircular, asked.canary());
    summary.put("legs", way.legs());
    return read.routing().state().preparing(steps.get(0).epoch(), way, change, following);
  }

  /** What is to be stored: the steps, and behind them what they return to if they have to. */
  private static List<Topology> withOrigin(List<Topology> steps, Topology now) {
    if (steps.size() == 1) {
      return steps;
    }
    List<Topology> all = new ArrayList<>(steps);
    long epoch = steps.get(steps.size() - 1).epoch() + 1;
    all.add(new Topology(epoch, now.rule(), now.nodes()));
    return all;
  }

  /** Weights go from one topology to the other bit by bit; the last step is the other one. */
  private static List<Topology> steps(Topology now, Topology next, double share) throws Problem {
    if (!now.rule().equals(next.rule())) {
      throw Problem.bad(
          "a change of the placement itself can't be made in steps", "leave out the step");
    }
    int count = (int) Math.ceil(1 / share - 1e-9);
    if (count < 2 || count > Gradual.MOST_STEPS) {
      throw Problem.bad("step " + share + " makes " + count + " steps", "a share from 0.01 to 0.5");
    }
    List<Topology> steps = new ArrayList<>();
    try {
      for (int i = 1; i <= count; i++) {
        steps.add(step(now, next, next.epoch() + i - 1, (double) i / count));
      }
    } catch (IllegalArgumentException e) {
      throw Problem.bad(String.valueOf(e.getMessage()), "leave out the step");
    }
    return steps;
  }

  private static Topology step(Topology now, Topology next, long epoch, double done) {
    if (done == 1) {
      return new Topology(epoch, next.rule(), next.nodes());
    }
    List<Node> nodes = new ArrayList<>();
    for (Node node : next.nodes()) {
      double before = now.node(node.id()).map(each -> each.weight().value()).orElse(0.0);
      nodes.add(node.withWeight(before + (node.weight().value() - before) * done));
    }
    for (Node node : now.nodes()) {
      if (next.node(node.id()).isEmpty()) {
        nodes.add(node.withWeight(node.weight().value() * (1 - done)));
      }
    }
    return new Topology(epoch, next.rule(), nodes);
  }

  /** A node that is elsewhere, and keys that move, are two changes. */
  private static void requireSameServers(Topology now, Topology next) throws Problem {
    boolean same = now.fingerprint().equals(next.fingerprint());
    for (Node node : next.nodes()) {
      Optional<Node> before = now.node(node.id());
      boolean moved = before.isPresent() && !before.get().address().equals(node.address());
      if (moved && !same) {
        throw Problem.conflict(
            "node " + node.id() + " would have another address, and keys would move",
            "change the address first (beltway node address), and then what moves keys");
      }
    }
  }

  private long last(long epoch) throws IOException {
    List<Long> epochs = store.epochs();
    return Math.max(epoch, epochs.isEmpty() ? 0 : epochs.get(epochs.size() - 1));
  }

  private static Problem busy(ClusterState state) {
    String what =
        state
            .change()
            .or(() -> state.gradual().map(Gradual::change))
            .map(Change::what)
            .orElse("a change");
    return Problem.conflict(
        "\"" + what + "\" is going on (" + state.phase().name().toLowerCase(Locale.ROOT) + ")",
        "wait until it is over (beltway status), or take it back (beltway abort)");
  }

  private static AuditEntry entry(
      Asked asked, String what, ClusterState state, RoutingState routing, @Nullable Topology next) {
    return new AuditEntry(
        Instant.now(),
        asked.who(),
        what,
        asked.why(),
        state.version(),
        state.phase().name(),
        state.epoch(),
        routing.from().topology().fingerprint().hex(),
        next == null ? 0 : next.epoch(),
        next == null ? "" : next.fingerprint().hex());
  }

  /** What a change would do. */
  private static ObjectNode summary(Placement before, Placement after) {
    Topology next = after.topology();
    ObjectNode root = Codec.object();
    root.put("epoch", next.epoch());
    root.put("fingerprint", next.fingerprint().hex());
    boolean same = before.topology().fingerprint().equals(next.fingerprint());
    ArrayNode flows = root.putArray("flows");
    if (same) {
      root.put("moved", 0.0);
    } else {
      Difference difference = Difference.between(before, after);
      root.put("moved", difference.moved());
      root.put("exact", difference.isExact());
      for (Flow flow : difference.flows().subList(0, Math.min(200, difference.flows().size()))) {
        flows.addObject().put("from", flow.from()).put("to", flow.to()).put("share", flow.share());
      }
    }
    ArrayNode nodes = root.putArray("nodes");
    Map<String, Double> shares = new HashMap<>();
    LoadReport.of(before).nodes().forEach(load -> shares.put(load.id(), load.share()));
    Map<String, Double> then = new TreeMap<>();
    shares.keySet().forEach(id -> then.put(id, 0.0)); // Those that leave own nothing then.
    LoadReport.of(after).nodes().forEach(load -> then.put(load.id(), load.share()));
    then.forEach(
        (id, share) ->
            nodes
                .addObject()
                .put("id", id)
                .put("before", shares.getOrDefault(id, 0.0))
                .put("after", share));
    return root;
  }

  /** What is different between two mappings. */
  ObjectNode diff(long from, long to) throws IOException {
    Topology one = store.topology(from);
    Topology other = store.topology(to);
    ObjectNode root = summary(store.placement(from), store.placement(to));
    root.put("fromEpoch", from).put("epoch", to);
    root.put("sameRule", one.rule().equals(other.rule()));
    ArrayNode edits = root.putArray("edits");
    for (Node node : other.nodes()) {
      Optional<Node> before = one.node(node.id());
      if (!before.equals(Optional.of(node))) {
        ObjectNode edit = edits.addObject().put("id", node.id());
        before.ifPresent(each -> describe(edit.putObject("before"), each));
        describe(edit.putObject("after"), node);
      }
    }
    for (Node node : one.nodes()) {
      if (other.node(node.id()).isEmpty()) {
        describe(edits.addObject().put("id", node.id()).putObject("before"), node);
      }
    }
    return root;
  }

  private static void describe(ObjectNode root, Node node) {
    root.put("address", node.address().orElse(""));
    root.put("weight", node.weight().value());
    root.put("zone", node.zone().orElse(""));
  }

  /** Brings an earlier mapping back, as a new epoch. */
  ObjectNode rollback(long epoch, Asked asked) throws Problem, IOException {
    if (!store.epochs().contains(epoch)) {
      throw Problem.missing("there is no epoch " + epoch, "beltway epochs lists them");
    }
    Topology earlier = store.topology(epoch);
    return change("roll back to epoch " + epoch, asked, now -> earlier);
  }

  /** Takes back what is going on, and all steps of it that were made. */
  ObjectNode abort(Asked asked) throws Problem, IOException {
    for (int i = 0; i < TRIES; i++) {
      Read read = read();
      ClusterState state = read.routing().state();
      String what =
          state
              .change()
              .or(() -> state.gradual().map(Gradual::change))
              .map(Change::what)
              .orElse("");
      MoveOptions options = state.change().map(Change::options).orElse(MoveOptions.USUAL);
      Change reversal =
          new Change(shortened("take back: " + what), asked.who(), asked.why(), true, options);
      Optional<Gradual> home = homeward(state, reversal);
      ClusterState next;
      List<Topology> topologies = List.of();
      Topology origin = store.topology(state.epoch());
      Topology copy = new Topology(last(state.epoch()) + 1, origin.rule(), origin.nodes());
      switch (state.phase()) {
        case STEADY -> {
          if (home.isEmpty()) {
            if (state.gradual().isEmpty()) {
              throw Problem.conflict(
                  "nothing is going on", "beltway rollback brings an earlier epoch back");
            }
          }
          next = state.withGradual(home).withPause("");
        }
        case REVERSING ->
            throw Problem.conflict(
                "the change is being taken back already", "wait until keys move back");
        case PREPARING, FENCING -> {
          if (state.isOnTheWay()) {
            topologies = List.of(copy);
            next = state.backFromWaypoint(copy.epoch(), reversal, home);
          } else {
            next = state.phase() == Phase.PREPARING ? state.notPrepared() : state.unfenced();
            next = next.withGradual(home);
          }
        }
        default -> {
          topologies = List.of(copy);
          next = state.reversing(copy.epoch(), reversal, home);
        }
      }
      if (store.put(
          read.revision(),
          next,
          topologies,
          entry(asked, reversal.what(), next, read.routing(), topologies.isEmpty() ? null : copy),
          -1)) {
        return Codec.object().put("phase", next.phase().name());
      }
    }
    throw Problem.conflict("the state changes too fast", "try again");
  }

  /** The way back to where the first step began, if any step was made. */
  private Optional<Gradual> homeward(ClusterState state, Change reversal) throws IOException {
    if (state.gradual().isEmpty()) {
      return Optional.empty();
    }
    Gradual gradual = state.gradual().get();
    Topology origin = store.topology(gradual.origin());
    if (origin.fingerprint().equals(store.topology(state.epoch()).fingerprint())) {
      return Optional.empty();
    }
    return Optional.of(
        new Gradual(
            gradual.origin(), List.of(gradual.origin()), gradual.circular(), false, reversal));
  }

  private static String shortened(String text) {
    return text.length() > Change.LONGEST ? text.substring(0, Change.LONGEST) : text;
  }

  /** Stops what moves by itself; keys that clients ask for still move. */
  ObjectNode pause(Asked asked) throws Problem, IOException {
    return edit(
        "pause",
        asked,
        state -> {
          if (state.phase() == Phase.STEADY && state.gradual().isEmpty()) {
            throw Problem.conflict("nothing is going on", "beltway status says how the cluster is");
          }
          if (!state.pause().isEmpty()) {
            throw Problem.conflict("it is paused: " + state.pause(), "beltway migration resume");
          }
          String why = asked.why().isEmpty() ? "" : ": " + asked.why();
          return state.withPause(ClusterState.BY + asked.who() + why);
        });
  }

  /** Goes on with what was paused, or with the next step although nothing was measured. */
  ObjectNode resume(Asked asked) throws Problem, IOException {
    return edit(
        "resume",
        asked,
        state -> {
          Gradual gradual = state.gradual().orElse(null);
          if (!state.pause().isEmpty()) {
            return state.withPause("");
          } else if (state.phase() == Phase.STEADY && gradual != null && gradual.checked()) {
            return state.withGradual(Optional.of(gradual.checked(false)));
          }
          throw Problem.conflict("nothing is paused", "beltway status says what is going on");
        });
  }

  /** Changes how fast keys move; a rate that is not stated stays. */
  ObjectNode throttle(OptionalLong keys, OptionalLong bytes, Asked asked)
      throws Problem, IOException {
    String what =
        "throttle"
            + (keys.isPresent() ? " " + keys.getAsLong() + " keys/s" : "")
            + (bytes.isPresent() ? " " + bytes.getAsLong() + " bytes/s" : "");
    UnaryOperator<MoveOptions> throttled =
        now -> now.throttled(keys.orElse(now.keysPerSecond()), bytes.orElse(now.bytesPerSecond()));
    return edit(
        what,
        asked,
        state -> {
          if (state.change().isEmpty() && state.gradual().isEmpty()) {
            throw Problem.conflict("nothing is going on", "state it with the change");
          }
          ClusterState next = state;
          if (state.change().isPresent()) {
            next = next.withOptions(throttled.apply(state.change().get().options()));
          }
          if (state.gradual().isPresent()) {
            Gradual gradual = state.gradual().get();
            Change change = gradual.change().with(throttled.apply(gradual.change().options()));
            next =
                next.withGradual(
                    Optional.of(
                        new Gradual(
                            gradual.origin(),
                            gradual.epochs(),
                            gradual.circular(),
                            gradual.checked(),
                            change)));
          }
          return next;
        });
  }

  /** How a state becomes another one of the same version. */
  private interface StateEdit {
    ClusterState apply(ClusterState state) throws Problem;
  }

  private ObjectNode edit(String what, Asked asked, StateEdit edit) throws Problem, IOException {
    for (int i = 0; i < TRIES; i++) {
      Read read = read();
      ClusterState state = read.routing().state();
      if (store.put(
          read.revision(),
          edit.apply(state),
          List.of(),
          entry(asked, what, state, read.routing(), null),
          -1)) {
        return Codec.object().put("phase", state.phase().name());
      }
    }
    throw Problem.conflict("the state changes too fast", "try again");
  }

  /** Has all keys looked at. */
  ObjectNode scrub(boolean repairs, Asked asked) throws Problem, IOException {
    Read read = read();
    ClusterState state = read.routing().state();
    if (state.phase() != Phase.STEADY) {
      throw busy(state);
    }
    Optional<Conductor.ScrubRequest> last = store.scrub();
    if (last.isPresent()) {
      String text = store.status();
      JsonNode found =
          text.isEmpty() ? Codec.object() : Codec.read(Codec.bytes(text)).path("scrub");
      boolean ended =
          found.path("number").asLong() == last.get().number() && found.path("ended").asBoolean();
      if (!ended) {
        throw Problem.conflict("a scrub is going on", "wait until it has ended (GET /v1/scrub)");
      }
    }
    String what = repairs ? "scrub, with repair" : "scrub";
    long number = store.askScrub(repairs, entry(asked, what, state, read.routing(), null));
    return Codec.object().put("number", number).put("repairs", repairs);
  }

  /** Has a proxy fenced. */
  ObjectNode forget(String name, Asked asked) throws Problem, IOException {
    Read read = read();
    ObjectNode root = Codec.object();
    ArrayNode ids = root.putArray("forgotten");
    for (ClusterStore.ProxyEntry proxy : store.proxies()) {
      boolean meant =
          proxy.registration().name().equals(name) || proxy.registration().id().equals(name);
      if (meant
          && store.forget(
              proxy.registration().id(),
              entry(asked, "fence proxy " + name, read.routing().state(), read.routing(), null))) {
        ids.add(proxy.registration().id());
      }
    }
    if (ids.isEmpty()) {
      throw Problem.missing("no proxy is called " + name, "beltway proxy list names them");
    }
    return root;
  }

  /** Everything that is stored about topologies, to be kept elsewhere. */
  ObjectNode backup() throws Problem, IOException {
    Read read = read();
    ObjectNode root = Codec.object();
    root.set("state", Codec.state(read.routing().state()));
    ArrayNode topologies = root.putArray("topologies");
    for (long epoch : store.epochs()) {
      topologies
          .addObject()
          .put("epoch", epoch)
          .put("topology", TopologyText.json(store.topology(epoch)));
    }
    ArrayNode audit = root.putArray("audit");
    store.audit(Integer.MAX_VALUE).forEach(entry -> audit.add(entry.json()));
    return root;
  }

  /** Brings a backup into an empty store; only one that was made while nothing was going on. */
  ObjectNode restore(JsonNode backup, Asked asked) throws Problem, IOException {
    JsonNode state = backup.path("state");
    if (!state.path("phase").asText().equals(Phase.STEADY.name())) {
      throw Problem.conflict(
          "the backup was made while keys moved, and where they are by now nobody knows",
          "take one that was made in phase STEADY");
    }
    if (store.state().isPresent()) {
      throw Problem.conflict("the store is not empty", "restore into a new cluster name");
    }
    long epoch = state.path("epoch").asLong();
    for (JsonNode each : backup.path("topologies")) {
      if (each.path("epoch").asLong() == epoch) {
        return apply(parse("backup", Codec.bytes(each.path("topology").asText())), asked);
      }
    }
    throw Problem.bad("the backup has no topology of epoch " + epoch, "take a whole one");
  }

  static Topology parse(String name, byte[] bytes) throws Problem {
    try {
      return TopologyFiles.parse(name, bytes);
    } catch (ConfigFileException e) {
      throw Problem.bad(String.valueOf(e.getMessage()), "docs/topology-files.md has the format");
    }
  }
}
