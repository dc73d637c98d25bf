package dev.beltway.proxy;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.beltway.proxy.access.User;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.FrameReader;
import dev.beltway.resp.client.Outbox;
import dev.beltway.resp.client.Tick;
import dev.beltway.resp.codec.InlineRequest;
import dev.beltway.resp.codec.RequestScanner;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection. Requests go to nodes as they come, replies go back in the order of the
 * requests: one that comes too early waits in the parking lot, and only for replies that the client
 * must see first.
 *
 * <p>A client that doesn't read its replies is not read from; one with too many requests under way
 * isn't either. Others don't notice.
 */
final class Session extends FrameReader {

  /** A reply as large as this is kept as a slice of the buffer that it came in. */
  private static final int HOLD_BYTES = 8 << 10;

  private static final int LARGE_LOT = 64 << 10;

  private static final int LINGER_MILLIS = 500;

  /** How much is read from a client that is not listened to at the moment, to notice its end. */
  private static final int MOST_UNREAD = 64 << 10;

  private final Worker worker;
  private final Channel channel;
  private final long id;
  private final boolean encrypted;
  private final RequestScanner scanner;
  private final FrameArguments arguments;
  private final Outbox out;
  private final Tick.Task flush = this::flush;
  private final Tick.Task resume = this::goOn;

  private @Nullable Request head;
  private @Nullable Request tail;
  private int underWay;

  private @Nullable ByteBuf parking;
  private int parked;
  private long parkedBytes;

  /** Bytes of requests under way, and of parts of replies. */
  private long requestBytes;

  private boolean flushing;
  private boolean resuming;
  private boolean closed;
  private boolean inputEnded;
  private boolean ending;

  /** After this reply the connection ends. */
  private boolean leaving;

  /** Until something has come to its end, such as a blocking command, no request is taken. */
  private boolean held;

  /** A request waits until nothing else is under way. */
  private boolean awaitingQuiet;

  private @Nullable Runnable onQuiet;

  final ClientState client;

  Session(Worker worker, Channel channel, long id, boolean encrypted) {
    super(worker.tick());
    this.worker = worker;
    this.channel = channel;
    this.id = id;
    this.encrypted = encrypted;
    this.client = new ClientState(worker.settings().users().unnamed().orElse(null));
    this.scanner =
        new RequestScanner(client.user == null ? RespLimits.BEFORE_AUTH : RespLimits.OF_A_SERVER);
    this.arguments = new FrameArguments(scanner);
    this.out = new Outbox(worker.tick());
  }

  long id() {
    return id;
  }

  Worker worker() {
    return worker;
  }

  Channel channel() {
    return channel;
  }

  boolean isClosed() {
    return closed;
  }

  /** More, or less, is kept for one of its requests. */
  void keep(Request request, int bytes) {
    request.weight += bytes;
    requestBytes += bytes;
  }

  int underWay() {
    return underWay;
  }

  /** Bytes that are kept for this client. */
  long bytes() {
    return unread() + parkedBytes + requestBytes + out.bytes() + outbound() + client.bytes();
  }

  private long outbound() {
    var buffer = channel.unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  String address() {
    return text(channel.remoteAddress());
  }

  String localAddress() {
    return text(channel.localAddress());
  }

  private static String text(java.net.@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
      String host = inet.getAddress().getHostAddress();
      return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
    }
    return "";
  }

  /** Who the client is now. */
  void login(@Nullable User user) {
    client.login(user);
    scanner.limits(user == null ? RespLimits.BEFORE_AUTH : RespLimits.OF_A_SERVER);
  }

