package dev.beltway.control.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.handover.Change;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Gradual;
import dev.beltway.handover.Heat;
import dev.beltway.handover.MoveOptions;
import dev.beltway.handover.Phase;
import dev.beltway.handover.TransferToken;
import dev.beltway.handover.Way;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Stored documents as JSON. */
public final class Codec {

  private static final ObjectMapper JSON = new ObjectMapper();

  private Codec() {}

  /** An empty object. */
  public static ObjectNode object() {
    return JSON.createObjectNode();
  }

  /** As bytes. */
  public static byte[] bytes(JsonNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Reads a document.
   *
   * @throws IOException if it is none
   */
  public static JsonNode read(byte[] bytes) throws IOException {
    JsonNode node = JSON.readTree(bytes);
    if (node == null || node.isMissingNode()) {
      throw new IOException("an empty document");
    }
    return node;
  }

  /** A state as a document. */
  public static ObjectNode state(ClusterState state) {
    ObjectNode root = object();
    root.put("version", state.version());
    root.put("phase", state.phase().name());
    root.put("epoch", state.epoch());
    state.next().ifPresent(next -> root.put("next", next));
    root.putObject("way")
        .put("circular", state.way().circular())
        .put("low", state.way().low())
        .put("high", state.way().high());
    root.put("leg", state.leg());
    root.put("barrier", state.barrier());
    state.change().ifPresent(change -> write(root.putObject("change"), change));
    ObjectNode runs = root.putObject("runs");
    new TreeMap<>(state.runs()).forEach(runs::put);
    ObjectNode tokens = root.putObject("tokens");
    new TreeMap<>(state.tokens())
        .forEach(
            (source, token) ->
                tokens
                    .putObject(source)
                    .put("version", token.version())
                    .put("generation", token.generation())
                    .put("run", token.run()));
    root.put("pause", state.pause());
    state
        .gradual()
        .ifPresent(
            gradual -> {
              ObjectNode steps = root.putObject("gradual");
              steps.put("origin", gradual.origin());
              gradual.epochs().forEach(steps.putArray("epochs")::add);
              steps.put("circular", gradual.circular());
              steps.put("checked", gradual.checked());
              write(steps.putObject("change"), gradual.change());
            });
    return root;
  }

  private static void write(ObjectNode root, Change change) {
    root.put("what", change.what());
    root.put("who", change.who());
    root.put("why", change.why());
    root.put("forced", change.forced());
    root.put("keysPerSecond", change.options().keysPerSecond());
    root.put("bytesPerSecond", change.options().bytesPerSecond());
    root.put("verify", change.options().verify());
  }

  private static Change change(JsonNode root) {
    return new Change(
        root.path("what").asText(),
        root.path("who").asText(),
        root.path("why").asText(),
        root.path("forced").asBoolean(),
        new MoveOptions(
            root.path("keysPerSecond").asLong(),
            root.path("bytesPerSecond").asLong(),
            root.path("verify").asBoolean()));
  }

  private static Optional<Gradual> gradual(JsonNode root) {
    if (!root.isObject()) {
      return Optional.empty();
    }
    List<Long> epochs = new ArrayList<>();
    root.path("epochs").forEach(epoch -> epochs.add(epoch.asLong()));
    return Optional.of(
        new Gradual(
            root.path("origin").asLong(),
            epochs,
            root.path("circular").asBoolean(),
            root.path("checked").asBoolean(),
            change(root.path("change"))));
  }

  /**
   * Reads a state.
   *
   * @throws IOException if it is none
   */
  public static ClusterState state(byte[] bytes) throws IOException {
    JsonNode root = read(bytes);
    try {
      Map<String, String> runs = new TreeMap<>();
      root.path("runs")
          .properties()
          .forEach(each -> runs.put(each.getKey(), each.getValue().asText()));
      Map<String, TransferToken> tokens = new TreeMap<>();
      root.path("tokens")
          .properties()
          .forEach(
              each ->
                  tokens.put(
                      each.getKey(),
                      new TransferToken(
                          each.getValue().path("version").asLong(),
                          each.getValue().path("generation").asInt(),
                          each.getValue().path("run").asText())));
      JsonNode change = root.path("change");
      JsonNode way = root.path("way");
      return new ClusterState(
          root.path("version").asLong(),
          Phase.valueOf(root.path("phase").asText()),
          root.path("epoch").asLong(),
          root.has("next") ? OptionalLong.of(root.get("next").asLong()) : OptionalLong.empty(),
          new Way(
              way.path("circular").asBoolean(), way.path("low").asInt(), way.path("high").asInt()),
          root.path("leg").asInt(),
          root.path("barrier").asLong(),
          change.isObject() ? Optional.of(change(change)) : Optional.empty(),
          runs,
          tokens,
          root.path("pause").asText(),
          gradual(root.path("gradual")));
    } catch (IllegalArgumentException e) {
      throw new IOException("the stored state is wrong: " + e.getMessage(), e);
    }
  }

  /** A text as bytes. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Bytes as text. */
  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** What clients ask for most, as bytes. */
  static byte[] heat(Heat heat) {
    ObjectNode root = object().put("requests", heat.requests()).put("sampled", heat.sampled());
    ArrayNode keys = root.putArray("keys");
    heat.keys()
        .forEach(
            key ->
                keys.addObject()
                    .put("name", key.name())
                    .put("least", key.least())
                    .put("most", key.most()));
    return bytes(root);
  }

  /** The same from bytes. */
  static Heat heat(byte[] bytes) throws IOException {
    JsonNode root = read(bytes);
    List<Heat.Key> keys = new ArrayList<>();
    for (JsonNode each : root.path("keys")) {
      keys.add(
          new Heat.Key(
              each.path("name").asText(), each.path("least").asLong(), each.path("most").asLong()));
    }
    return new Heat(root.path("requests").asLong(), root.path("sampled").asLong(), keys);
  }
}
