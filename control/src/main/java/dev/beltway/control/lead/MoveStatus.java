package dev.beltway.control.lead;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.store.Codec;
import dev.beltway.handover.Change;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Deviation;
import dev.beltway.handover.Pace;
import dev.beltway.handover.Phase;
import dev.beltway.handover.Scrub;
import dev.beltway.handover.Survey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** How far keys have moved, as a document: for people, and for the leader who comes next. */
final class MoveStatus {

  private static final long RATE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MOST_FLOWS = 4_000;

  private record Sample(long at, long keys, long bytes) {}

  private final Deque<Sample> samples = new ArrayDeque<>();
  private Instant since = Instant.now();
  private Instant lastKey = Instant.now();
  private long counted;
  private long version = -1;

  /** What is moving now. */
  ObjectNode write(
      ClusterState state, List<Pace.Track> tracks, Map<String, Survey.Result> surveys, long nanos) {
    if (state.phase() == Phase.MOVING && version != state.version()) {
      version = state.version();
      since = Instant.now();
      lastKey = since;
      counted = 0;
      samples.clear();
    }
    ObjectNode root = Codec.object();
    root.put("version", version);
    root.put("since", since.toString());
    ArrayNode sources = root.putArray("sources");
    // The store takes documents of less than a megabyte.
    int flows = 0;
    for (Pace.Track track : tracks) {
      flows += track.keys().size();
    }
    for (Survey.Result survey : surveys.values()) {
      flows += survey.keys().size();
    }
    boolean brief = flows > MOST_FLOWS;
    long keys = 0;
    long bytes = 0;
    for (Pace.Track track : tracks) {
      keys += track.allKeys();
      bytes += track.allBytes();
      ObjectNode entry = sources.addObject();
      entry.put("source", track.source());
      entry.put("run", track.run());
      entry.put("database", track.at().database());
      entry.put("cursor", track.at().cursor());
      entry.put("passes", track.at().passes());
      entry.put("seen", track.at().seen());
      entry.put("covered", track.at().covered());
      entry.put("allKeys", track.allKeys());
      entry.put("allBytes", track.allBytes());
      write(entry.putObject("keys"), brief ? Map.of() : track.keys());
      write(entry.putObject("bytes"), brief ? Map.of() : track.bytes());
      entry.put("latencyMicros", track.latencyMicros());
      entry.put("batchBytes", track.batchBytes());
      entry.put("big", track.big());
      track.replaced().forEach(entry.putArray("replaced")::add);
    }
    if (keys > counted) {
      counted = keys;
      lastKey = Instant.now();
    }
    samples.addLast(new Sample(nanos, keys, bytes));
    while (samples.size() > 2 && nanos - samples.getFirst().at() > RATE_NANOS) {
      samples.removeFirst();
    }
    Sample first = samples.getFirst();
    double seconds = Math.max(1e-3, (nanos - first.at()) / 1e9);
    root.put("keysPerSecond", samples.size() < 2 ? 0 : Math.max(0, keys - first.keys()) / seconds);
    root.put(
        "bytesPerSecond", samples.size() < 2 ? 0 : Math.max(0, bytes - first.bytes()) / seconds);
    ObjectNode planned = root.putObject("planned");
    surveys.forEach(
        (source, survey) -> {
          ObjectNode entry = planned.putObject(source);
          entry.put("allKeys", survey.allKeys());
          entry.put("allBytes", survey.allBytes());
          write(entry.putObject("keys"), brief ? Map.of() : survey.keys());
          write(entry.putObject("bytes"), brief ? Map.of() : survey.bytes());
          entry.put("counted", survey.counted());
          survey.big().forEach(entry.putArray("big")::add);
        });
    return root;
  }

  private static void write(ObjectNode root, Map<String, Long> counts) {
    new TreeMap<>(counts).forEach(root::put);
  }

  private static Map<String, Long> counts(JsonNode root) {
    Map<String, Long> counts = new HashMap<>();
    root.properties().forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
    return counts;
  }

