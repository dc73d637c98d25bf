package dev.beltway.lab.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A JSON string a line. A line that is none is an error: whoever writes JSON does so because each
 * byte counts.
 */
final class JsonlParser implements LineParser {

  private final ObjectMapper json =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  @Override
  public @Nullable Skip parse(byte[] line, int from, int to, Request request, RequestVisitor out)
      throws IOException, KeyLogException {
    byte[] key = text(line, from, to).getBytes(StandardCharsets.UTF_8);
    request.key(key, 0, key.length);
    out.visit(request);
    return null;
  }

  private String text(byte[] line, int from, int to) throws IOException, KeyLogException {
    try {
      JsonNode node = json.readTree(line, from, to - from);
      if (node.isTextual() && isUnicode(node.textValue())) {
        return node.textValue();
      }
      if (node.isTextual()) {
        throw new KeyLogException("has half a surrogate pair: not a key");
      }
    } catch (JsonProcessingException e) {
      throw new KeyLogException("is not a JSON string: " + e.getOriginalMessage());
    }
    throw new KeyLogException("is JSON, but not a string");
  }

  private static boolean isUnicode(String text) {
    return text.codePoints()
        .noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }
}
