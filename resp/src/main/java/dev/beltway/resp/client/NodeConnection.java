package dev.beltway.resp.client;

import dev.beltway.resp.client.CallFailure.Kind;
import dev.beltway.resp.codec.ReplyScanner;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A pipelined connection to a node, in one protocol and one database. Calls are answered in their
 * order. It connects when first needed and again by itself when it was lost; nothing is ever sent a
 * second time.
 *
 * <p>A call that is not answered in time ends the connection, and with it all calls that wait
 * behind that one: a node answers one by one, so they were waiting for the same. While the node is
 * not reachable, calls fail at once.
 *
 * <p>Nothing is sent before the node has taken the login and said what the connection's id is: with
 * that id another connection can have it killed, and be sure.
 */
public final class NodeConnection {

  /** Looking up a name may take long, and must not hold an event loop up. */
  private static final ExecutorService LOOKUPS =
      new ThreadPoolExecutor(
          8,
          8,
          30,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(256),
          task -> {
            Thread thread = new Thread(task, "beltway-lookup");
            thread.setDaemon(true);
            return thread;
          });

  private enum State {
    IDLE,
    CONNECTING,
    READY,
    DOWN,
    CLOSED
  }

  /** What becomes known about a connection. */
  public interface Listener {
    /** It is logged in. */
    void up(NodeConnection connection);

    /** It was lost, or could not be made. */
    void down(NodeConnection connection, CallFailure failure);

    /** A frame that no call waits for; the range is the listener's only until this returns. */
    void pushed(NodeConnection connection, ByteBuf buf, int offset, int length);

    /** Whether the node is to say, with the login, which process it is; see {@link #run()}. */
    default boolean asksRun() {
      return false;
    }

    /**
     * A connection has ended while commands were unanswered: they may still be done. The node calls
     * it by this id, in this run.
     */
    default void inDoubt(long id, String run) {}

    /** Requests that a new connection begins with, as complete frames; none is usual. */
    default List<byte[]> preparation() {
      return List.of();
    }
  }

  private final Tick tick;
  private final Bootstrap bootstrap;
  private final InetSocketAddress address;
  private final NodeSettings settings;
  private final int protocol;
  private final int database;
  private final boolean reconnects;
  private final Listener listener;
  private final Tick.Task flush = this::flush;

  private State state = State.IDLE;
  private @Nullable Channel channel;
  private @Nullable CallFailure lastFailure;
  private int failures;
  private long connectingSince;

  /** Counts the tries: a look-up that ends late is not about the try of now. */
  private int tries;

  private boolean lookingUp;
  private long id;
  private String run = "";
  private String version = "";

  private @Nullable Call first;
  private @Nullable Call last;
  private int waiting;
  private long waitingBytes;

  private final Outbox unsent;
  private boolean dirty;
  private boolean subscriber;

  private NodeConnection(
      Tick tick,
      Bootstrap bootstrap,
      InetSocketAddress address,
      NodeSettings settings,
      int protocol,
      int database,
      boolean reconnects,
      Listener listener) {
    this.tick = tick;
    this.bootstrap = bootstrap;
    this.address = address;
    this.settings = settings;
    this.protocol = protocol;
    this.database = database;
    this.reconnects = reconnects;
    this.listener = listener;
    this.unsent = new Outbox(tick);
  }

  /**
   * A connection that many share and that returns by itself.
   *
   * @param bootstrap with the event loop and the channel class
   * @param address not resolved yet; it is resolved at each try
   */
  public static NodeConnection shared(
      Tick tick,
      Bootstrap bootstrap,
      InetSocketAddress address,
      NodeSettings settings,
      int protocol,
      int database,
      Listener listener) {
    return new NodeConnection(
        tick, bootstrap, address, settings, protocol, database, true, listener);
  }

  /** A connection for one purpose, which ends when it is lost. */
  public static NodeConnection dedicated(
      Tick tick,
      Bootstrap bootstrap,
      InetSocketAddress address,
      NodeSettings settings,
      int protocol,
      int database,
      Listener listener) {
    return new NodeConnection(
        tick, bootstrap, address, settings, protocol, database, false, listener);
  }

  /** Whether it is logged in. */
  public boolean isReady() {
    return state == State.READY;
  }

