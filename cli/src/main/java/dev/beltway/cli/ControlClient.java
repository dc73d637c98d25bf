package dev.beltway.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Asks a control process over its API. */
final class ControlClient {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final String base;
  private final String key;

  /**
   * A client.
   *
   * @param address host:port, or a URL
   * @throws BadInputException if it is neither
   */
  ControlClient(String address) throws BadInputException {
    boolean url = address.startsWith("http://") || address.startsWith("https://");
    this.base = (url ? address : "http://" + address).replaceAll("/+$", "");
    try {
      if (URI.create(base).getHost() == null) {
        throw new BadInputException("--control: \"" + address + "\" is not host:port or a URL");
      }
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--control: \"" + address + "\" is not host:port or a URL");
    }
    String given = System.getenv("BELTWAY_API_KEY");
    this.key = given == null ? "" : given;
  }

  /** An empty document. */
  static ObjectNode body() {
    return JSON.createObjectNode();
  }

  /** A part of a path. */
  static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  JsonNode get(String path) throws BadInputException, RefusedException {
    return ask("GET", path, null);
  }

  /** Sends a document, or a text. */
  JsonNode ask(String method, String path, @Nullable Object body)
      throws BadInputException, RefusedException {
    HttpRequest.Builder request;
    try {
      request = HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT);
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--control: " + e.getMessage());
    }
    if (!key.isEmpty()) {
      if (!key.matches("[!-~]+")) {
        throw new BadInputException("BELTWAY_API_KEY has a space or another odd character in it");
      }
      request.header("Authorization", "Bearer " + key);
    }
    String user = System.getProperty("user.name", "");
    if (user.matches("[ -~]{1,60}")) {
      request.header("X-Beltway-User", user);
    }
    request.method(
        method,
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body.toString()));
    HttpResponse<String> response;
    try {
      response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new BadInputException(
          "no control process answers at "
              + base
              + "; start one with: beltway control --data DIR"
              + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BadInputException("interrupted");
    }
    JsonNode document;
    try {
      document = JSON.readTree(response.body());
    } catch (JsonProcessingException e) {
      throw new BadInputException("what answers at " + base + " is no control process");
    }
    boolean wrong = response.statusCode() == 400 || response.statusCode() == 404;
    if (wrong) {
      throw new BadInputException(
          document.path("detail").asText() + "; " + document.path("remedy").asText());
    }
    if (response.statusCode() >= 400) {
      throw new RefusedException(
          document.path("detail").asText("status " + response.statusCode()),
          document.path("remedy").asText());
    }
    return document;
  }
}
