package dev.beltway.lab.keys;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads keys from a stream, one a line, in memory that doesn't grow with the stream.
 *
 * <p>A key is bytes. Lines end with LF or CRLF; the last may end with the stream; a UTF-8 byte
 * order mark at the begin is not part of the first key. Gzip is recognised by content, several
 * members in a row included. Empty lines and lines over {@link #MOST_BYTES} are skipped and
 * counted.
 */
public final class KeyLog {

  /** The longest key, in bytes. */
  public static final int MOST_BYTES = 1 << 20;

  private static final int BUFFER = 1 << 16;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  /** How a line is read. */
  public enum Format {
    /** The line is the key. */
    LINES,
    /** The line is a JSON string whose UTF-8 bytes are the key; may be empty. */
    JSONL
  }

  /** Takes one key after the other. */
  @FunctionalInterface
  public interface KeyVisitor {
    /** One key: {@code length} bytes from {@code offset}, valid during the call only. */
    void visit(byte[] bytes, int offset, int length) throws IOException;
  }

  /**
   * What was read.
   *
   * @param lines all lines
   * @param keys the lines that were keys
   * @param blank empty lines, skipped
   * @param tooLong lines over {@link #MOST_BYTES}, skipped
   */
  public record Counts(long lines, long keys, long blank, long tooLong) {}

  private final Format format;
  private final ObjectMapper json =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private byte[] line = new byte[256];
  private int length;
  private boolean overlong;
  private long lines;
  private long keys;
  private long blank;
  private long tooLong;

  private KeyLog(Format format) {
    this.format = format;
  }

  /**
   * Reads a stream to its end; doesn't close it.
   *
   * @throws KeyLogException if the content is damaged or isn't of the format; the keys before it
   *     have been visited
   */
  public static Counts read(InputStream in, Format format, KeyVisitor visitor)
      throws IOException, KeyLogException {
    return new KeyLog(format).read(in, visitor);
  }

  private Counts read(InputStream raw, KeyVisitor visitor) throws IOException, KeyLogException {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = unpacked(raw);
      boolean first = true;
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        int from = first && startsWithMark(buffer, count) ? BYTE_ORDER_MARK.length : 0;
        first &= count == 0;
        for (int i = from; i < count; i++) {
          if (buffer[i] == '\n') {
            append(buffer, from, i);
            endLine(visitor);
            from = i + 1;
          }
        }
        append(buffer, from, count);
      }
      if (length > 0 || overlong) {
        endLine(visitor);
      }
    } catch (EOFException | ZipException e) {
      String why = e.getMessage() == null ? "it ends early" : e.getMessage();
      throw new KeyLogException("is damaged gzip after line " + lines + ": " + why);
    }
    return new Counts(lines, keys, blank, tooLong);
  }

  private static InputStream unpacked(InputStream raw) throws IOException, KeyLogException {
    BufferedInputStream in = new BufferedInputStream(raw, BUFFER);
    in.mark(4);
    byte[] magic = in.readNBytes(4);
    in.reset();
    if (magic.length >= 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
      return new GZIPInputStream(in, BUFFER);
    }
    if (Arrays.equals(magic, new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd})) {
      throw new KeyLogException("is zstd; unpack it first, or use gzip");
    }
    return in;
  }

  private static boolean startsWithMark(byte[] buffer, int count) {
    return count >= BYTE_ORDER_MARK.length
        && Arrays.equals(buffer, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, 3);
  }

  private void append(byte[] buffer, int from, int to) {
    int count = to - from;
    if (overlong || length + count > MOST_BYTES + 1) {
      overlong = true;
      length = 0;
      return;
    }
    if (length + count > line.length) {
      line = Arrays.copyOf(line, Math.max(2 * line.length, length + count));
    }
    System.arraycopy(buffer, from, line, length, count);
    length += count;
  }

  private void endLine(KeyVisitor visitor) throws IOException, KeyLogException {
    lines++;
    int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
    length = 0;
    if (overlong || end > MOST_BYTES) {
      overlong = false;
      tooLong++;
    } else if (end == 0) {
      blank++;
    } else if (format == Format.LINES) {
      keys++;
      visitor.visit(line, 0, end);
    } else {
      byte[] key = jsonString(end).getBytes(StandardCharsets.UTF_8);
      keys++;
      visitor.visit(key, 0, key.length);
    }
  }

  private static boolean isUnicode(String text) {
    return text.codePoints()
        .noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }

  private String jsonString(int end) throws IOException, KeyLogException {
    try {
      JsonNode node = json.readTree(line, 0, end);
      if (node.isTextual() && isUnicode(node.textValue())) {
        return node.textValue();
      }
      if (node.isTextual()) {
        throw new KeyLogException("line " + lines + " has half a surrogate pair: not a key");
      }
    } catch (JsonProcessingException e) {
      throw new KeyLogException(
          "line " + lines + " is not a JSON string: " + e.getOriginalMessage());
    }
    throw new KeyLogException("line " + lines + " is JSON, but not a string");
  }
}
