package dev.beltway.lab.log;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A stream unpacked by what it contains, whatever its name says. */
final class Unpacked implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  /** The stream as text. */
  final InputStream stream;

  private final @Nullable String packing;
  private final Source source;

  private Unpacked(InputStream stream, @Nullable String packing, Source source) {
    this.stream = stream;
    this.packing = packing;
    this.source = source;
  }

  /**
   * Looks at the first bytes. Gzip and zstd are unpacked, all members and frames of them; other
   * packings that would only give nonsense as text are refused.
   */
  static Unpacked of(InputStream raw) throws IOException, KeyLogException {
    Source source = new Source(raw);
    BufferedInputStream in = new BufferedInputStream(source, BUFFER);
    in.mark(10);
    byte[] first = in.readNBytes(10);
    in.reset();
    String packing = packing(first);
    if (packing == null) {
      return new Unpacked(in, null, source);
    }
    return switch (packing) {
      case "gzip" -> new Unpacked(new GzipMembers(in), packing, source);
      case "zstd" -> new Unpacked(new ZstdFrames(in), packing, source);
      default ->
          throw new KeyLogException(
              "is packed with " + packing + "; unpack it first, or use gzip or zstd");
    };
  }

  /** What the first ten bytes are packed with, by its name; null if it isn't. */
  static @Nullable String packing(byte[] first) {
    if (starts(first, 0x1f, 0x8b)) {
      return "gzip";
    }
    boolean skippable =
        first.length >= 4
            && (first[0] & 0xf0) == 0x50
            && first[1] == 0x2a
            && first[2] == 0x4d
            && first[3] == 0x18;
    if (starts(first, 0x28, 0xb5, 0x2f, 0xfd) || skippable) {
      return "zstd";
    }
    if (starts(first, 0xfd, '7', 'z', 'X', 'Z', 0)) {
      return "xz";
    }
    if (starts(first, 'B', 'Z', 'h') && first.length == 10 && first[4] == '1' && first[5] == 'A') {
      return "bzip2";
    }
    if (starts(first, 'P', 'K', 3, 4)) {
      return "zip";
    }
    return starts(first, 0x04, 0x22, 0x4d, 0x18) ? "lz4" : null;
  }

  private static boolean starts(byte[] bytes, int... wanted) {
    if (bytes.length < wanted.length) {
      return false;
    }
    for (int i = 0; i < wanted.length; i++) {
      if (bytes[i] != (byte) wanted[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether the stream itself could not be read, which is not the content's fault. */
  boolean isSourceBroken() {
    return source.failed;
  }

  /** What a failure while reading means: damage, unless the source itself could not be read. */
  KeyLogException damage(IOException failure, long linesRead) throws IOException {
    if (packing == null || source.failed) {
      throw failure;
    }
    String why = failure.getMessage();
    return new KeyLogException(
        "is damaged "
            + packing
            + " after line "
            + linesRead
            + ": "
            + (failure instanceof EOFException || why == null || why.isEmpty()
                ? "it ends early"
                : why));
  }

  /** Frees what unpacking needs; the raw stream stays open. */
  @Override
  public void close() {
    if (stream instanceof ZstdFrames frames) {
      frames.close();
    }
  }

  /** Remembers whether reading failed, which is not the content's fault. */
  private static final class Source extends FilterInputStream {

    private boolean failed;

    Source(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      int count = read(one, 0, 1);
      return count < 0 ? count : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        return in.read(bytes, offset, length);
      } catch (IOException e) {
        failed = true;
        throw e;
      }
    }
  }
}
