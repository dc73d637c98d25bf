package dev.beltway.lab.log;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks gzip, one member after the other.
 *
 * <p>Member by member, since the libraries' own reading of several either takes garbage for the end
 * (the JDK's) or loses what it had unpacked when it meets some (Commons Compress's).
 */
final class GzipMembers extends UnpackingStream {

  /** What is asked for at once: that much may be lost before a damaged place. */
  private static final int CHUNK = 512;

  private final BufferedInputStream in;
  private @Nullable InputStream member;
  private boolean unpackedOne;

  GzipMembers(BufferedInputStream in) {
    this.in = in;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    while (true) {
      if (member == null) {
        if (!isMore()) {
          return -1;
        }
        member = GzipCompressorInputStream.builder().setInputStream(in).get();
      }
      int count = member.read(bytes, offset, Math.min(length, CHUNK));
      if (count > 0) {
        return count;
      }
      member = null;
      unpackedOne = true;
    }
  }

  private boolean isMore() throws IOException {
    int first;
    do {
      in.mark(2);
      first = in.read();
    } while (first == 0 && unpackedOne); // As tapes and blocks pad, and gzip ignores.
    int second = first < 0 ? -1 : in.read();
    in.reset();
    if (first == 0x1f && second < 0) {
      throw new EOFException();
    }
    if (first >= 0 && (first != 0x1f || second != 0x8b)) {
      throw new IOException("something else follows it");
    }
    return first >= 0;
  }
}
