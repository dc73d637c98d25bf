package dev.beltway.lab.log;

import java.io.IOException;
import java.io.InputStream;

/** A stream that gives blocks; single bytes go through them. */
abstract class UnpackingStream extends InputStream {

  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public abstract int read(byte[] bytes, int offset, int length) throws IOException;
}
