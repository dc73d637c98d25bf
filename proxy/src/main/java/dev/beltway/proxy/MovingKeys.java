package dev.beltway.proxy;

import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Doubts;
import dev.beltway.handover.ErrorReply;
import dev.beltway.handover.Gate;
import dev.beltway.handover.Key;
import dev.beltway.handover.Latin1;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Transfer;
import dev.beltway.handover.TransferToken;
import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.Effect;
import dev.beltway.resp.command.FrameArguments;
import dev.beltway.resp.command.KeyGroup;
import dev.beltway.resp.command.Treatment;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one worker does while keys change their node: holds requests on them, has them moved before
 * they are used, and finds out when nothing sent before can be done any more. The decisions are
 * those of {@link Gate} and {@link Doubts}.
 */
final class MovingKeys {

  /** What is told to a client whose request has waited too long; clients of clusters know it. */
  static final String TRY_AGAIN =
      "TRYAGAIN keys of this request are being moved to another node; try again";

  private static final int MOST_REMEMBERED = 200_000;
  private static final int TRANSFER_MILLIS = 500;
  private static final int RETRY_MILLIS = 5;
  private static final int BIG_MILLIS = 25;

  /** What is to be done with a request. */
  enum Answer {
    /** It may go on. */
    GO,
    /** It is to come again when its session goes on. */
    AGAIN,
    /** The client has been told that it is not done. */
    REFUSED
  }

  private final Worker worker;
  private final int control;
  private final Gate<Session> gate;
  private final Doubts doubts = new Doubts();
  private final Set<String> killing = new HashSet<>();
  private final Map<Session, Long> heldSince = new LinkedHashMap<>();
  private final Barred barred = new Barred();

  private long heldNanos;
  private long held;
  private long heldTooLong;
  private long transfers;
  private long transfersFailed;

  MovingKeys(Worker worker, int control, RoutingState first) {
    this.worker = worker;
    this.control = control;
    this.gate = new Gate<>(first, MOST_REMEMBERED);
  }

  RoutingState state() {
    return gate.state();
  }

  /** Whether some keys may have to wait. */
  boolean isActive() {
    return gate.isActive();
  }

  // ---------------------------------------------------------------- requests

  /** Finds what stands in the way of a request; all keys of it are asked for. */
  private final class Barred implements KeyGroup.Visitor {

    private final List<Key> keys = new ArrayList<>();
    private @Nullable FrameArguments request;
    private int database;
    private int seen;

    void of(Handling handling, FrameArguments asked, int inDatabase) {
      request = asked;
      database = inDatabase;
      seen = 0;
      handling.command().visitKeys(asked, this);
      request = null;
    }

    @Override
    public void key(int argument, Effect effect) {
      FrameArguments asked = request;
      if (asked != null) {
        seen++;
        if (asked.length(argument) > KeyTooLongException.LONGEST) {
          throw new KeyTooLongException();
        }
        byte[] bytes = asked.bytes(argument);
        Key key = gate.barred(database, bytes, 0, bytes.length);
        if (key != null) {
          keys.add(key);
        }
      }
    }
  }

  /** Whether a request may be sent now. */
  Answer judge(Session session, Handling handling, FrameArguments request) {
    if (!gate.isActive()) {
      return Answer.GO;
    }
    barred.keys.clear();
    barred.of(handling, request, session.client.database);
    String name = handling.command().name();
    if (namesFurtherKeys(name, request)) {
      return refuse(session);
    }
    return answer(session);
  }

  /** Whether a message may be published now: a channel lives where a key of its name would. */
  Answer judgeChannel(Session session, FrameArguments request) {
    if (!gate.isActive() || !gate.state().phase().holds()) {
      return Answer.GO;
    }
    barred.keys.clear();
    byte[] bytes = request.bytes(1);
    Key key = gate.barred(0, bytes, 0, bytes.length);
    if (key != null) {
      barred.keys.add(key);
    }
    return answer(session);
  }

  /** Whether the commands of a transaction may be sent now. */
  Answer judge(Session session, Transaction transaction) {
    if (!gate.isActive()) {
      return Answer.GO;
    }
    barred.keys.clear();
    boolean[] unsure = new boolean[1];
    transaction.visit(
        (handling, request) -> {
          barred.of(handling, request, session.client.database);
          boolean named = !handling.command().keys().isEmpty();
          unsure[0] |=
              namesFurtherKeys(handling.command().name(), request)
                  || named && handling.treatment() == Treatment.ONE_NODE && barred.seen == 0;
        });
    return unsure[0] ? refuse(session) : answer(session);
  }

  /** What could be about any key is not done while keys move. */
  Answer refuseWhileMoving(Session session) {
    worker.dispatcher().refuse(session, TRY_AGAIN);
    return Answer.REFUSED;
  }

  /** Keys that a request uses and doesn't name, or names in another database. */
  private static boolean namesFurtherKeys(String name, FrameArguments request) {
    if (name.startsWith("sort")) {
      return !SortPatterns.names(request).isEmpty();
    }
    if (name.equals("copy")) {
      for (int i = 3; i < request.count(); i++) {
        if (request.is(i, "DB")) {
          return true;
        }
      }
    }
    return false;
  }

