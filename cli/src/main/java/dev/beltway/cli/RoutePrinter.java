package dev.beltway.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes keys with their owners, in one of the formats of {@code beltway route}. */
interface RoutePrinter extends AutoCloseable {

  void print(byte[] key, int offset, int length) throws IOException;

  @Override
  void close() throws IOException;

  /** A printer on standard output. */
  static RoutePrinter of(String format, RouteOwners owners, Terminal terminal)
      throws BadInputException, IOException {
    return switch (format) {
      case "text" -> new Text(owners, "  ", ", ", terminal.out());
      case "tsv" -> new Text(owners, "\t", ",", terminal.out());
      case "json" -> new JsonLines(owners, terminal.out());
      default ->
          throw new BadInputException("--format: \"" + format + "\" is not one of text, tsv, json");
    };
  }

  /** A line a key. */
  final class Text implements RoutePrinter {

    private final RouteOwners owners;
    private final byte[] gap;
    private final byte[] comma;
    private final OutputStream out;

    Text(RouteOwners owners, String gap, String comma, OutputStream out) {
      this.owners = owners;
      this.gap = gap.getBytes(StandardCharsets.UTF_8);
      this.comma = comma.getBytes(StandardCharsets.UTF_8);
      this.out = out;
    }

    @Override
    public void print(byte[] key, int offset, int length) throws IOException {
      if (hasControl(key, offset, length)) {
        String text = Json.tree(new String(key, offset, length, StandardCharsets.UTF_8)).toString();
        out.write(text.substring(1, text.length() - 1).getBytes(StandardCharsets.UTF_8));
      } else {
        out.write(key, offset, length);
      }
      out.write(gap);
      int count = owners.find(key, offset, length);
      for (int i = 0; i < count; i++) {
        if (i > 0) {
          out.write(comma);
        }
        out.write(owners.id(i).getBytes(StandardCharsets.UTF_8));
      }
      out.write('\n');
    }

    private static boolean hasControl(byte[] key, int offset, int length) {
      for (int i = offset; i < offset + length; i++) {
        if (key[i] >= 0 && key[i] < ' ' || key[i] == 0x7f) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void close() throws IOException {
      out.flush();
    }
  }

  /** An object a line. */
  final class JsonLines implements RoutePrinter {

    private final RouteOwners owners;
    private final JsonGenerator json;

    JsonLines(RouteOwners owners, OutputStream out) throws IOException {
      this.owners = owners;
      this.json = new JsonFactory().createGenerator(out);
      json.setRootValueSeparator(null);
    }

    @Override
    public void print(byte[] key, int offset, int length) throws IOException {
      json.writeStartObject();
      json.writeStringField("key", new String(key, offset, length, StandardCharsets.UTF_8));
      json.writeArrayFieldStart("owners");
      int count = owners.find(key, offset, length);
      for (int i = 0; i < count; i++) {
        json.writeString(owners.id(i));
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    }

    @Override
    public void close() throws IOException {
      json.flush();
    }
  }
}
