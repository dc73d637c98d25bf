package dev.beltway.proxy;

import dev.beltway.handover.RoutingFeed;
import dev.beltway.handover.RoutingState;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.telemetry.ProxyMetrics;
import dev.beltway.telemetry.ProxyReading;
import dev.beltway.topology.Topology;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis proxy: listens for clients, and routes what they ask by a topology. Thread-safe.
 *
 * <p>How many event loops: on machines that do nothing else a loop for every other core is a good
 * begin; each has its own connections to every node. Epoll where there is Linux, NIO elsewhere.
 */
public final class Proxy implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

  private static final int AWAIT_SECONDS = 5;
  private static final int WRITE_LOW = 128 << 10;
  private static final int WRITE_HIGH = 512 << 10;

  private final ProxySettings settings;
  private final EventLoopGroup group;
  private final EventLoopGroup acceptor;
  private final PooledByteBufAllocator allocator;
  private final Map<EventLoop, Worker> workers = new HashMap<>();
  private final List<Worker> ordered = new ArrayList<>();
  private final Scripts scripts = new Scripts();
  private final SlowLog slowLog = new SlowLog();
  private final Info info = new Info(this);
  private final Health health;
  private final @Nullable NextPolicy nextPolicy;
  private final AtomicLong ids = new AtomicLong();
  private final AtomicInteger sessions = new AtomicInteger();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicLong faults = new AtomicLong();
  private final long slowNanos;
  private final Class<? extends ServerChannel> serverChannel;
  private volatile Routing routing;
  private volatile NodeSettings nodes;
  private @Nullable Coordination coordination;
  private volatile boolean draining;
  private volatile boolean succeeded;
  private volatile @Nullable Channel server;

  private Proxy(ProxySettings settings, Routing routing, @Nullable Owed owed) {
    this.settings = settings;
    this.routing = routing;
    this.nodes = settings.nodes();
    this.slowNanos = settings.slow().toNanos();
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.group =
        new MultiThreadIoEventLoopGroup(
            settings.loops(), new DefaultThreadFactory("beltway-loop", true), io);
    this.acceptor =
        settings.loops() == 1
            ? group
            : new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("beltway-accept", true), io);
    this.serverChannel = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    // Small chunks: what a burst took goes back to the system when the burst is over.
    this.allocator =
        new PooledByteBufAllocator(true, 0, settings.loops() + 1, 8 << 10, 7, 64, 32, false);
    for (int i = 0; i < settings.loops(); i++) {
      EventLoop loop = group.next();
      Bootstrap bootstrap =
          new Bootstrap()
              .group(loop)
              .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
              .option(ChannelOption.ALLOCATOR, allocator)
              .option(ChannelOption.TCP_NODELAY, true)
              .option(ChannelOption.SO_KEEPALIVE, true);
      Worker worker = new Worker(this, loop, bootstrap, allocator, routing);
      workers.put(loop, worker);
      ordered.add(worker);
    }
    this.health = new Health(ordered.get(0), routing);
    this.nextPolicy = NextPolicy.of(this, owed);
  }

  /**
   * Starts a proxy.
   *
   * @throws IllegalArgumentException if the topology can't be served
   * @throws IOException if it can't listen there
   */
  public static Proxy start(ProxySettings settings, Topology topology) throws IOException {
    return start(settings, topology, null);
  }

  /**
   * Starts a proxy that remembers beyond a restart which nodes must be emptied before they serve.
   *
   * @param record the file for it, under policy {@code next}; without one a restart forgets them
   */
  public static Proxy start(ProxySettings settings, Topology topology, @Nullable Path record)
      throws IOException {
    Routing routing = Routing.of(topology);
    if (settings.policy() == FailurePolicy.NEXT) {
      NextPolicy.check(routing);
    }
    Owed owed =
        settings.policy() == FailurePolicy.NEXT && record != null
            ? Owed.read(record, settings.nodes().clientName())
            : null;
    Proxy proxy = new Proxy(settings, routing, owed);
    try {
      proxy.begin();
      return proxy;
    } catch (IOException | RuntimeException e) {
      proxy.shutDown();
      throw e;
    }
  }

  /**
   * Starts a proxy that obeys a cluster's coordination.
   *
   * @throws IllegalArgumentException if the policy is another one than {@link FailurePolicy#ERROR}
   * @throws IOException if it is not admitted, or can't listen
   */
  public static Proxy start(ProxySettings settings, RoutingFeed feed) throws IOException {
    if (settings.policy() != FailurePolicy.ERROR) {
      throw new IllegalArgumentException(
          "policy next empties nodes, and is for caches with a topology file; not in a cluster");
    }
    Coordination coordination;
    try {
      coordination = Coordination.join(feed, settings);
    } catch (IOException | RuntimeException e) {
      feed.close();
      throw e;
    }
    Coordination.Entry entry = coordination.entry();
    Proxy proxy = new Proxy(settings, Routing.of(entry.first()), null);
    proxy.coordination = coordination;
    try {
      proxy.enter(entry);
      proxy.begin();
      coordination.start(proxy);
      return proxy;
    } catch (IOException | RuntimeException e) {
      coordination.close(false);
      proxy.shutDown();
      throw e;
    }
  }

  /** All workers begin with a registration's state and login. */
  private void enter(Coordination.Entry entry) {
    nodes = entry.nodes();
    Routing first = Routing.of(entry.first());
    routing = first;
    if (!await(
        eachWorker(
            worker -> {
              worker.coordinate(entry.membership().control(), entry.first(), first);
              return true;
            }))) {
      throw new IllegalStateException("the event loops do not answer");
    }
  }

  /** The same, after everything was let go. */
  void beginAnew(Coordination.Entry entry) {
    enter(entry);
    ordered.get(0).tick().loop().execute(() -> health.anew(routing));
  }

  /** Whether it has ended by itself, because another one has taken its place. */
  public boolean hasEnded() {
    return succeeded;
  }

  /** Another proxy of its name has begun: two would fence each other for ever. */
  void succeed() {
    LOG.atError().addKeyValue("name", settings.name()).log("another proxy has taken its place");
    succeeded = true;
  }

  /** Nothing is sent to any node any more; what is under way fails. */
  void letGo(CallFailure reason) {
    await(
        eachWorker(
            worker -> {
              worker.links().values().forEach(link -> link.setOut(reason));
              return true;
            }));
  }

  /**
   * All workers obey a state from now on.
   *
   * @return by worker, when nothing sent before on moving keys can be done any more
   */
  CompletableFuture<List<CompletableFuture<Boolean>>> obey(RoutingState state) {
    Routing next = Routing.of(state);
    routing = next;
    ordered.get(0).tick().loop().execute(() -> health.watch(next));
    return eachWorker(
        worker -> {
          MovingKeys moving = worker.movingKeys();
          return moving == null
              ? CompletableFuture.completedFuture(false)
              : moving.obey(state, next);
        });
  }

  /** How nodes are talked to at the moment. */
  NodeSettings nodes() {
    return nodes;
  }

  private void begin() throws IOException {
    for (Worker worker : ordered) {
      worker.tick().loop().execute(worker::start);
    }
    if (nextPolicy == null) {
      health.start(Health.REPORT_ONLY);
    } else {
      nextPolicy.start();
      health.start(nextPolicy);
    }
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptor, group)
            .channel(serverChannel)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(WRITE_LOW, WRITE_HIGH))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accept(channel);
                  }
                });
    try {
      server = bootstrap.bind(settings.listen()).sync().channel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (Exception e) { // Netty throws what bind threw, checked or not.
      throw new IOException(
          "can't listen on "
              + settings.listen().getHostString()
              + ":"
              + settings.listen().getPort()
              + ": "
              + e.getMessage(),
          e);
    }
    LOG.atInfo()
        .addKeyValue("address", address().toString())
        .addKeyValue("epoch", routing.topology().epoch())
        .addKeyValue("fingerprint", routing.fingerprint().toString())
        .addKeyValue("nodes", routing.nodes().size())
        .log("proxy listens");
  }

  private void accept(SocketChannel channel) {
    boolean room = sessions.incrementAndGet() <= settings.clients();
    if (draining || !room) {
      sessions.decrementAndGet();
      refused.incrementAndGet();
      channel.pipeline().addLast(new Refusal());
      return;
    }
    Worker worker = workers.get(channel.eventLoop());
    if (worker == null) {
      throw new IllegalStateException("a channel of a loop without a worker");
    }
    settings.tls().ifPresent(tls -> channel.pipeline().addLast(tls.newHandler(channel.alloc())));
    Session session =
        new Session(worker, channel, ids.incrementAndGet(), settings.tls().isPresent());
    channel.pipeline().addLast(session);
    worker.began(session);
  }

  /** Says why, and closes. */
  private static final class Refusal extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      context
          .writeAndFlush(
              io.netty.buffer.Unpooled.copiedBuffer(
                  "-ERR max number of clients reached\r\n", StandardCharsets.US_ASCII))
          .addListener(io.netty.channel.ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  // ---------------------------------------------------------------- what it is

  ProxySettings settings() {
    return settings;
  }

  Routing routing() {
    return routing;
  }

  void setRouting(Routing next) {
    routing = next;
  }

  Health health() {
    return health;
  }

  Scripts scripts() {
    return scripts;
  }

  Info info() {
    return info;
  }

  SlowLog slowLog() {
    return slowLog;
  }

  long slowNanos() {
    return slowNanos;
  }

  int workers() {
    return ordered.size();
  }

  /** How many clients there are. */
  public int sessions() {
    return sessions.get();
  }

  /** Where it listens; with the port that it got, if it was to choose one. */
  public InetSocketAddress address() {
    Channel bound = server;
    return bound == null ? settings.listen() : (InetSocketAddress) bound.localAddress();
  }

  long chance(long below) {
    return ThreadLocalRandom.current().nextLong(below);
  }

  void sessionEnded() {
    sessions.decrementAndGet();
  }

  void countFault() {
    faults.incrementAndGet();
  }

  long refused() {
    return refused.get();
  }

  long faults() {
    return faults.get();
  }

  long bufferBytes() {
    return allocator.metric().usedDirectMemory();
  }

  long routedAround() {
    return nextPolicy == null ? 0 : nextPolicy.around().size();
  }

  /** The last version of the cluster's state that was acknowledged. */
  long acknowledged() {
    return coordination == null ? 0 : coordination.acknowledged();
  }

  /** Why nobody may be routed around; empty if they may, or the policy is another one. */
  String barred() {
    return nextPolicy == null ? "" : nextPolicy.standIns().barred();
  }

  boolean isDirty() {
    return nextPolicy != null && nextPolicy.standIns().dirty();
  }

  /** All that is counted, for {@link ProxyMetrics}. */
  public ProxyReading reading() {
    CompletableFuture<List<Reading.Copy>> copies = eachWorker(Reading.Copy::of);
    await(copies);
    return Reading.of(this, copies.getNow(List.of()));
  }

  /** Why it can't do its work: it stops, or no node answers. Empty if it can. */
  public String unready() {
    if (draining) {
      return "stopping";
    }
    long up =
        routing.nodes().stream().filter(node -> health.state(node.id()) == Health.State.UP).count();
    return up == 0 ? "no node answers" : "";
  }

  // ---------------------------------------------------------------- over all loops

  /** What a function says of each session, asked in its own loop. */
  <T> CompletableFuture<List<T>> eachSession(Function<Session, T> function) {
    return eachWorker(
            worker -> {
              List<T> found = new ArrayList<>();
              worker.sessions().values().forEach(session -> found.add(function.apply(session)));
              return found;
            })
        .thenApply(
            lists -> {
              List<T> all = new ArrayList<>();
              lists.forEach(all::addAll);
              return all;
            });
  }

  /** What a function says of each worker, asked in its own loop. */
  <T> CompletableFuture<List<T>> eachWorker(Function<Worker, T> function) {
    List<CompletableFuture<T>> futures = new ArrayList<>();
    for (Worker worker : ordered) {
      futures.add(
          CompletableFuture.supplyAsync(() -> function.apply(worker), worker.tick().loop()));
    }
    return CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0]))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }

  /** Does something to a session by its id: 0 if there is none, else what the action says. */
  CompletableFuture<Integer> onSession(long id, ToIntFunction<Session> action) {
    return eachWorker(
            worker -> {
              Session session = worker.sessions().get(id);
              return session == null ? 0 : action.applyAsInt(session);
            })
        .thenApply(results -> Collections.max(results));
  }

  /** What a node calls the connections that this proxy has to it now. */
  Set<Long> connectionIds(String node) throws IOException {
    CompletableFuture<List<Set<Long>>> all =
        eachWorker(
            worker -> {
              Set<Long> ids = new HashSet<>();
              NodeLink link = worker.links().get(node);
              if (link != null) {
                link.connections().forEach(connection -> ids.add(connection.id()));
              }
              if (worker == ordered.get(0)) {
                ids.add(health.connectionId(node));
              }
              return ids;
            });
    if (!await(all)) {
      throw new IOException("an event loop does not answer");
    }
    Set<Long> ids = new HashSet<>();
    all.getNow(List.of()).forEach(ids::addAll);
    return ids;
  }

  // ---------------------------------------------------------------- changes

  /**
   * Obeys another topology from now on: other addresses, weights of nodes that own nothing, and the
   * like.
   *
   * @return why it doesn't, if keys would move; empty if it does
   */
  public String reload(Topology topology) {
    Routing next = Routing.of(topology);
    Routing now = routing;
    if (!next.fingerprint().equals(now.fingerprint())) {
      return "the topology of epoch "
          + topology.epoch()
          + " would move keys (fingerprint "
          + next.fingerprint()
          + ", now "
          + now.fingerprint()
          + "); a change that moves keys is a migration";
    }
    CompletableFuture<?> done;
    if (nextPolicy == null) {
      routing = next;
      done =
          eachWorker(
              worker -> {
                worker.adopt(next, next.placement());
                return true;
              });
    } else {
      done = nextPolicy.obey(next);
    }
    CompletableFuture<?> watched =
        done.thenRunAsync(() -> health.watch(next), ordered.get(0).tick().loop());
    return await(watched) ? "" : "it is not obeyed yet, but will be when what is under way is over";
  }

  // ---------------------------------------------------------------- the end

  /** Ends as a process that is killed does: nothing is answered or put in order any more. */
  void abandon() {
    closing.set(true);
    draining = true;
    shutDown();
    if (coordination != null) {
      coordination.close(false);
    }
  }

  /** Stops listening, answers what is under way, and ends. */
  @Override
  public void close() {
    if (closing.getAndSet(true)) {
      return;
    }
    draining = true;
    Channel bound = server;
    if (bound != null) {
      bound.close().awaitUninterruptibly();
    }
    long deadline = System.nanoTime() + settings.drain().toNanos();
    LOG.atInfo().addKeyValue("clients", sessions.get()).log("proxy stops");
    Consumer<Session> leave =
        session -> {
          if (session.client.isWaiting() || session.client.isSubscribed()) {
            session.channel().close(); // What it waits for may never come.
          } else {
            session.whenQuiet(session::leave);
          }
        };
    eachWorker(
        worker -> {
          List.copyOf(worker.sessions().values()).forEach(leave);
          return true;
        });
    while (sessions.get() > 0 && System.nanoTime() < deadline) {
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    shutDown();
    if (coordination != null) {
      coordination.close(true);
    }
  }

  private void shutDown() {
    if (nextPolicy != null) {
      nextPolicy.close();
    }
    await(
        eachWorker(
            worker -> {
              if (worker == ordered.get(0)) {
                health.close();
              }
              worker.close();
              return true;
            }));
    acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  /** Waits for all loops, not for ever; whether they are done. */
  static boolean await(CompletableFuture<?> future) {
    try {
      future.get(AWAIT_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("a loop did not answer: {}", e.toString());
    }
    return false;
  }
}
