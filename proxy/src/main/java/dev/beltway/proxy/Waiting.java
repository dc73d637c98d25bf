package dev.beltway.proxy;

import dev.beltway.handover.Key;
import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A command that may wait at its node, on a connection of its own. The session takes no other
 * request meanwhile, as a server doesn't; if the client goes, the connection does.
 */
final class Waiting extends Call {

  private final Session session;
  private final NodeLink link;
  private final NodeConnection connection;
  private final Request request;
  private final List<Key> keys;
  private boolean unblocking;

  private Waiting(
      Session session, NodeLink link, NodeConnection connection, Request request, List<Key> keys) {
    this.session = session;
    this.link = link;
    this.connection = connection;
    this.request = request;
    this.keys = keys;
  }

  /** Sends the command. */
  static void begin(
      Session session,
      NodeLink link,
      int command,
      ByteBuf buf,
      int offset,
      int length,
      List<Key> keys) {
    Request request = session.add(command, length);
    request.node = link;
    if (link.out() != null) {
      request.failed(link.out());
      return;
    }
    NodeConnection connection = link.lease(session.client.protocol, session.client.database);
    Waiting waiting = new Waiting(session, link, connection, request, keys);
    session.client.waiting = waiting;
    session.hold();
    connection.send(waiting, buf, offset, length);
  }

  @Override
  public boolean mayWait() {
    return true;
  }

  /** What the node calls the connection, to unblock it. */
  long connectionId() {
    return connection.id();
  }

  NodeLink link() {
    return link;
  }

  /** What it waits for; known where keys may move. */
  List<Key> keys() {
    return keys;
  }

  /** Has the node end the wait as if its time were over: what it waits for will come elsewhere. */
  void unblock() {
    if (unblocking || connection.id() == 0) {
      return;
    }
    unblocking = true;
    ByteBuf frame = session.worker().tick().allocator().directBuffer();
    RespWriter.request(frame, "CLIENT", "UNBLOCK", Long.toString(connection.id()));
    link.shared(2, 0).send(new Unblocked(), frame, 0, frame.writerIndex());
    frame.release();
  }

  /** If the node didn't, it is asked again. */
  private final class Unblocked extends Call {
    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      unblocking = false;
    }

    @Override
    public void failed(CallFailure failure) {
      unblocking = false;
    }
  }

  @Override
  public void replied(ByteBuf buf, int offset, int length) {
    session.client.waiting = null;
    session.replied(request, buf, offset, length);
    if (session.isClosed()) {
      link.discard(connection);
    } else {
      link.giveBack(connection);
      session.release();
    }
  }

  @Override
  public void failed(CallFailure failure) {
    session.client.waiting = null;
    session.failed(request, failure);
    session.release();
  }

  /** The client is gone. */
  void end() {
    link.discard(connection);
  }
}
