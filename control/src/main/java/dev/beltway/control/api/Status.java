package dev.beltway.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.Codec;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Heat;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.placement.Placement;
import dev.beltway.telemetry.ControlMetrics;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How the cluster is, as documents: from what is stored, and what the leader has published. */
final class Status {

  private static final int MOST_HOT = 25;

  private final ClusterStore store;
  private final Optional<Sandbox> sandbox;

  Status(ClusterStore store, Optional<Sandbox> sandbox) {
    this.store = store;
    this.sandbox = sandbox;
  }

  /** All of it. */
  ObjectNode all() throws IOException {
    ObjectNode root = Codec.object();
    Optional<ClusterStore.Read> read = store.state();
    JsonNode leader = leader();
    if (read.isEmpty()) {
      root.put("phase", "EMPTY");
      root.putArray("nodes");
      root.set("proxies", proxies());
      return root;
    }
    RoutingState routing = read.get().routing();
    ClusterState state = routing.state();
    root.put("phase", state.phase().name());
    root.put("version", state.version());
    root.put("epoch", state.epoch());
    root.put("fingerprint", store.placement(state.epoch()).topology().fingerprint().hex());
    if (state.next().isPresent()) {
      long next = state.next().getAsLong();
      root.put("nextEpoch", next);
      root.put("nextFingerprint", store.placement(next).topology().fingerprint().hex());
      root.put("leg", state.leg() + 1);
      root.put("legs", state.way().legs());
    }
    state
        .gradual()
        .ifPresent(
            gradual ->
                root.putObject("gradual")
                    .put("what", gradual.change().what())
                    .put("stepsLeft", gradual.epochs().size())
                    .put("checked", gradual.checked()));
    state
        .change()
        .ifPresent(
            change ->
                root.putObject("change")
                    .put("what", change.what())
                    .put("who", change.who())
                    .put("why", change.why()));
    root.put("pause", state.pause());
    root.put("leader", leader.path("leader").asText());
    root.set(
        "waitsFor",
        leader.path("blockers").isArray() ? leader.get("blockers") : Codec.object().putArray("x"));
    root.set(
        "reports",
        leader.path("reports").isArray() ? leader.get("reports") : Codec.object().putArray("x"));
    if (leader.path("deviation").isObject()) {
      root.set("deviation", leader.get("deviation"));
    }
    if (state.phase() != Phase.STEADY) {
      root.set("migration", new MoveView(routing, leader.path("move")).document());
    }
    root.set("nodes", nodes(routing, leader));
    root.set("proxies", proxies());
    sandbox.ifPresent(machine -> root.set("load", machine.load()));
    return root;
  }

  private JsonNode leader() throws IOException {
    String text = store.status();
    return text.isEmpty() ? Codec.object() : Codec.read(Codec.bytes(text));
  }

  /** The nodes of both mappings, with what they own and what they say of themselves. */
  ArrayNode nodes(RoutingState routing, JsonNode leader) throws IOException {
    ArrayNode all = Codec.object().putArray("nodes");
    Placement now = store.placement(routing.state().epoch());
    Placement then = store.placement(routing.state().next().orElse(routing.state().epoch()));
    Map<String, Double> before = store.shares(routing.state().epoch());
    Map<String, Double> after =
        store.shares(routing.state().next().orElse(routing.state().epoch()));
    Map<String, Node> nodes = new TreeMap<>();
    now.topology().nodes().forEach(node -> nodes.put(node.id(), node));
    then.topology().nodes().forEach(node -> nodes.put(node.id(), node));
    for (Node node : nodes.values()) {
      JsonNode facts = leader.path("nodes").path(node.id());
      ObjectNode entry = all.addObject();
      entry.put("id", node.id());
      entry.put("address", node.address().orElse(""));
      entry.put("weight", node.weight().value());
      node.zone().ifPresent(zone -> entry.put("zone", zone));
      entry.put("share", before.getOrDefault(node.id(), 0.0));
      if (routing.to().isPresent()) {
        entry.put("nextShare", after.getOrDefault(node.id(), 0.0));
      }
      entry.put("up", facts.isObject() && !facts.path("late").asBoolean());
      if (facts.isObject()) {
        entry.put("keys", facts.path("keys").asLong());
        entry.put("role", facts.path("role").asText());
        entry.put("version", facts.path("version").asText());
        entry.put("durable", facts.path("durable").asBoolean());
        entry.put("requests", facts.path("requests").asLong());
        entry.put("probeMillis", facts.path("probeMicros").asLong() / 1e3);
        entry.put("memory", facts.path("memory").asLong());
        entry.put("maxMemory", facts.path("maxMemory").asLong());
      }
    }
    return all;
  }