  private Answer answer(Session session) {
    if (barred.keys.isEmpty()) {
      endsWaiting(session);
      return Answer.GO;
    }
    long now = System.nanoTime();
    Long since = heldSince.putIfAbsent(session, now);
    if (since == null) {
      held++;
    } else if (now - since > worker.settings().hold().toNanos()) {
      return refuse(session);
    }
    session.hold();
    List<Key> leave = gate.await(List.copyOf(barred.keys), session);
    leave.forEach(this::transfer);
    return Answer.AGAIN;
  }

  /** Notes how long it has waited; whether it has. */
  private boolean endsWaiting(Session session) {
    Long since = heldSince.remove(session);
    if (since != null) {
      heldNanos += System.nanoTime() - since;
    }
    return since != null;
  }

  private Answer refuse(Session session) {
    heldTooLong++;
    if (endsWaiting(session)) {
      gate.forget(session);
    }
    worker.dispatcher().refuse(session, TRY_AGAIN);
    return Answer.REFUSED;
  }

  /** Sessions that still wait here go on; others may be held by something else by now. */
  private void release(List<Session> sessions) {
    for (Session session : sessions) {
      if (heldSince.containsKey(session)) {
        session.release();
      }
    }
  }

  /** Everybody who waits asks again, elsewhere: this is obeyed no more. */
  void close() {
    List<Session> all = List.copyOf(heldSince.keySet());
    heldSince.clear();
    all.forEach(Session::release);
  }

  private void releaseSoon(List<Session> sessions, int millis) {
    if (!sessions.isEmpty()) {
      worker.tick().loop().schedule(() -> release(sessions), millis, TimeUnit.MILLISECONDS);
    }
  }

  void ended(Session session) {
    if (heldSince.remove(session) != null) {
      gate.forget(session);
    }
  }

  /** Tells those who have waited too long; has lost connections killed. To be called often. */
  void check() {
    if (!heldSince.isEmpty()) {
      long limit = worker.settings().hold().toNanos();
      long now = System.nanoTime();
      for (Map.Entry<Session, Long> each : List.copyOf(heldSince.entrySet())) {
        if (now - each.getValue() > limit) {
          gate.forget(each.getKey());
          each.getKey().release(); // It asks again, and is told.
        }
      }
    }
    kill();
  }

  // ---------------------------------------------------------------- transfers

  private void transfer(Key key) {
    TransferToken token = gate.token(key);
    String source = gate.state().source(key.name());
    NodeLink link = source == null ? null : worker.links().get(source);
    if (token == null || link == null) {
      throw new IllegalStateException("a key that moves without token or source");
    }
    NodeConnection connection = link.shared(2, 0);
    if (!connection.isReady() || link.out() != null) {
      connection.open(); // What process it will be is not known yet.
      releaseSoon(gate.transferred(key, token, false), RETRY_MILLIS);
      return;
    }
    transfers++;
    TransferToken shown = new TransferToken(token.version(), token.generation(), connection.run());
    String target = gate.state().target(key.name());
    List<String> words = Transfer.command(shown, control, target, TRANSFER_MILLIS, key);
    send(connection, words, new Leaving(key, token, connection));
  }

