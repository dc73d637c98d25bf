package dev.beltway.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A stream that remembers that it failed; print streams forget what it was. */
final class Sink extends FilterOutputStream {

  private @Nullable IOException failure;

  Sink(OutputStream out) {
    super(out);
  }

  @Override
  public void write(int octet) throws IOException {
    try {
      out.write(octet);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** Throws what made the stream fail, if anything did. */
  void check() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  /** Whether the reader has gone, as {@code head} does: no reason for a message. */
  boolean isAbandoned() {
    return failure != null
        && String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
  }

  boolean hasFailed() {
    return failure != null;
  }
}
