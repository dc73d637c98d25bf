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
import dev.beltway.handover.Flows;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.plan.Difference;
import dev.beltway.plan.Flow;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Changes of topology as people ask for them. Each is written by compare-and-set on what was read;
 * what follows is the leader's.
 */
final class Changes {

  private static final int TRIES = 5;

  private final ClusterStore store;

  Changes(ClusterStore store) {
    this.store = store;
  }

  /** How a topology becomes another one. */
  interface Edit {
    Topology apply(Topology now) throws Problem, IOException;
  }

  /** Who asks, and why. */
  record Asked(String who, String why, boolean dryRun, long epoch, boolean force) {}

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

  /** Changes the topology; with a dry run only says what it would do. */
  ObjectNode change(String what, Asked asked, Edit edit) throws Problem, IOException {
    for (int i = 0; i < TRIES; i++) {
      Read read = read();
      ClusterState state = read.routing().state();
      if (state.phase() != Phase.STEADY && !asked.dryRun()) {
        throw busy(state);
      }
      if (asked.epoch() > 0 && asked.epoch() != state.epoch()) {
        throw Problem.conflict(
            "the epoch is " + state.epoch() + ", not " + asked.epoch(),
            "look at what has changed, and ask again");
      }
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
      ObjectNode summary = summary(read.routing(), next);
      summary.put("what", what).put("dryRun", asked.dryRun());
      if (asked.dryRun()) {
        return summary;
      }
      if (next.nodes().equals(now.nodes()) && next.rule().equals(now.rule())) {
        throw Problem.conflict("this changes nothing", "the topology is like that already");
      }
      boolean circular = Flows.between(read.routing().from(), Placements.of(next)).isCircular();
      Change change = new Change(what, asked.who(), asked.why(), asked.force());
      if (store.put(
          read.revision(),
          state.preparing(next.epoch(), circular, change),
          next,
          entry(asked, "asked for: " + what, state, read.routing(), next),
          -1)) {
        return summary;
      }
    }
    throw Problem.conflict("the state changes too fast", "try again");
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
    String what = state.change().map(Change::what).orElse("a change");
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
  private static ObjectNode summary(RoutingState routing, Topology next) {
    Placement before = routing.from();
    Placement after = Placements.of(next);
    ObjectNode root = Codec.object();
    root.put("epoch", next.epoch());
    root.put("fromEpoch", routing.state().epoch());
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
    LoadReport.of(after)
        .nodes()
        .forEach(
            load ->
                nodes
                    .addObject()
                    .put("id", load.id())
                    .put("before", shares.getOrDefault(load.id(), 0.0))
                    .put("after", load.share()));
    return root;
  }

  /** Brings an earlier mapping back, as a new epoch. */
  ObjectNode rollback(long epoch, Asked asked) throws Problem, IOException {
    if (!store.epochs().contains(epoch)) {
      throw Problem.missing("there is no epoch " + epoch, "beltway epochs lists them");
    }
    Topology earlier = store.topology(epoch);
    return change("roll back to epoch " + epoch, asked, now -> earlier);
  }

  /** Takes back what is going on. */
  ObjectNode abort(Asked asked) throws Problem, IOException {
    for (int i = 0; i < TRIES; i++) {
      Read read = read();
      ClusterState state = read.routing().state();
      Change reversal =
          new Change(
              shortened("take back: " + state.change().map(Change::what).orElse("")),
              asked.who(),
              asked.why());
      ClusterState next;
      @Nullable Topology topology = null;
      boolean halfway = state.leg() == 2 && state.phase() != Phase.MOVING;
      Topology origin = store.topology(state.epoch());
      Topology copy = new Topology(last(state.epoch()) + 1, origin.rule(), origin.nodes());
      switch (state.phase()) {
        case STEADY ->
            throw Problem.conflict(
                "nothing is going on", "beltway rollback brings an earlier epoch back");
        case REVERSING ->
            throw Problem.conflict(
                "the change is being taken back already", "wait until keys move back");
        case PREPARING, FENCING -> {
          if (halfway) {
            topology = copy;
            next = state.backFromHalfway(copy.epoch(), reversal);
          } else {
            next = state.phase() == Phase.PREPARING ? state.notPrepared() : state.unfenced();
          }
        }
        default -> {
          topology = copy;
          next = state.reversing(copy.epoch(), reversal);
        }
      }
      if (store.put(
          read.revision(),
          next,
          topology,
          entry(asked, reversal.what(), next, read.routing(), topology),
          -1)) {
        return Codec.object().put("phase", next.phase().name());
      }
    }
    throw Problem.conflict("the state changes too fast", "try again");
  }

  private static String shortened(String text) {
    return text.length() > Change.LONGEST ? text.substring(0, Change.LONGEST) : text;
  }

  /** Goes on with what was paused. */
  ObjectNode resume(Asked asked) throws Problem, IOException {
    Read read = read();
    ClusterState state = read.routing().state();
    if (state.pause().isEmpty()) {
      throw Problem.conflict("nothing is paused", "beltway status says what is going on");
    }
    if (!store.put(
        read.revision(),
        state.withPause(""),
        null,
        entry(asked, "resume", state, read.routing(), null),
        -1)) {
      throw Problem.conflict("the state has just changed", "try again");
    }
    return Codec.object().put("phase", state.phase().name());
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
