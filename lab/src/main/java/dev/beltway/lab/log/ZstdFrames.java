package dev.beltway.lab.log;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Unpacks zstd, one frame after the other.
 *
 * <p>By the library's step function: its stream takes the end of input within the first block of a
 * second frame for the end of the log.
 */
final class ZstdFrames extends UnpackingStream {

  private static final int BUFFER = 1 << 17;

  private final InputStream in;
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();
  private final byte[] chunk = new byte[BUFFER];
  private final ByteBuffer packed = ByteBuffer.allocateDirect(BUFFER).limit(0);
  private final ByteBuffer plain = ByteBuffer.allocateDirect(BUFFER).limit(0);
  private boolean inFrame;
  private boolean full;

  ZstdFrames(InputStream in) {
    this.in = in;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    while (!plain.hasRemaining()) {
      // A full buffer may not have been all: the library may have more without more input.
      if (!packed.hasRemaining() && !full && !fill()) {
        return -1;
      }
      unpack();
    }
    int count = Math.min(length, plain.remaining());
    plain.get(bytes, offset, count);
    return count;
  }

  private boolean fill() throws IOException {
    int count = in.read(chunk);
    if (count < 0) {
      if (inFrame) {
        throw new EOFException();
      }
      return false;
    }
    packed.clear().put(chunk, 0, count).flip();
    return true;
  }

  private void unpack() throws IOException {
    plain.clear();
    try {
      inFrame = !context.decompressDirectByteBufferStream(plain, packed);
    } catch (ZstdException e) {
      String why = String.valueOf(e.getMessage());
      throw new IOException(
          why.contains("too much memory")
              ? "its window is larger than 128 MiB; unpack it with zstd --long=31 first"
              : why,
          e);
    }
    full = inFrame && !plain.hasRemaining();
    plain.flip();
  }

  @Override
  public void close() {
    context.close();
  }
}
