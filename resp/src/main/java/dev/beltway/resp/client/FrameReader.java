package dev.beltway.resp.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames from a channel. Bytes go from the socket into the loop's one read buffer and are
 * handed on from there; only an incomplete frame is kept, in a buffer of its own that grows with
 * what has arrived and never with what is merely announced. What is read next goes straight behind
 * it.
 */
public abstract class FrameReader extends ChannelInboundHandlerAdapter {

  private static final int LEAST = 16 << 10;
  private static final int MOST_READS = 4;

  private final Tick tick;

  /** Bytes that are not consumed yet. */
  private @Nullable ByteBuf own;

  private boolean consuming;

  /** In this loop. */
  protected FrameReader(Tick tick) {
    this.tick = tick;
  }

  /** Makes the channel read the way that this class wants. Not for channels with TLS. */
  protected final void readInto(Channel channel) {
    channel.config().setRecvByteBufAllocator(Handle::new);
  }

  /**
   * Handles the complete frames in a range of a buffer.
   *
   * @return where the first byte stands that was not consumed
   */
  protected abstract int consume(ByteBuf buf, int from, int to);

  /** How many bytes the frame that has begun will have, as far as is known; 0 if none has. */
  protected abstract long expected();

  /** How many bytes wait here. */
  protected final int unread() {
    return own == null ? 0 : own.readableBytes();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    tick.stamp();
    ByteBuf read = (ByteBuf) message;
    try {
      take(read);
    } finally {
      read.release();
    }
  }

  @SuppressWarnings("ReferenceEquality") // Whether it is the same buffer, not the same bytes.
  private void take(ByteBuf read) {
    if (read == own) {
      consumeOwn();
    } else if (own != null) {
      ByteBuf whole = room(read.readableBytes());
      whole.writeBytes(read);
      consumeOwn();
    } else {
      int to = read.writerIndex();
      int from = consumed(read, read.readerIndex(), to);
      if (from < to) {
        long size = Math.max(expected(), to - from);
        own =
            tick.allocator().directBuffer((int) Math.max(LEAST, Math.min(size, 4L * (to - from))));
        own.writeBytes(read, from, to - from);
      }
    }
  }

  /** Goes on with what was left. */
  @SuppressWarnings("ReferenceEquality") // Whether it is still the same buffer.
  protected final void consumeOwn() {
    ByteBuf buf = own;
    if (buf == null || consuming) {
      return;
    }
    int from = consumed(buf, buf.readerIndex(), buf.writerIndex());
    if (own == buf) {
      buf.readerIndex(from);
      if (!buf.isReadable()) {
        dropUnread();
      }
    }
  }

  private int consumed(ByteBuf buf, int from, int to) {
    consuming = true;
    try {
      return consume(buf, from, to);
    } finally {
      consuming = false;
    }
  }

  /** Forgets what was read and not consumed. Not to be called while consuming. */
  protected final void dropUnread() {
    if (own != null) {
      own.release();
      own = null;
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    dropUnread();
  }

  private ByteBuf room(int atLeast) {
    ByteBuf buf = own;
    if (buf == null) {
      return tick.readBuffer();
    }
    int unread = buf.readableBytes();
    long missing = expected() - unread; // Not above 0 where nothing is known of what follows.
    long least = Math.max(atLeast, missing > 0 ? Math.min(missing, LEAST / 4) : LEAST / 4);
    if (buf.writableBytes() >= least) {
      return buf;
    }
    // Twice as large each time, so that all copying together is about what was read; no larger than
    // the frame where that is known.
    long doubled = missing > 0 ? Math.min(unread + missing, 2L * unread) : 2L * unread;
    long size = Math.max(doubled, unread + Math.max(atLeast, (long) LEAST));
    if (buf.refCnt() == 1 && buf.capacity() >= size && buf.capacity() <= 4 * size) {
      return buf.discardReadBytes();
    }
    ByteBuf larger = tick.allocator().directBuffer((int) Math.min(size, Integer.MAX_VALUE));
    larger.writeBytes(buf);
    buf.release();
    own = larger;
    return larger;
  }

  /** Decides what the channel reads into, and that a short read is the last for now. */
  private final class Handle implements RecvByteBufAllocator.ExtendedHandle {

    private @Nullable ChannelConfig config;
    private int reads;
    private int attempted;
    private int last;

    @Override
    public ByteBuf allocate(ByteBufAllocator unused) {
      ByteBuf into = room(1);
      if (into.writableBytes() == 0) {
        into.ensureWritable(LEAST);
      }
      return into.retain();
    }

    @Override
    public int guess() {
      return LEAST;
    }

    @Override
    public void reset(ChannelConfig changed) {
      config = changed;
      reads = 0;
    }

    @Override
    public void incMessagesRead(int count) {
      reads += count;
    }

    @Override
    public void lastBytesRead(int bytes) {
      last = bytes;
    }

    @Override
    public int lastBytesRead() {
      return last;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
      attempted = bytes;
    }

    @Override
    public int attemptedBytesRead() {
      return attempted;
    }

    @Override
    public boolean continueReading() {
      return last > 0
          && last == attempted
          && reads < MOST_READS
          && config != null
          && config.isAutoRead();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier unused) {
      return continueReading();
    }

    @Override
    public void readComplete() {}
  }
}
