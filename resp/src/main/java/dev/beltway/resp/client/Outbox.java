package dev.beltway.resp.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to a channel. Small pieces are copied together, which costs less than to
 * hand each to the system by itself; large ones are forwarded as slices of the buffer that they
 * came in.
 *
 * <p>The border of 8 KiB is a choice: it was not tuned.
 */
public final class Outbox {

  private static final int FORWARD_BYTES = 8 << 10;
  private static final int MOST_GATHERED = 16 << 10;
  private static final int LEAST_GATHERED = 256;

  private final Tick tick;
  private final Queue<ByteBuf> pieces = new ArrayDeque<>(4);
  private @Nullable ByteBuf gather;
  private int usual = LEAST_GATHERED;
  private long bytes;

  /** An empty one. */
  public Outbox(Tick tick) {
    this.tick = tick;
  }

  /** Appends a range of a buffer, which stays the caller's. */
  public void write(ByteBuf buf, int offset, int length) {
    if (length >= FORWARD_BYTES) {
      forward(buf.retainedSlice(offset, length));
    } else {
      tail(length).writeBytes(buf, offset, length);
    }
  }

  /** Appends a buffer, which is the outbox's from now on. */
  public void forward(ByteBuf buf) {
    endGather();
    bytes += buf.readableBytes();
    pieces.add(buf);
  }

  /** Where small pieces are written to, by the caller himself, at once. */
  public ByteBuf tail(int length) {
    ByteBuf into = gather;
    if (into != null
        && into.writableBytes() < length
        && into.readableBytes() >= MOST_GATHERED / 2) {
      endGather();
      into = null;
    }
    if (into == null) {
      into = tick.allocator().directBuffer(Math.max(usual, Math.min(length, MOST_GATHERED)));
      gather = into;
    }
    return into;
  }

  private void endGather() {
    if (gather != null) {
      bytes += gather.readableBytes();
      pieces.add(gather);
      gather = null;
    }
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return gather == null && pieces.isEmpty();
  }

  /** How many bytes wait. */
  public long bytes() {
    return gather == null ? bytes : bytes + gather.readableBytes();
  }

  /** Writes all of it to the channel. */
  public void flushTo(Channel channel) {
    ByteBuf only = gather;
    if (only != null) {
      // The next one begins as large as this one was.
      int size = only.readableBytes();
      usual =
          size > usual
              ? Math.min(MOST_GATHERED, Integer.highestOneBit(size) << 1)
              : size < usual / 4 ? Math.max(LEAST_GATHERED, usual / 2) : usual;
    }
    if (pieces.isEmpty() && only != null) {
      gather = null;
      channel.writeAndFlush(only, channel.voidPromise());
      return;
    }
    endGather();
    for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
      channel.write(piece, channel.voidPromise());
    }
    bytes = 0;
    channel.flush();
  }

  /** Forgets all of it. */
  public void clear() {
    endGather();
    pieces.forEach(ByteBuf::release);
    pieces.clear();
    bytes = 0;
  }
}
