package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import io.netty.buffer.ByteBuf;

/**
 * A command that may wait at its node, on a connection of its own. The session takes no other
 * request meanwhile, as a server doesn't; if the client goes, the connection does.
 */
final class Waiting extends Call {

  private final Session session;
  private final NodeLink link;
  private final NodeConnection connection;
  private final Request request;

  private Waiting(Session session, NodeLink link, NodeConnection connection, Request request) {
    this.session = session;
    this.link = link;
    this.connection = connection;
    this.request = request;
  }

  /** Sends the command. */
  static void begin(
      Session session, NodeLink link, int command, ByteBuf buf, int offset, int length) {
    Request request = session.add(command, length);
    request.node = link;
    if (link.out() != null) {
      request.failed(link.out());
      return;
    }
    NodeConnection connection = link.lease(session.client.protocol, session.client.database);
    Waiting waiting = new Waiting(session, link, connection, request);
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
