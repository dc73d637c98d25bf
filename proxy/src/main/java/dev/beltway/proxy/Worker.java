package dev.beltway.proxy;

import dev.beltway.handover.RoutingState;
import dev.beltway.placement.Placement;
import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.Tick;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandIndex;
import dev.beltway.resp.command.CommandTable;
import dev.beltway.topology.Node;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that belongs to one event loop: its sessions, its links to the nodes, its counts. */
final class Worker {

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private static final int MOST_SPARE_REQUESTS = 1 << 16;
  private static final int CHECK_MILLIS = 20;

  private final Proxy proxy;
  private final Tick tick;
  private final Bootstrap bootstrap;
  private final PooledByteBufAllocator allocator;
  private final Traffic traffic = new Traffic();
  private final HotKeys hotKeys = new HotKeys();
  private final Deque<Request> spare = new ArrayDeque<>();
  private final Map<Long, Session> sessions = new LinkedHashMap<>();
  private final Map<String, NodeLink> links = new HashMap<>();
  private final Dispatcher dispatcher;
  private @Nullable MovingKeys movingKeys;
  private CommandIndex<Handling> commands;
  private View view;

  Worker(
      Proxy proxy,
      EventLoop loop,
      Bootstrap bootstrap,
      PooledByteBufAllocator allocator,
      Routing routing) {
    this.proxy = proxy;
    this.allocator = allocator;
    this.tick = new Tick(loop, allocator);
    this.bootstrap = bootstrap;
    this.commands = index(List.of());
    this.dispatcher = new Dispatcher(this);
    this.view = adopted(routing, routing.placement());
  }