  /** Whether it will never carry a call again. */
  public boolean isClosed() {
    return state == State.CLOSED;
  }

  /** The protocol, 2 or 3. */
  public int protocol() {
    return protocol;
  }

  /** The database. */
  public int database() {
    return database;
  }

  /** What the node calls it; 0 before it is logged in. */
  public long id() {
    return id;
  }

  /** The run id of the node's process; empty before it is logged in, or if nobody asks for it. */
  public String run() {
    return run;
  }

  /** The node's version; empty before it is logged in. */
  public String version() {
    return version;
  }

  /** Calls that wait for a reply. */
  public int waiting() {
    return waiting;
  }

  /** From now on every frame that comes is the listener's. */
  public void subscriber() {
    this.subscriber = true;
  }

  /** Connects, if it hasn't begun to. */
  public void open() {
    if (state == State.IDLE) {
      connect();
    }
  }

  /** Reads no more until {@link #resume}. */
  public void pause() {
    if (channel != null) {
      channel.config().setAutoRead(false);
    }
  }

  /** Reads on. */
  public void resume() {
    if (channel != null) {
      channel.config().setAutoRead(true);
    }
  }

  /**
   * Sends a request, which begins at the offset and stays the caller's. The call may fail before
   * this returns.
   */
  public void send(Call call, ByteBuf buf, int offset, int length) {
    if (state == State.IDLE) {
      connect();
    }
    if (state == State.DOWN || state == State.CLOSED) {
      call.failed(lastFailure == null ? unreachable("it was closed") : lastFailure);
      return;
    }
    boolean full = waiting >= settings.queued() || waitingBytes + length > settings.queuedBytes();
    if (full && waiting > 0) { // However large it is, one alone may pass.
      call.failed(new CallFailure(Kind.BUSY, waiting + " requests wait for it already"));
      return;
    }
    call.begin(tick.nanos(), length);
    if (last == null) {
      first = call;
    } else {
      last.next = call;
    }
    last = call;
    waiting++;
    waitingBytes += length;
    write(buf, offset, length);
  }

  /** Sends bytes to which no reply is awaited by a call, as a subscriber does. */
  public void write(ByteBuf buf, int offset, int length) {
    if (state != State.CLOSED) {
      unsent.write(buf, offset, length);
      dirty();
    }
  }

  private void dirty() {
    if (!dirty && state == State.READY) {
      dirty = true;
      tick.flush(flush);
    }
  }

  private void flush() {
    dirty = false;
    Channel open = channel;
    if (open == null || state != State.READY) {
      return;
    }
    unsent.flushTo(open);
  }

  /** Ends it. Calls that wait fail. */
  public void close() {
    if (state != State.CLOSED) {
      State before = state;
      state = State.CLOSED;
      closeChannel();
      if (before != State.IDLE) {
        failAll(new CallFailure(Kind.LOST, "the connection was closed"));
      }
    }
  }

  /** Ends it as if the node had: calls that wait fail, and the listener is told. */
  public void abandon() {
    lost(new CallFailure(Kind.LOST, "the connection was given up"));
  }

  /** Fails what waits too long. To be called now and then. */
  public void checkTime() {
    long now = System.nanoTime();
    boolean trying =
        state == State.CONNECTING || (state == State.DOWN && (channel != null || lookingUp));
    if (trying && now - connectingSince > settings.connectTimeout().toNanos()) {
      lost(unreachable("no connection within " + settings.connectTimeout().toMillis() + " ms"));
    } else if (state == State.READY
        && first != null
        && !first.mayWait()
        && now - first.since > settings.requestTimeout().toNanos()) {
      lost(
          new CallFailure(
              Kind.SILENT, "no answer within " + settings.requestTimeout().toMillis() + " ms"));
    }
  }

  private static CallFailure unreachable(String text) {
    return new CallFailure(Kind.DOWN, text);
  }

