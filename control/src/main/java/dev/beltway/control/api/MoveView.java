package dev.beltway.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.store.Codec;
import dev.beltway.handover.Change;
import dev.beltway.handover.MoveOptions;
import dev.beltway.handover.Names;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;

/** A move as people want to see it, from what the leader has published. */
final class MoveView {

  private final RoutingState routing;
  private final JsonNode move;

  MoveView(RoutingState routing, JsonNode move) {
    this.routing = routing;
    this.move = move;
  }

  private JsonNode track(String source) {
    boolean now = move.path("version").asLong() == routing.version();
    for (JsonNode each : move.path("sources")) {
      if (now && each.path("source").asText().equals(source)) {
        return each;
      }
    }
    return Codec.object();
  }

  /** How long so much takes at the rate that is measured, or that is wanted if that is less. */
  private static double left(long amount, double rate, long wanted) {
    double bounded = wanted > 0 ? Math.min(rate, (double) wanted) : rate;
    return amount <= 0 || bounded <= 0 ? 0 : amount / bounded;
  }

  ObjectNode document() {
    ObjectNode root = Codec.object();
    MoveOptions options = routing.state().change().map(Change::options).orElse(MoveOptions.USUAL);
    root.putObject("throttle")
        .put("keysPerSecond", options.keysPerSecond())
        .put("bytesPerSecond", options.bytesPerSecond());
    root.put("verified", routing.state().isVerified());
    boolean moving = routing.phase() == Phase.MOVING;
    if (moving) {
      root.put("since", move.path("since").asText());
    }
    double rate = moving ? move.path("keysPerSecond").asDouble() : 0;
    root.put("keysPerSecond", rate);
    root.put("bytesPerSecond", moving ? move.path("bytesPerSecond").asDouble() : 0);
    long keys = 0;
    long bytes = 0;
    long plannedKeys = 0;
    long plannedBytes = 0;
    double counted = 1;
    ArrayNode flows = root.putArray("flows");
    ArrayNode sources = root.putArray("sources");
    for (String source : routing.flows().sources()) {
      JsonNode track = track(source);
      JsonNode planned = move.path("planned").path(source);
      for (String target : routing.flows().of(source)) {
        String mark = Names.mark(target);
        ObjectNode flow = flows.addObject();
        flow.put("from", source).put("to", target);
        flow.put("keys", track.path("keys").path(mark).asLong());
        flow.put("bytes", track.path("bytes").path(mark).asLong());
        flow.put("plannedKeys", planned.path("keys").path(target).asLong());
        flow.put("plannedBytes", planned.path("bytes").path(target).asLong());
      }
      counted = Math.min(counted, planned.path("counted").asDouble(0));
      keys += track.path("allKeys").asLong();
      bytes += track.path("allBytes").asLong();
      plannedKeys += planned.path("allKeys").asLong();
      plannedBytes += planned.path("allBytes").asLong();
      ObjectNode entry = sources.addObject();
      entry.put("node", source);
      entry.put("covered", track.path("covered").asDouble());
      entry.put("passes", track.path("passes").asInt());
      entry.put("latencyMillis", track.path("latencyMicros").asLong() / 1e3);
      entry.put("batchBytes", track.path("batchBytes").asLong());
      entry.put("bigKey", track.path("big").asText());
      ArrayNode big = entry.putArray("bigKeys");
      planned.path("big").forEach(big::add);
      ArrayNode replaced = entry.putArray("replaced");
      track.path("replaced").forEach(replaced::add);
    }
    root.put("keys", keys).put("bytes", bytes);
    root.put("plannedKeys", plannedKeys).put("plannedBytes", plannedBytes);
    root.put("counted", counted);
    double byteRate = moving ? move.path("bytesPerSecond").asDouble() : 0;
    double seconds =
        Math.max(
            left(plannedKeys - keys, rate, options.keysPerSecond()),
            left(plannedBytes - bytes, byteRate, options.bytesPerSecond()));
    boolean known =
        moving && rate > 0 && plannedKeys > 0 && counted == 1 && routing.state().pause().isEmpty();
    if (known) {
      root.put("secondsLeft", seconds);
    }
    return root;
  }
}