  /** Begins its regular checks; in its loop. */
  void start() {
    tick.loop()
        .scheduleWithFixedDelay(this::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    view.links().forEach(link -> link.shared(2, 0).open());
  }

  Proxy proxy() {
    return proxy;
  }

  ProxySettings settings() {
    return proxy.settings();
  }

  /** How nodes are talked to. */
  NodeSettings nodes() {
    return proxy.nodes();
  }

  Tick tick() {
    return tick;
  }

  Bootstrap bootstrap() {
    return bootstrap;
  }

  Traffic traffic() {
    return traffic;
  }

  HotKeys hotKeys() {
    return hotKeys;
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  View view() {
    return view;
  }

  /** What is done about keys that move; null where no topology of others is obeyed. */
  @Nullable MovingKeys movingKeys() {
    return movingKeys;
  }

  /** Begins to obey a state of the cluster's; links that there are belong to an earlier login. */
  void coordinate(int control, RoutingState first, Routing routing) {
    links.values().forEach(NodeLink::close);
    links.clear();
    MovingKeys before = movingKeys;
    movingKeys = new MovingKeys(this, control, first);
    adopt(routing, routing.placement());
    if (before != null) {
      before.close();
    }
    view.links().forEach(link -> link.shared(2, 0).open());
  }

  Scripts scripts() {
    return proxy.scripts();
  }

  CommandIndex<Handling> commands() {
    return commands;
  }

  Map<Long, Session> sessions() {
    return sessions;
  }

  Map<String, NodeLink> links() {
    return links;
  }

  // ---------------------------------------------------------------- routing

  /**
   * From now on requests go by this. Links to nodes whose address is another one are made anew;
   * what is under way there is answered first.
   */
  void adopt(Routing routing, Placement placement) {
    view = adopted(routing, placement);
  }

  private View adopted(Routing routing, Placement placement) {
    for (Node node : routing.nodes()) {
      NodeLink old = links.get(node.id());
      if (old == null || !old.node().address().equals(node.address())) {
        Traffic.OfNode counts = old == null ? new Traffic.OfNode() : old.traffic;
        links.put(node.id(), new NodeLink(this, node, counts));
        if (old != null) {
          old.closeLeased(); // Who waits or listens there would do so for ever.
          closeWhenQuiet(old);
        }
      }
    }
    return new View(routing, placement, links);
  }

  private void closeWhenQuiet(NodeLink old) {
    if (old.waiting() == 0) {
      old.close();
    } else {
      old.checkTime();
      tick.loop().schedule(() -> closeWhenQuiet(old), CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** A command that the table doesn't have is known from now on. */
  void learn(List<Command> learnt) {
    commands = index(learnt);
  }

  private static CommandIndex<Handling> index(List<Command> learnt) {
    List<Command> all = new ArrayList<>(CommandTable.redis().commands());
    all.addAll(learnt);
    return new CommandIndex<>(all, Handling::of);
  }

  // ---------------------------------------------------------------- requests

  Request takeRequest() {
    Request request = spare.poll();
    return request == null ? new Request(this) : request;
  }

  void giveBack(Request request) {
    request.session = null;
    request.nextInSession = null;
    request.node = null;
    request.done = false;
    request.mute = false;
    request.parkedLength = 0;
    request.weight = 0;
    request.sentBy = null;
    if (request.again != null) {
      request.again.release();
      request.again = null;
    }
    if (spare.size() < MOST_SPARE_REQUESTS) {
      spare.add(request);
    }
  }

  /** Counts a reply. */
  void answered(Request request, int bytes, boolean error) {
    int command = request.command;
    traffic.requests[command]++;
    if (error) {
      traffic.errors[command]++;
    }
    long took = tick.nanos() - request.arrived;
    NodeLink node = request.node;
    if (node != null) {
      node.traffic.answered(Traffic.classOf(command), took, bytes, error);
    }
    if (took >= proxy.slowNanos()) {
      traffic.slow++;
      proxy.slowLog().note(request, took);
    }
  }

  // ---------------------------------------------------------------- nodes

  void connected(NodeLink link) {
    link.traffic.connects++;
  }

  void lost(NodeLink link, CallFailure failure) {
    proxy.health().failed(link.id(), failure);
  }

  /** Completes when all that was sent on shared connections by now is answered or lost. */
  CompletableFuture<?> barrier() {
    List<CompletableFuture<Boolean>> waits = new ArrayList<>();
    ByteBuf ping = allocator.directBuffer();
    RespWriter.request(ping, "PING");
    for (NodeLink link : links.values()) {
      for (NodeConnection connection : link.sharedConnections()) {
        if (connection.waiting() > 0) {
          Passed passed = new Passed();
          waits.add(passed.future);
          connection.send(passed, ping, 0, ping.writerIndex());
        }
      }
    }
    ping.release();
    return CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]));
  }

  /** A call behind others: when it is answered, or has failed, those before it have been too. */
  private static final class Passed extends Call {

    final CompletableFuture<Boolean> future = new CompletableFuture<>();

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      future.complete(true);
    }

    @Override
    public void failed(CallFailure failure) {
      if (failure.kind() == CallFailure.Kind.BUSY) {
        future.completeExceptionally(new IllegalStateException(failure.text())); // Not yet.
      } else {
        future.complete(false);
      }
    }
  }

  // ---------------------------------------------------------------- sessions

  void began(Session session) {
    sessions.put(session.id(), session);
    traffic.connectionsAccepted++;
  }

  void ended(Session session) {
    if (movingKeys != null) {
      movingKeys.ended(session);
    }
    sessions.remove(session.id());
    proxy.sessionEnded();
  }

  private void check() {
    try {
      tick.stamp();
      links.values().forEach(NodeLink::checkTime);
      if (movingKeys != null) {
        movingKeys.check();
      }
      if (allocator.metric().usedDirectMemory() > settings().memoryBytes()) {
        evict();
      }
    } catch (RuntimeException e) {
      fault("check", e);
    }
  }

  /** Closes the client that keeps the most memory, if it keeps a good part of it. */
  private void evict() {
    long held = 0;
    for (Session session : sessions.values()) {
      held += session.bytes();
    }
    if (held * proxy.workers() < settings().memoryBytes() / 2) {
      return; // Buffers that are kept for later; nobody's fault.
    }
    @Nullable Session largest =
        sessions.values().stream().max(Comparator.comparingLong(Session::bytes)).orElse(null);
    if (largest != null) {
      traffic.evicted++;
      LOG.atWarn()
          .addKeyValue("client", largest.address())
          .addKeyValue("holdsMb", largest.bytes() >> 20)
          .addKeyValue("memoryMb", settings().memoryBytes() >> 20)
          .log("client is closed: it holds too much memory");
      largest.channel().close();
    }
  }

  /** Something that must not happen: the piece of work it was about stops, and it is told. */
  void fault(String where, Throwable cause) {
    LOG.atError().addKeyValue("where", where).setCause(cause).log("a fault of this program");
    proxy.countFault();
  }

  /** Ends all of it; in its loop. */
  void close() {
    List.copyOf(sessions.values()).forEach(session -> session.channel().close());
    links.values().forEach(NodeLink::close);
    tick.close();
  }
}