  /** What clients of all proxies ask for most, in their last few seconds. */
  ObjectNode hot() throws IOException {
    Map<String, Heat> parts = store.heat();
    Heat all = Heat.of(List.copyOf(parts.values()), MOST_HOT);
    ObjectNode root = Codec.object();
    root.put("proxies", parts.size());
    root.put("requests", all.requests());
    root.put("sampled", all.sampled());
    Optional<ClusterStore.Read> read = store.state();
    ArrayNode keys = root.putArray("keys");
    for (Heat.Key key : all.keys()) {
      String name = key.isCut() ? key.name().substring(0, key.name().length() - 1) : key.name();
      byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
      ObjectNode entry = keys.addObject();
      entry.put("key", visible(bytes) + (key.isCut() ? Heat.CUT : ""));
      entry.put("share", all.share(key));
      entry.put("countedAtLeast", key.least());
      entry.put("countedAtMost", key.most());
      if (!key.isCut()) { // Of a part nobody knows whose the whole is.
        read.ifPresent(now -> entry.put("node", now.routing().from().owner(bytes).id()));
      }
    }
    return root;
  }

  /** Text as it is, and what is no text as \\xNN. */
  private static String visible(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    boolean plain =
        text.indexOf('\uFFFD') < 0
            && text.chars().noneMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
    if (plain) {
      return text;
    }
    StringBuilder shown = new StringBuilder();
    for (byte each : bytes) {
      shown.append(
          each >= ' ' && each <= '~'
              ? String.valueOf((char) each)
              : String.format(Locale.ROOT, "\\x%02x", each & 0xff));
    }
    return shown.toString();
  }

  /** Who owns what by the mapping of an epoch. */
  ObjectNode ranges(long epoch) throws IOException {
    return Ranges.of(store.placement(epoch)).put("epoch", epoch);
  }

  /** The proxies that are registered. */
  ArrayNode proxies() throws IOException {
    ArrayNode all = Codec.object().putArray("proxies");
    for (ClusterStore.ProxyEntry proxy : store.proxies()) {
      all.addObject()
          .put("id", proxy.registration().id())
          .put("name", proxy.registration().name())
          .put("address", proxy.address())
          .put("since", proxy.since())
          .put("admitted", proxy.registration().admitted())
          .put("live", proxy.live())
          .put("fencing", proxy.registration().struck())
          .put("acknowledged", proxy.registration().acknowledged());
    }
    return all;
  }

  /** How far keys have moved; how the last move was where none is going on. */
  ObjectNode migration() throws IOException {
    ObjectNode all = all();
    ObjectNode root = Codec.object();
    if (all.path("migration") instanceof ObjectNode move) {
      root.setAll(move);
    }
    for (String name :
        new String[] {
          "phase", "change", "pause", "waitsFor", "gradual", "leg", "legs", "epoch", "nextEpoch"
        }) {
      if (all.has(name)) {
        root.set(name, all.get(name));
      }
    }
    return root;
  }

  /** Reports about keys that have moved, the newest first. */
  ArrayNode moves(int most) throws IOException {
    ArrayNode all = Codec.object().putArray("moves");
    for (String text : store.moves()) {
      if (all.size() == most) {
        break;
      }
      all.add(Codec.read(Codec.bytes(text)));
    }
    return all;
  }

