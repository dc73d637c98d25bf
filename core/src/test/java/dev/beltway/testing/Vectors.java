package dev.beltway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A file of test vectors: a header with column names, and rows. */
public record Vectors(JsonNode header, List<JsonNode> rows) {

  /** Reads a file of the folder {@code vectors} on the class path. */
  public static Vectors read(String name) {
    try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + name)) {
      JsonNode root = new ObjectMapper().readTree(in);
      List<JsonNode> rows = new ArrayList<>();
      root.get("rows").forEach(rows::add);
      if (rows.size() != root.get("header").get("count").asInt()) {
        throw new IllegalStateException(name + " has " + rows.size() + " rows");
      }
      return new Vectors(root.get("header"), List.copyOf(rows));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The index of a column. */
  public int column(String name) {
    for (int i = 0; i < header.get("columns").size(); i++) {
      if (header.get("columns").get(i).asText().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no column " + name);
  }

  /** A cell as an unsigned hexadecimal number. */
  public static long hex(JsonNode cell) {
    return Long.parseUnsignedLong(cell.asText(), 16);
  }
}
