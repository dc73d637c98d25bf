package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.topology.Node;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A worker's way to one node: a shared connection for each protocol and database in use, and
 * connections for one client at a time where a command may wait or has a state.
 */
final class NodeLink implements NodeConnection.Listener {

  private static final int MOST_IDLE = 64;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A connection that nobody has leased at the moment. */
  private record Idle(NodeConnection connection, long since) {}

  private final Worker worker;
  private final String id;
  private final Node node;
  private final @Nullable NodeConnection[] shared;
  private final Deque<Idle> idle = new ArrayDeque<>();
  private final Set<NodeConnection> leased = new HashSet<>();
  private @Nullable CallFailure out;
  private boolean closed;
  private String version = "";

  /** What has gone this way. */
  final Traffic.OfNode traffic;

  NodeLink(Worker worker, Node node, Traffic.OfNode traffic) {
    this.worker = worker;
    this.id = node.id();
    this.node = node;
    this.traffic = traffic;
    this.shared = new NodeConnection[2 * worker.settings().databases()];
  }

  String id() {
    return id;
  }

  Node node() {
    return node;
  }

  /** The node's version as it says it itself; empty until it was asked. */
  String version() {
    return version;
  }

  /** The connection that everybody shares. */
  NodeConnection shared(int protocol, int database) {
    int at = 2 * database + protocol - 2;
    NodeConnection connection = shared[at];
    if (connection == null) {
      connection =
          NodeConnection.shared(
              worker.tick(),
              worker.bootstrap(),
              Routing.address(node),
              worker.nodes(),
              protocol,
              database,
              this);
      shared[at] = connection;
    }
    return connection;
  }

  /** Sends a request on a shared connection. */
  void send(int protocol, int database, Call call, ByteBuf buf, int offset, int length) {
    traffic.requestBytes += length;
    if (out != null) {
      call.failed(out);
      return;
    }
    shared(protocol, database).send(call, buf, offset, length);
  }

  /** A connection for one client, which gives it back or closes it. */
  NodeConnection lease(int protocol, int database, NodeConnection.Listener listener) {
    NodeConnection connection =
        NodeConnection.dedicated(
            worker.tick(),
            worker.bootstrap(),
            Routing.address(node),
            worker.nodes(),
            protocol,
            database,
            listener);
    leased.add(connection);
    return connection;
  }

  /** A leased connection for plain calls, perhaps one that was used before. */
  NodeConnection lease(int protocol, int database) {
    for (Idle each : idle) {
      NodeConnection connection = each.connection();
      if (connection.protocol() == protocol && connection.database() == database) {
        idle.remove(each);
        leased.add(connection);
        return connection;
      }
    }
    return lease(protocol, database, this);
  }

  /** Takes back a connection that has no state. */
  void giveBack(NodeConnection connection) {
    leased.remove(connection);
    if (connection.isReady() && connection.waiting() == 0 && idle.size() < MOST_IDLE) {
      idle.addFirst(new Idle(connection, worker.tick().nanos())); // The last used is used next.
    } else {
      connection.close();
    }
  }

  /** Closes a leased connection. */
  void discard(NodeConnection connection) {
    leased.remove(connection);
    connection.close();
  }

  /** From now on nothing goes there; what is under way fails. Null lets requests through again. */
  void setOut(@Nullable CallFailure reason) {
    if (closed) {
      return;
    }
    out = reason;
    if (reason != null) {
      closeConnections();
    }
  }

  /** Closes what is leased: those who wait there are told. */
  void closeLeased() {
    List<NodeConnection> all = List.copyOf(leased);
    leased.clear();
    all.forEach(NodeConnection::abandon);
  }

  @Nullable CallFailure out() {
    return out;
  }

  List<NodeConnection> sharedConnections() {
    List<NodeConnection> all = new ArrayList<>();
    for (NodeConnection connection : shared) {
      if (connection != null) {
        all.add(connection);
      }
    }
    return all;
  }

  List<NodeConnection> connections() {
    List<NodeConnection> all = sharedConnections();
    idle.forEach(each -> all.add(each.connection()));
    all.addAll(leased);
    return all;
  }

  void checkTime() {
    for (NodeConnection connection : shared) {
      if (connection != null) {
        connection.checkTime();
      }
    }
    Idle oldest = idle.peekLast();
    while (oldest != null && System.nanoTime() - oldest.since() > IDLE_NANOS) {
      idle.removeLast();
      oldest.connection().close();
      oldest = idle.peekLast();
    }
    if (!leased.isEmpty()) {
      List.copyOf(leased).forEach(NodeConnection::checkTime);
    }
  }

  /** Ends it for good: the node is elsewhere now, or the proxy ends. */
  void close() {
    closed = true;
    out = new CallFailure(CallFailure.Kind.DOWN, "it has moved to another address");
    closeConnections();
  }

  private void closeConnections() {
    List<NodeConnection> all = sharedConnections();
    idle.forEach(each -> all.add(each.connection()));
    Arrays.fill(shared, null);
    idle.clear();
    all.forEach(NodeConnection::close);
    closeLeased();
  }

  int waiting() {
    int waiting = 0;
    for (NodeConnection connection : connections()) {
      waiting += connection.waiting();
    }
    return waiting;
  }

  @Override
  public void up(NodeConnection connection) {
    version = connection.version();
    worker.connected(this);
  }

  @Override
  public void down(NodeConnection connection, CallFailure failure) {
    idle.removeIf(each -> each.connection().equals(connection));
    leased.remove(connection);
    worker.lost(this, failure);
  }

  @Override
  public void pushed(NodeConnection connection, ByteBuf buf, int offset, int length) {
    // Nothing is asked for that a node would push.
  }

  @Override
  public boolean asksRun() {
    return worker.movingKeys() != null;
  }

  @Override
  public void inDoubt(long connection, String run) {
    MovingKeys moving = worker.movingKeys();
    if (moving != null) {
      moving.inDoubt(id, run, connection);
    }
  }

  @Override
  public List<byte[]> preparation() {
    return worker.scripts().requests();
  }
}