  /** What a look at all keys has found so far. */
  JsonNode scrub() throws IOException {
    JsonNode found = leader().path("scrub");
    ObjectNode root = Codec.object();
    store
        .scrub()
        .ifPresent(
            asked -> {
              root.put("number", asked.number());
              root.put("repairs", asked.repairs());
              root.put("ended", false);
              if (found.path("number").asLong() == asked.number()) {
                root.setAll((ObjectNode) found);
              }
            });
    return root;
  }

  /** What is measured. */
  ControlMetrics.Reading reading() throws IOException {
    JsonNode status = all();
    Map<String, Long> behind = new TreeMap<>();
    for (JsonNode proxy : status.path("proxies")) {
      long late = status.path("version").asLong() - proxy.path("acknowledged").asLong();
      behind.merge(proxy.path("name").asText(), late, Math::max);
    }
    Map<String, Boolean> up = new TreeMap<>();
    Map<String, Long> keys = new TreeMap<>();
    for (JsonNode node : status.path("nodes")) {
      up.put(node.path("id").asText(), node.path("up").asBoolean());
      if (node.has("keys")) {
        keys.put(node.path("id").asText(), node.path("keys").asLong());
      }
    }
    List<String> phases = List.of("STEADY", "PREPARING", "FENCING", "MOVING", "REVERSING");
    return new ControlMetrics.Reading(
        Math.max(0, phases.indexOf(status.path("phase").asText())),
        status.path("version").asLong(),
        status.path("epoch").asLong(),
        !status.path("pause").asText().isEmpty(),
        status.path("waitsFor").size(),
        behind,
        up,
        keys,
        move(status.path("migration")),
        ratios(status.path("deviation").path("keys")),
        ratios(status.path("deviation").path("requests")),
        coverage(status));
  }

  private static Map<String, Double> ratios(JsonNode root) {
    Map<String, Double> all = new TreeMap<>();
    root.properties().forEach(each -> all.put(each.getKey(), each.getValue().asDouble()));
    return all;
  }

  /** The share of the keys that nodes own which answer. */
  private static double coverage(JsonNode status) {
    double covered = 0;
    for (JsonNode node : status.path("nodes")) {
      covered += node.path("up").asBoolean() ? node.path("share").asDouble() : 0;
    }
    return covered;
  }

  private static ControlMetrics.Move move(JsonNode migration) {
    if (!migration.has("since")) {
      return ControlMetrics.Move.NONE;
    }
    Map<String, Double> latency = new TreeMap<>();
    Map<String, Double> batch = new TreeMap<>();
    for (JsonNode source : migration.path("sources")) {
      latency.put(source.path("node").asText(), source.path("latencyMillis").asDouble() / 1e3);
      batch.put(source.path("node").asText(), source.path("batchBytes").asDouble());
    }
    String since = migration.path("since").asText();
    long millis =
        since.isEmpty() ? 0 : Duration.between(Instant.parse(since), Instant.now()).toMillis();
    return new ControlMetrics.Move(
        migration.path("keys").asLong(),
        migration.path("plannedKeys").asLong(),
        migration.path("bytes").asLong(),
        migration.path("keysPerSecond").asDouble(),
        Math.max(0, millis) / 1e3,
        latency,
        batch);
  }

  /** All epochs, the newest first. */
  ArrayNode epochs() throws IOException {
    ArrayNode all = Codec.object().putArray("epochs");
    List<Long> epochs = new ArrayList<>(store.epochs());
    Collections.reverse(epochs);
    long now = store.state().map(read -> read.routing().state().epoch()).orElse(0L);
    for (long epoch : epochs.subList(0, Math.min(100, epochs.size()))) {
      Topology topology = store.topology(epoch);
      all.addObject()
          .put("epoch", epoch)
          .put("holds", epoch == now)
          .put("algorithm", topology.rule().algorithm())
          .put("nodes", topology.nodes().size())
          .put("fingerprint", topology.fingerprint().hex());
    }
    return all;
  }
}