  // ---------------------------------------------------------------- requests

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (!encrypted) {
      readInto(context.channel());
    }
  }

  @Override
  protected int consume(ByteBuf buf, int begin, int to) {
    int from = begin;
    try {
      while (from < to && takesRequests() && scanner.scan(buf, from, to)) {
        int length = scanner.length();
        boolean taken = true;
        if (scanner.isInline()) {
          inline(buf, from, length);
        } else if (scanner.count() > 0) {
          arguments.at(buf, from);
          taken = worker.dispatcher().handle(this, arguments, length);
        }
        scanner.reset();
        if (!taken) {
          break;
        }
        worker.traffic().bytesIn += length;
        from += length;
      }
    } catch (RespException e) {
      worker.traffic().protocolErrors++;
      RespWriter.error(openReply(), "ERR " + e.text());
      closeReply();
      leave();
    }
    if (leaving || closed) {
      return to;
    }
    if (!takesRequests() && (!held || to - from > MOST_UNREAD)) {
      channel.config().setAutoRead(false);
    }
    return from;
  }

  private void inline(ByteBuf buf, int from, int length) throws RespException {
    List<byte[]> words = InlineRequest.words(buf, from, from + length);
    if (words.isEmpty()) {
      return;
    }
    ByteBuf frame = worker.tick().allocator().directBuffer();
    RespWriter.request(frame, words.toArray(new byte[0][]));
    handleWhole(frame);
  }

  /** Handles a frame of our own making, which is given away; if it isn't taken it is postponed. */
  private void handleWhole(ByteBuf frame) {
    try {
      RequestScanner inner = new RequestScanner(RespLimits.OF_A_SERVER);
      if (inner.scan(frame, 0, frame.writerIndex())) {
        FrameArguments found = new FrameArguments(inner);
        found.at(frame, 0);
        if (!worker.dispatcher().handle(this, found, inner.length())) {
          client.postponed = frame.retain();
        }
      }
    } catch (RespException e) {
      throw new IllegalStateException(e); // We wrote it.
    } finally {
      frame.release();
    }
  }

  private boolean takesRequests() {
    return !held
        && !awaitingQuiet
        && client.postponed == null
        && !leaving
        && !closed
        && underWay < worker.settings().pipelined()
        && channel.isWritable();
  }

  @Override
  protected long expected() {
    return scanner.expected();
  }

  /** No request is taken until {@link #release()}. */
  void hold() {
    held = true;
  }

  /** Requests are taken again. */
  void release() {
    held = false;
    scheduleResume();
  }

  /**
   * The request that is being handled is to come again once nothing is under way any more: it goes
   * another way than those before it, and must not overtake them.
   *
   * @return whether nothing is under way, so that it can go now
   */
  boolean isQuiet() {
    if (head == null) {
      return true;
    }
    awaitingQuiet = true;
    return false;
  }

  private void scheduleResume() {
    if (!resuming && !closed) {
      resuming = true;
      worker.tick().resume(resume);
    }
  }

  private void goOn() {
    resuming = false;
    if (closed) {
      return;
    }
    try {
      takeWhatWaits();
    } catch (RuntimeException | OutOfMemoryError e) {
      leaving = true; // Nothing is taken any more, whatever is still scheduled.
      worker.fault("session " + id, e);
      channel.close();
    }
  }

  private void takeWhatWaits() {
    ByteBuf postponed = client.postponed;
    client.postponed = null; // What came behind it waits for it.
    if (postponed != null && !takesRequests()) {
      client.postponed = postponed;
    } else if (postponed != null) {
      handleWhole(postponed);
    }
    if (takesRequests()) {
      consumeOwn();
    }
    if (takesRequests() && !channel.config().isAutoRead()) {
      channel.config().setAutoRead(true);
    }
    if (head == null && !held) {
      runOnQuiet();
    }
    endIfOver();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      scheduleResume();
      client.writable();
    }
  }

  // ---------------------------------------------------------------- replies, in order

  /** A place in the order of replies for a request that is going to be answered. */
  Request add(int command, int weight) {
    Request request = worker.takeRequest();
    request.weight = weight;
    requestBytes += weight;
    request.session = this;
    request.command = command;
    request.arrived = worker.tick().nanos();
    request.mute = client.muted();
    if (tail == null) {
      head = request;
    } else {
      tail.nextInSession = request;
    }
    tail = request;
    underWay++;
    return request;
  }

  /** Where a reply that is known at once is written; {@link #closeReply()} must follow. */
  ByteBuf openReply() {
    if (client.muted()) {
      client.discarded = worker.tick().allocator().directBuffer();
      return client.discarded;
    }
    if (head == null) {
      return out.tail(64);
    }
    Request request = add(0, 0);
    request.done = true;
    request.parkedAt = parking().writerIndex();
    return parking();
  }

  /** Ends the reply that was opened. */
  void closeReply() {
    if (client.discarded != null) {
      client.discarded.release();
      client.discarded = null;
      return;
    }
    Request request = tail;
    if (request != null) {
      request.parkedLength = parking().writerIndex() - request.parkedAt;
      parkedBytes += request.parkedLength;
      parked++;
    }
    scheduleFlush();
  }

  /** A reply has come, in its order or before it. The range stays the caller's. */
  void replied(Request request, ByteBuf buf, int offset, int length) {
    boolean error = buf.getByte(offset) == '-';
    if (error && request.again != null) {
      if (worker.dispatcher().heal(this, request, buf, offset, length, request == tail)) {
        return;
      }
    }
    worker.answered(request, length, error);
    if (closed) {
      request.done = true;
      drain();
      return;
    }
    if (request == head) {
      if (!request.mute) {
        out.write(buf, offset, length);
        scheduleFlush();
      }
      pop(request);
      drain();
    } else {
      park(request, buf, offset, length);
    }
  }

  void failed(Request request, CallFailure failure) {
    NodeLink node = request.node;
    ByteBuf text = worker.tick().allocator().directBuffer();
    RespWriter.error(text, Failures.text(node == null ? "" : node.id(), failure));
    if (node != null) {
      node.traffic.failures++;
    }
    replied(request, text, 0, text.writerIndex());
    text.release();
  }

  private void park(Request request, ByteBuf buf, int offset, int length) {
    request.done = true;
    if (request.mute) {
      return;
    }
    if (length >= HOLD_BYTES) {
      request.held = buf.retainedSlice(offset, length);
    } else {
      ByteBuf lot = parking();
      request.parkedAt = lot.writerIndex();
      request.parkedLength = length;
      lot.writeBytes(buf, offset, length);
      if (lot.writerIndex() > LARGE_LOT && lot.writerIndex() > 4 * parkedBytes) {
        compact();
      }
    }
    parked++;
    parkedBytes += length;
  }

  /** Moves what is still parked to a new lot, when most of the old one is behind us. */
  private void compact() {
    ByteBuf old = parking();
    ByteBuf lot = worker.tick().allocator().directBuffer((int) parkedBytes + 1024);
    for (Request each = head; each != null; each = each.nextInSession) {
      if (each.done && each.held == null && each.parkedLength > 0) {
        int at = lot.writerIndex();
        lot.writeBytes(old, each.parkedAt, each.parkedLength);
        each.parkedAt = at;
      }
    }
    old.release();
    parking = lot;
  }

  private ByteBuf parking() {
    if (parking == null) {
      parking = worker.tick().allocator().directBuffer(1024);
    }
    return parking;
  }

  /** Sends the replies that are there, up to the first that isn't. */
  private void drain() {
    for (Request each = head; each != null && each.done; each = head) {
      if (each.held != null) {
        parkedBytes -= each.held.readableBytes();
        parked--;
        if (closed) {
          each.held.release();
        } else {
          out.forward(each.held);
        }
        each.held = null;
        scheduleFlush();
      } else if (each.parkedLength > 0) {
        if (!closed) {
          out.write(parking(), each.parkedAt, each.parkedLength);
        }
        parkedBytes -= each.parkedLength;
        parked--;
        scheduleFlush();
      }
      pop(each);
    }
    if (parked == 0 && parking != null) {
      if (parking.capacity() > LARGE_LOT || head == null) {
        parking.release();
        parking = null;
      } else {
        parking.clear();
      }
    }
    if (head == null) {
      quiet();
    }
  }

  private void pop(Request request) {
    head = request.nextInSession;
    if (head == null) {
      tail = null;
    }
    underWay--;
    requestBytes -= request.weight;
    if (underWay == worker.settings().pipelined() / 2) {
      scheduleResume();
    }
    worker.giveBack(request);
  }

  /** Nothing is under way. */
  private void quiet() {
    if (awaitingQuiet) {
      awaitingQuiet = false;
      scheduleResume();
    }
    runOnQuiet();
    if (unread() > 0 || client.postponed != null) {
      scheduleResume();
    }
    if (leaving || inputEnded) {
      scheduleFlush();
    }
  }

  private void runOnQuiet() {
    Runnable waiting = onQuiet;
    onQuiet = null;
    if (waiting != null) {
      waiting.run();
    }
  }

  /** Runs something once nothing is under way: at once, if that is now. */
  void whenQuiet(Runnable task) {
    if (head == null && !held) {
      task.run();
    } else {
      onQuiet = task;
    }
  }

  /** Bytes that belong to no request, such as a message of a channel. */
  Outbox pushes() {
    scheduleFlush();
    return out;
  }

  private void scheduleFlush() {
    if (!flushing && !closed) {
      flushing = true;
      worker.tick().flush(flush);
    }
  }

  private void flush() {
    flushing = false;
    if (closed) {
      return;
    }
    if (!out.isEmpty()) {
      worker.traffic().bytesOut += out.bytes();
      out.flushTo(channel);
    }
    if (leaving && head == null) {
      closeAfterWrites();
    }
    endIfOver();
  }

  // ---------------------------------------------------------------- the end

  /** After the replies to what has come so far the connection ends. */
  void leave() {
    leaving = true;
    channel.config().setAutoRead(false);
    scheduleFlush();
  }

  /**
   * Ends our side behind what was written, and waits a moment for the client's: to close with
   * something unread would reset the connection, and take the last reply with it.
   */
  private void closeAfterWrites() {
    if (ending) {
      return;
    }
    ending = true;
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> {
              if (inputEnded || !written.isSuccess() || encrypted) {
                channel.close();
                return;
              }
              ((DuplexChannel) channel).shutdownOutput();
              channel.config().setAutoRead(true);
              worker.tick().loop().schedule(() -> channel.close(), LINGER_MILLIS, MILLISECONDS);
            });
  }

  private void endIfOver() {
    boolean over = head == null && !held && !awaitingQuiet && client.postponed == null;
    // What is unread then is half a request, of which the rest will never come.
    if (inputEnded && over && !closed && !resuming && out.isEmpty() && channel.isWritable()) {
      closeAfterWrites();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      if (ending) {
        channel.close();
      } else if (client.isWaiting() || client.isSubscribed()) {
        channel.close(); // Nobody is there to hear it.
      } else {
        scheduleFlush();
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    dropUnread();
    out.clear();
    client.end();
    drain();
    if (parking != null && head == null) {
      parking.release();
      parking = null;
    }
    worker.ended(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    leaving = true; // Nothing is taken any more, whatever is still scheduled.
    if (cause instanceof DecoderException) {
      worker.traffic().protocolErrors++; // What came is no TLS.
    } else if (!(cause instanceof java.io.IOException)) {
      worker.fault("session " + id, cause);
    }
    channel.close();
  }
}
