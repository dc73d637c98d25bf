package dev.beltway.lab.log;

import java.io.IOException;
import java.io.InputStream;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests of a log from a stream, in memory that doesn't grow with the stream.
 *
 * <p>Gzip and zstd are recognised by content, several members in a row included. Lines end with LF
 * or CRLF, or with CR where a file has no LF; the last may end with the stream; a UTF-8 byte order
 * mark at the begin is not part of the first line. Keys are bytes. Lines without a request are
 * skipped and counted by reason, see {@link Skip}.
 */
public final class KeyLog {

  /** The longest line, in bytes. */
  public static final int MOST_BYTES = 1 << 20;

  private final Lines lines;
  private final LineParser parser;
  private final RequestVisitor visitor;
  private final RequestVisitor counting = this::count;
  private final Request request = new Request();
  private final Map<Skip, LogCounts.Skipped> skipped = new EnumMap<>(Skip.class);
  private long lineCount;
  private long used;
  private long requests;
  private long bytes;
  private boolean tooMuch;

  private KeyLog(InputStream in, LogFormat format, RequestVisitor visitor) {
    this.lines = new Lines(in, MOST_BYTES);
    this.parser = format.parser();
    this.visitor = visitor;
  }

  /**
   * Reads a stream to its end; doesn't close it.
   *
   * @throws KeyLogException if the content is damaged or can't be of the format, or the stream
   *     can't be read any more; what was read before has been visited, and the exception has its
   *     counts
   * @throws IOException if nothing of the stream can be read, or the visitor throws it
   */
  public static LogCounts read(InputStream in, LogFormat format, RequestVisitor visitor)
      throws IOException, KeyLogException {
    try (Unpacked unpacked = Unpacked.of(in)) {
      KeyLog log = new KeyLog(unpacked.stream, format, visitor);
      try {
        log.open(unpacked);
        while (log.advance(unpacked)) {
          log.parse();
        }
      } catch (KeyLogException e) {
        throw e.after(log.counts());
      }
      return log.counts();
    }
  }

  /** Reads the keys alone; see {@link #read}. */
  public static LogCounts readKeys(InputStream in, LogFormat format, KeyVisitor visitor)
      throws IOException, KeyLogException {
    return read(
        in, format, request -> visitor.visit(request.bytes(), request.offset(), request.length()));
  }

  private void open(Unpacked unpacked) throws IOException, KeyLogException {
    try {
      lines.open();
    } catch (IOException e) {
      throw unpacked.damage(e, 0);
    }
  }

  private boolean advance(Unpacked unpacked) throws IOException, KeyLogException {
    try {
      return lines.advance();
    } catch (IOException e) {
      if (unpacked.isSourceBroken() && lineCount > 0) {
        throw new KeyLogException("can't be read after line " + lineCount + ": " + e.getMessage());
      }
      throw unpacked.damage(e, lineCount);
    }
  }

  private void parse() throws IOException, KeyLogException {
    lineCount++;
    @Nullable Skip skip;
    if (lines.isTooLong()) {
      skip = Skip.TOO_LONG;
    } else if (lines.begin() == lines.end()) {
      skip = Skip.EMPTY;
    } else {
      request.reset();
      try {
        skip = parser.parse(lines.bytes(), lines.begin(), lines.end(), request, counting);
      } catch (KeyLogException e) {
        throw new KeyLogException("line " + lineCount + " " + e.getMessage());
      }
    }
    if (skip == null) {
      used++;
    } else {
      skipped.merge(
          skip,
          new LogCounts.Skipped(1, lineCount),
          (all, one) -> new LogCounts.Skipped(all.lines() + 1, all.first()));
    }
    if (tooMuch) {
      throw new KeyLogException("line " + lineCount + " makes the sum of counts too large");
    }
  }

  private void count(Request one) throws IOException {
    boolean fits = one.size() == 0 || one.count() <= (LogCounts.MOST_TOTAL - bytes) / one.size();
    tooMuch |= !fits || one.count() > LogCounts.MOST_TOTAL - requests;
    if (!tooMuch) {
      requests += one.count();
      bytes += one.count() * one.size();
      visitor.visit(one);
    }
  }

  private LogCounts counts() {
    return new LogCounts(lineCount, used, requests, bytes, skipped, lines.isUnended());
  }
}