  private static List<String> texts(JsonNode root) {
    List<String> all = new ArrayList<>();
    root.forEach(each -> all.add(each.asText()));
    return all;
  }

  /** Where an earlier leader has seen the sources. */
  List<Pace.Track> tracks(JsonNode root) {
    List<Pace.Track> tracks = new ArrayList<>();
    long of = root.path("version").asLong(-1);
    for (JsonNode each : root.path("sources")) {
      tracks.add(
          new Pace.Track(
              of,
              each.path("source").asText(),
              each.path("run").asText(),
              new Pace.Position(
                  each.path("database").asInt(),
                  each.path("cursor").asText("0"),
                  each.path("passes").asInt(),
                  each.path("seen").asBoolean(),
                  each.path("covered").asDouble()),
              counts(each.path("keys")),
              counts(each.path("bytes")),
              each.path("latencyMicros").asLong(),
              Math.max(1, each.path("batchBytes").asInt()),
              "",
              texts(each.path("replaced"))));
    }
    if (of >= 0 && root.has("since")) {
      version = of;
      since = Instant.parse(root.path("since").asText());
    }
    return tracks;
  }

  /** What an earlier leader has counted. */
  static Map<String, Survey.Result> surveys(JsonNode root) {
    Map<String, Survey.Result> surveys = new TreeMap<>();
    root.path("planned")
        .properties()
        .forEach(
            each ->
                surveys.put(
                    each.getKey(),
                    new Survey.Result(
                        counts(each.getValue().path("keys")),
                        counts(each.getValue().path("bytes")),
                        each.getValue().path("counted").asDouble(1),
                        texts(each.getValue().path("big")))));
    return surveys;
  }

  /** What has moved, when keys move no more. */
  ObjectNode report(
      ClusterState state,
      ClusterState after,
      List<Pace.Track> tracks,
      Map<String, Survey.Result> surveys) {
    ObjectNode root = write(state, tracks, surveys, System.nanoTime());
    root.remove(List.of("keysPerSecond", "bytesPerSecond"));
    Instant now = Instant.now();
    root.put("ended", now.toString());
    root.put("seconds", Duration.between(since, now).toMillis() / 1e3);
    // After the last key the source is walked once more, to be sure that nothing is left.
    root.put("secondsToLastKey", Duration.between(since, lastKey).toMillis() / 1e3);
    root.put("what", state.change().map(Change::what).orElse(""));
    root.put("who", state.change().map(Change::who).orElse(""));
    root.put("epoch", state.epoch());
    root.put("nextEpoch", state.next().orElse(0));
    root.put("leg", state.leg() + 1);
    root.put("legs", state.way().legs());
    root.put("verified", state.isVerified());
    root.put("outcome", after.phase() == Phase.REVERSING ? "taken back" : "done");
    return root;
  }

  /** What a look at all keys has found. */
  static ObjectNode scrubbed(
      long number, boolean repairs, Map<String, Scrub.Result> found, boolean ended) {
    ObjectNode root = Codec.object();
    root.put("number", number);
    root.put("repairs", repairs);
    root.put("ended", ended);
    ObjectNode nodes = root.putObject("nodes");
    found.forEach(
        (node, each) -> {
          ObjectNode entry = nodes.putObject(node);
          entry.put("keys", each.keys());
          entry.put("duplicates", each.duplicates());
          entry.put("orphans", each.orphans());
          entry.put("repaired", each.repaired());
          entry.put("failure", each.failure());
          each.names().forEach(entry.putArray("names")::add);
        });
    return root;
  }

  /** How far nodes are from what was planned. */
  static ObjectNode deviation(Deviation deviation) {
    ObjectNode root = Codec.object();
    root.put("known", deviation.isKnown());
    root.put("missing", deviation.isKnown() ? "" : deviation.missing());
    ObjectNode keys = root.putObject("keys");
    deviation.byKeys().forEach(keys::put);
    ObjectNode requests = root.putObject("requests");
    deviation.byRequests().forEach(requests::put);
    return root;
  }
}
