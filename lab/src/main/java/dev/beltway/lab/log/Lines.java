package dev.beltway.lab.log;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Cuts a stream into lines, in place and in bounded memory.
 *
 * <p>Lines end with LF or CRLF. Where the first {@link #LOOK_AHEAD} bytes have a CR and no LF, as
 * files of old Macs do, CR ends lines too. The last line may end with the stream. A UTF-8 byte
 * order mark at the begin is no part of the first line.
 */
final class Lines {

  /** How many bytes may pass without an LF before a CR counts as the end of a line. */
  static final int LOOK_AHEAD = 1 << 16;

  private static final String WIDE = "is UTF-16 or UTF-32; convert it to UTF-8 first";
  private static final byte[] TAR = {'u', 's', 't', 'a', 'r'};
  private static final int TAR_AT = 257;
  private static final int TAR_HEADER = 512;
  private static final int BUFFER = 1 << 18;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long LINE_FEEDS = '\n' * ONES;

  private final InputStream in;
  private final int mostBytes;
  private byte[] buffer = new byte[BUFFER];
  private int next;
  private int limit;
  private boolean ended;
  private boolean returnsEnd;
  private boolean skipFeed;
  private int begin;
  private int end;
  private boolean tooLong;
  private boolean unended;

  Lines(InputStream in, int mostBytes) {
    this.in = in;
    this.mostBytes = mostBytes;
  }

  /** Looks at the begin of the stream: its mark and how its lines end. Once, before all else. */
  void open() throws IOException, KeyLogException {
    while (limit < 3 && fill()) {
      // A mark has three bytes.
    }
    boolean marked =
        limit >= 3
            && buffer[0] == (byte) 0xef
            && buffer[1] == (byte) 0xbb
            && buffer[2] == (byte) 0xbf;
    if (limit >= 2
        && (buffer[0] == (byte) 0xff && buffer[1] == (byte) 0xfe
            || buffer[0] == (byte) 0xfe && buffer[1] == (byte) 0xff)) {
      throw new KeyLogException(WIDE);
    }
    returnsEnd = returnsEndLines();
    refuseOtherContent();
    next = marked ? 3 : 0; // Not earlier: filling moves what comes after it to the front.
  }

  /** What would be read as keys that nobody has. */
  private void refuseOtherContent() throws IOException, KeyLogException {
    String packing = Unpacked.packing(Arrays.copyOf(buffer, Math.min(limit, 10)));
    if (packing != null) {
      throw new KeyLogException("is packed twice, with " + packing + " inside; unpack it first");
    }
    boolean zero = false;
    for (int i = 0; i < Math.min(limit, 100); i++) {
      zero |= buffer[i] == 0;
    }
    if (!zero) {
      return; // As all text.
    }
    while (limit < TAR_HEADER && fill()) {
      // Enough to tell, however the stream is cut.
    }
    if (limit >= TAR_HEADER
        && Arrays.equals(buffer, TAR_AT, TAR_AT + TAR.length, TAR, 0, TAR.length)
        && (buffer[TAR_AT + TAR.length] == 0 || buffer[TAR_AT + TAR.length] == ' ')) {
      throw new KeyLogException("is a tar archive; take the log out of it first");
    }
    if (isWide(0) || isWide(1)) {
      throw new KeyLogException(WIDE);
    }
  }

  /** Text of which every second byte is zero, from the first or from the second on. */
  private boolean isWide(int zeroes) {
    int seen = Math.min(limit, 64) & ~1;
    boolean letters = false;
    for (int i = 0; i < seen; i++) {
      int c = buffer[i];
      boolean text = c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t';
      if (i % 2 == zeroes ? c != 0 : !text) {
        return false;
      }
      letters |= c > ' ';
    }
    return seen >= 4 && letters;
  }

  private boolean returnsEndLines() throws IOException {
    boolean returns = false;
    int seen = 0;
    do {
      for (; seen < Math.min(limit, LOOK_AHEAD); seen++) {
        if (buffer[seen] == '\n') {
          return false;
        }
        returns |= buffer[seen] == '\r';
      }
    } while (seen < LOOK_AHEAD && fill());
    return returns;
  }

  /** Goes to the next line; false at the end. */
  boolean advance() throws IOException {
    tooLong = false;
    if (skipFeed && (next < limit || fill())) {
      next += buffer[next] == '\n' ? 1 : 0;
      skipFeed = false;
    }
    int from = next;
    int scanned = from;
    while (true) {
      int at = returnsEnd ? indexOfEither(scanned) : indexOfFeed(scanned);
      if (at >= 0) {
        next = at + 1;
        skipFeed = returnsEnd && buffer[at] == '\r';
        return found(from, at);
      }
      int length = limit - from;
      if (length > mostBytes + 1) {
        tooLong = true;
        next = limit; // Nothing of it is needed any more.
        from = limit;
        length = 0;
      } else {
        next = from;
      }
      boolean more = fill();
      from = next; // What is not used yet has gone to the front.
      scanned = from + length;
      if (!more) {
        next = limit;
        unended |= length > 0 || tooLong;
        return (length > 0 || tooLong) && found(from, limit);
      }
    }
  }

  private boolean found(int from, int to) {
    begin = from;
    end = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
    tooLong |= end - begin > mostBytes;
    return true;
  }

  private int indexOfFeed(int from) {
    int i = from;
    for (; i + Long.BYTES <= limit; i += Long.BYTES) {
      long word = (long) LONGS.get(buffer, i) ^ LINE_FEEDS;
      long hit = (word - ONES) & ~word & HIGHS;
      if (hit != 0) {
        return i + (Long.numberOfTrailingZeros(hit) >>> 3);
      }
    }
    for (; i < limit; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private int indexOfEither(int from) {
    for (int i = from; i < limit; i++) {
      if (buffer[i] == '\n' || buffer[i] == '\r') {
        return i;
      }
    }
    return -1;
  }

  /** Reads more behind what is not used yet, which goes to the front; false at the end. */
  private boolean fill() throws IOException {
    if (ended) {
      return false;
    }
    if (next > 0) {
      System.arraycopy(buffer, next, buffer, 0, limit - next);
      limit -= next;
      next = 0;
    }
    if (limit == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * limit);
    }
    int count;
    do {
      count = in.read(buffer, limit, buffer.length - limit);
    } while (count == 0);
    ended = count < 0;
    limit += Math.max(0, count);
    return !ended;
  }

  /** The array in which the line stands until the next one is asked for. */
  byte[] bytes() {
    return buffer;
  }

  int begin() {
    return begin;
  }

  /** The line's end, exclusive; what ends it is no part of it. */
  int end() {
    return end;
  }

  /** Whether the stream ended within a line. */
  boolean isUnended() {
    return unended;
  }

  /** Whether the line was too long; its content is gone then. */
  boolean isTooLong() {
    return tooLong;
  }
}