  private void connect() {
    if (state != State.DOWN) {
      state = State.CONNECTING; // Calls wait for the outcome; when it was down they don't.
    }
    connectingSince = System.nanoTime();
    String host = address.getHostString();
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      connect(new InetSocketAddress(host, address.getPort())); // Nothing to look up.
      return;
    }
    int number = ++tries;
    lookingUp = true;
    try {
      CompletableFuture.supplyAsync(() -> new InetSocketAddress(host, address.getPort()), LOOKUPS)
          .whenComplete(
              (found, failed) -> {
                if (!tick.loop().isShuttingDown()) {
                  tick.loop().execute(() -> lookedUp(number, found));
                }
              });
    } catch (RejectedExecutionException e) {
      lost(unreachable("too many names are being looked up"));
    }
  }

  private void lookedUp(int number, @Nullable InetSocketAddress found) {
    if (state == State.CLOSED || channel != null || number != tries) {
      return;
    }
    lookingUp = false;
    if (found == null || found.isUnresolved()) {
      lost(unreachable("there is no host " + address.getHostString()));
    } else {
      connect(found);
    }
  }

  private void connect(InetSocketAddress target) {
    connectingSince = System.nanoTime();
    Handler handler = new Handler();
    ChannelFuture future =
        bootstrap
            .clone()
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.connectTimeout().toMillis())
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel made) {
                    settings
                        .tls()
                        .ifPresentOrElse(
                            tls -> made.pipeline().addLast(tlsHandler(tls, made)),
                            () -> handler.readInto(made));
                    made.pipeline().addLast(handler);
                  }
                })
            .connect(target);
    channel = future.channel();
    future.addListener(
        done -> {
          if (!done.isSuccess() && channel == future.channel()) {
            lost(unreachable(reason(done.cause())));
          }
        });
  }

  private SslHandler tlsHandler(io.netty.handler.ssl.SslContext tls, SocketChannel made) {
    SslHandler handler = tls.newHandler(made.alloc(), address.getHostString(), address.getPort());
    handler.setHandshakeTimeoutMillis(settings.connectTimeout().toMillis());
    return handler;
  }

  private static String reason(@Nullable Throwable cause) {
    String text = cause == null ? "" : String.valueOf(cause.getMessage());
    int address = text.indexOf(": ");
    for (String known : List.of("refused", "reset", "timed out")) {
      if (text.toLowerCase(Locale.ROOT).contains("connection " + known)) {
        return "connection " + known;
      }
    }
    return address > 0 && text.startsWith("finishConnect") ? text.substring(address + 2) : text;
  }

  private void lost(CallFailure failure) {
    if (state == State.CLOSED) {
      return;
    }
    boolean wasReady = state == State.READY;
    closeChannel();
    lastFailure =
        failure.kind() == Kind.DOWN || failure.kind() == Kind.REFUSED
            ? failure
            : unreachable("the connection was lost: " + failure.text());
    if (!reconnects) {
      state = State.CLOSED;
      failAll(failure);
      listener.down(this, failure);
      return;
    }
    failures = wasReady ? 0 : failures + 1;
    state = State.DOWN;
    failAll(failure);
    listener.down(this, failure);
    if (state != State.DOWN) {
      return;
    }
    if (wasReady) {
      // The first try is at once, and calls wait for it: a node may close what was idle for long.
      state = State.IDLE;
      connect();
    } else {
      long delay = settings.backoff().millis(failures, Math.random());
      tick.loop().schedule(this::again, delay, TimeUnit.MILLISECONDS);
    }
  }

  private void again() {
    if (state == State.DOWN && channel == null && !lookingUp) {
      connect();
    }
  }

  private void closeChannel() {
    if (id != 0 && waiting > 0) {
      listener.inDoubt(id, run);
    }
    Channel open = channel;
    channel = null;
    lookingUp = false;
    tries++;
    if (open != null) {
      open.close();
    }
    unsent.clear();
    id = 0;
    run = "";
  }

  private void failAll(CallFailure failure) {
    Call call = first;
    first = null;
    last = null;
    waiting = 0;
    waitingBytes = 0;
    while (call != null) {
      Call next = call.next;
      call.next = null;
      call.failed(failure);
      call = next;
    }
  }

  private void loggedIn() {
    state = State.READY;
    failures = 0;
    lastFailure = null;
    if (!unsent.isEmpty()) {
      dirty();
    }
    listener.up(this);
  }

  /** What the channel brings. */
  private final class Handler extends FrameReader {

    private final ReplyScanner scanner = new ReplyScanner(RespLimits.OF_A_SERVER);

    /** Replies of the login that are still to come. */
    private int greetings = 1;

    /** How many of them must be good: a node that refuses what is prepared can still be used. */
    private int musts = database == 0 ? 1 : 2;

    Handler() {
      super(tick);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      ByteBuf hello = tick.allocator().directBuffer();
      if (settings.password().isPresent()) {
        RespWriter.request(
            hello,
            "HELLO",
            Integer.toString(protocol),
            "AUTH",
            settings.user(),
            settings.password().get(),
            "SETNAME",
            settings.clientName());
      } else {
        RespWriter.request(
            hello, "HELLO", Integer.toString(protocol), "SETNAME", settings.clientName());
      }
      context.writeAndFlush(hello, context.voidPromise());
    }

    private void greeted(ByteBuf buf, int offset) {
      Object reply = RespReader.read(buf, offset);
      if (reply instanceof RespReader.Failed failed && musts > 0) {
        lost(new CallFailure(Kind.REFUSED, "it answered: " + failed.text()));
        return;
      }
      if (reply instanceof byte[] info && run.isEmpty()) {
        run = runIn(RespReader.text(info));
      }
      if (reply instanceof List<?> fields) {
        for (int i = 0; i + 1 < fields.size(); i += 2) {
          if (RespReader.text(fields.get(i)).equals("id") && fields.get(i + 1) instanceof Long n) {
            id = n;
            afterHello();
          } else if (RespReader.text(fields.get(i)).equals("version")) {
            version = RespReader.text(fields.get(i + 1));
          }
        }
      }
      musts--;
      greetings--;
      if (greetings == 0) {
        loggedIn();
      }
    }

    private static final String RUN_FIELD = "run_id:";

    private static String runIn(String info) {
      int at = info.indexOf(RUN_FIELD);
      int end = info.indexOf('\r', at);
      return at < 0 || end < 0 ? "" : info.substring(at + RUN_FIELD.length(), end);
    }

    private void afterHello() {
      Channel open = channel;
      if (open == null) {
        return;
      }
      ByteBuf more = tick.allocator().directBuffer();
      if (database != 0) {
        RespWriter.request(more, "SELECT", Integer.toString(database));
        greetings++;
      }
      if (listener.asksRun()) {
        RespWriter.request(more, "INFO", "server");
        greetings++;
      }
      if (reconnects) { // The shared ones are there for all.
        for (byte[] request : listener.preparation()) {
          more.writeBytes(request);
          greetings++;
        }
      }
      open.writeAndFlush(more, open.voidPromise());
    }

    @Override
    protected int consume(ByteBuf buf, int begin, int to) {
      int from = begin;
      try {
        while (scanner.scan(buf, from, to)) {
          int length = scanner.length();
          scanner.reset();
          frame(buf, from, length);
          from += length;
          if (channel == null) {
            return to; // Closed by what this frame led to.
          }
        }
      } catch (RespException e) {
        lost(new CallFailure(Kind.LOST, "it sent " + e.text()));
        return to;
      }
      return from;
    }

    private void frame(ByteBuf buf, int offset, int length) {
      if (state != State.READY) {
        greeted(buf, offset);
        return;
      }
      Call call = first;
      if (subscriber || buf.getByte(offset) == '>') {
        listener.pushed(NodeConnection.this, buf, offset, length);
        return;
      }
      if (call == null) { // Whose reply would the next one be?
        lost(new CallFailure(Kind.LOST, "it sent a reply that nobody asked for"));
        return;
      }
      if (--call.repliesLeft == 0) {
        first = call.next;
        if (first == null) {
          last = null;
        }
        call.next = null;
        waiting--;
        waitingBytes -= call.bytes;
      }
      call.replied(buf, offset, length);
    }

    @Override
    protected long expected() {
      return scanner.expected();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (channel == context.channel()) {
        lost(
            state == State.READY
                ? new CallFailure(Kind.LOST, "the node closed the connection")
                : unreachable("the node closed the connection"));
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (channel == context.channel()) {
        lost(new CallFailure(Kind.LOST, reason(cause)));
      } else {
        context.close();
      }
    }
  }
}