  private void send(NodeConnection connection, List<String> words, Call call) {
    ByteBuf frame = worker.tick().allocator().directBuffer();
    byte[][] arguments = new byte[words.size()][];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = Latin1.bytes(words.get(i));
    }
    RespWriter.request(frame, arguments);
    connection.send(call, frame, 0, frame.writerIndex());
    frame.release();
  }

  /** A key on its way. */
  private final class Leaving extends Call {

    private final Key key;
    private final TransferToken token;
    private final NodeConnection connection;

    Leaving(Key key, TransferToken token, NodeConnection connection) {
      this.key = key;
      this.token = token;
      this.connection = connection;
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      Object reply = RespReader.read(buf, offset);
      Transfer.Outcome outcome =
          Transfer.outcome(
              reply instanceof RespReader.Failed failed ? new ErrorReply(failed.text()) : reply);
      if (outcome.kind() == Transfer.Kind.UNKNOWN_SCRIPT) {
        send(connection, List.of("SCRIPT", "LOAD", Transfer.SCRIPT), new Unheard());
      }
      List<Session> waiters = gate.transferred(key, token, outcome.isMoved());
      if (outcome.isMoved()) {
        release(waiters);
      } else {
        boolean big =
            outcome.kind() == Transfer.Kind.BIG; // The mover copies it; that takes longer.
        transfersFailed += big ? 0 : 1;
        releaseSoon(waiters, big ? BIG_MILLIS : RETRY_MILLIS);
      }
    }

    @Override
    public void failed(CallFailure failure) {
      transfersFailed++;
      releaseSoon(gate.transferred(key, token, false), RETRY_MILLIS);
    }
  }

  // ---------------------------------------------------------------- states

  /**
   * Obeys another state from now on.
   *
   * @return completes when nothing that was sent before, on keys that move, can be done any more
   */
  CompletableFuture<Boolean> obey(RoutingState next, Routing routing) {
    boolean another = next.version() != gate.state().version();
    worker.adopt(routing, routing.placement());
    List<Session> waiters = gate.obey(next);
    if (another && next.phase().holds()) {
      worker.view().links().forEach(link -> link.shared(2, 0).open());
      for (Session session : List.copyOf(worker.sessions().values())) {
        Transaction transaction = session.client.transaction;
        if (transaction != null) {
          transaction.breakWatch();
        }
        unblock(session);
      }
    }
    for (Session session : List.copyOf(worker.sessions().values())) {
      Subscriptions subscriptions = session.client.subscriptions;
      if (subscriptions != null) {
        subscriptions.follow();
      }
    }
    release(waiters);
    if (!next.phase().isBetween()) {
      close(); // Nothing stands in anybody's way, also of those who were to ask again a bit later.
    }
    CompletableFuture<Boolean> drained = new CompletableFuture<>();
    drain(next, drained);
    return drained;
  }

  /** Whether a blocked command waits for keys that move. */
  private boolean isMoving(Waiting waiting) {
    for (Key key : waiting.keys()) {
      if (gate.state().source(key.name()) != null) {
        return true;
      }
    }
    return false;
  }

  private void unblock(Session session) {
    Waiting waiting = session.client.waiting;
    if (waiting != null && isMoving(waiting)) {
      waiting.unblock();
    }
  }

  private void drain(RoutingState asked, CompletableFuture<Boolean> drained) {
    if (gate.state().version() != asked.version()) {
      drained.complete(false); // Another state is obeyed meanwhile.
      return;
    }
    worker
        .barrier()
        .whenComplete(
            (passed, failed) -> {
              if (failed == null && isQuietSafely(asked)) {
                drained.complete(true);
              } else {
                worker
                    .tick()
                    .loop()
                    .schedule(() -> drain(asked, drained), 2, TimeUnit.MILLISECONDS);
              }
            });
  }

  /** A fault is told, and asked again: an acknowledgement must not depend on it being seen. */
  private boolean isQuietSafely(RoutingState asked) {
    try {
      return isQuiet(asked);
    } catch (RuntimeException e) {
      worker.fault("drain", e);
      return false;
    }
  }

  private boolean isQuiet(RoutingState asked) {
    kill();
    if (!doubts.isClear()) {
      return false;
    }
    if (asked.phase() == Phase.MOVING) {
      return true;
    }
    if (asked.phase().holds()) {
      for (String receiver : asked.flows().receivers()) {
        NodeLink link = worker.links().get(receiver);
        if (link != null && !link.shared(2, 0).isReady()) {
          link.shared(2, 0).open(); // Whoever can't reach the target must not let keys go there.
          return false;
        }
      }
    }
    for (Session session : worker.sessions().values()) {
      Waiting waiting = session.client.waiting;
      if (waiting != null && asked.phase().holds() && isMoving(waiting)) {
        waiting.unblock(); // It may have begun to wait only now.
        return false;
      }
      Subscriptions subscriptions = session.client.subscriptions;
      if (subscriptions != null && subscriptions.isFollowing()) {
        return false;
      }
      Transaction transaction = session.client.transaction;
      boolean underWay =
          session.client.executing != null || transaction != null && transaction.isUnderWay();
      if (underWay && asked.phase().holds()) {
        return false;
      }
    }
    return true;
  }

  // ---------------------------------------------------------------- doubts

  void inDoubt(String node, String run, long connection) {
    if (!run.isEmpty()) {
      doubts.lost(node, run, connection);
    }
  }

  private void kill() {
    if (doubts.isClear()) {
      return;
    }
    for (String node : doubts.nodes()) {
      NodeLink link = worker.links().get(node);
      if (link == null) {
        continue;
      }
      NodeConnection connection = link.shared(2, 0);
      if (!connection.isReady()) {
        connection.open();
        continue;
      }
      String run = connection.run();
      doubts.isNow(node, run);
      for (long id : doubts.toKill(node, run)) {
        if (killing.add(node + ":" + id)) {
          send(
              connection,
              List.of("CLIENT", "KILL", "ID", Long.toString(id)),
              new Killing(node, run, id));
        }
      }
    }
  }

  /** A connection that is to be gone. */
  private final class Killing extends Call {

    private final String node;
    private final String run;
    private final long id;

    Killing(String node, String run, long id) {
      this.node = node;
      this.run = run;
      this.id = id;
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      killing.remove(node + ":" + id);
      if (buf.getByte(offset) == ':') {
        doubts.killed(node, run, id);
      }
    }

    @Override
    public void failed(CallFailure failure) {
      killing.remove(node + ":" + id);
    }
  }

  /** A copy of what is counted. */
  record Counts(
      ClusterState state,
      int waiting,
      long held,
      long heldNanos,
      long heldTooLong,
      long transfers,
      long transfersFailed) {}

  Counts counts() {
    return new Counts(
        gate.state().state(),
        heldSince.size(),
        held,
        heldNanos,
        heldTooLong,
        transfers,
        transfersFailed);
  }
}
