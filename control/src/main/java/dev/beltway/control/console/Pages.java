package dev.beltway.control.console;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The console's files: modules, styles and texts out of this program, and one library that comes
 * along. Nothing is built, and nothing comes from another host. Thread-safe.
 */
public final class Pages {

  /** What the browser may load and run: this server's own files, and no script inside a page. */
  public static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src"
          + " 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors"
          + " 'none'";

  private static final String OWN = "/dev/beltway/control/console/";

  /** What other projects have made, by the name that pages know it by. */
  private static final Map<String, String> LIBRARIES =
      Map.of("lib/lit-html.js", "/META-INF/resources/webjars/lit-html/3.3.2/lit-html.js");

  /** A name can't lead out of the folder: it has no dots but the one before its end. */
  private static final Pattern NAME =
      Pattern.compile("(?:[a-z0-9-]{1,40}/){0,2}[a-z0-9-]{1,40}\\.(js|css|svg|html)");

  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "html", "text/html; charset=utf-8");

  /**
   * A file.
   *
   * @param bytes of it
   * @param type of its content
   * @param tag that changes when its content does
   */
  public record Page(ByteBuffer bytes, String type, String tag) {

    /** To be read. */
    public InputStream open() {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      return new ByteArrayInputStream(copy);
    }
  }

  private final Map<String, Page> read = new ConcurrentHashMap<>();

  /** The file of this name; empty if there is none. */
  public Optional<Page> page(String name) throws IOException {
    Page known = read.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    if (!NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    String place = LIBRARIES.getOrDefault(name, OWN + name);
    try (InputStream in = Pages.class.getResourceAsStream(place)) {
      if (in == null) {
        return Optional.empty();
      }
      byte[] bytes = in.readAllBytes();
      String end = name.substring(name.lastIndexOf('.') + 1);
      Page page =
          new Page(
              ByteBuffer.wrap(bytes).asReadOnlyBuffer(),
              TYPES.getOrDefault(end, "text/plain"),
              tag(bytes));
      read.put(name, page);
      return Optional.of(page);
    }
  }

  private static String tag(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return '"' + HexFormat.of().formatHex(hash, 0, 12) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }
}
