package dev.beltway.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** JSON for machines. */
final class Json {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Indented, with a line end. */
  static String pretty(JsonNode node) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }

  static void put(ObjectNode object, String field, OptionalLong value) {
    value.ifPresent(v -> object.put(field, v));
  }

  static void put(ObjectNode object, String field, OptionalDouble value) {
    value.ifPresent(v -> object.put(field, v));
  }
}
