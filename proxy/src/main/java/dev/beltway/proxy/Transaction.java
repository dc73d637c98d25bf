package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What a client watches, and the commands that it has queued. All of it is on one node. The
 * commands are kept here and go to the node in one piece at EXEC, between MULTI and EXEC: on the
 * shared connection if nothing is watched, else on the one that watches.
 */
final class Transaction {

  private static final int MOST_BYTES = 64 << 20;

  private final Session session;
  private @Nullable NodeLink node;
  private @Nullable NodeConnection watching;
  private boolean open;
  private boolean spoiled;
  private @Nullable ByteBuf queued;
  private int commands;

  Transaction(Session session) {
    this.session = session;
  }

  /** Whether MULTI was said. */
  boolean isOpen() {
    return open;
  }

  long bytes() {
    return queued == null ? 0 : queued.capacity();
  }

  void begin() {
    open = true;
  }

  /** A command could not be queued, so EXEC will do nothing. */
  void spoil() {
    spoiled = true;
  }

  /** Whether a command of that node fits in; the first one decides. Null is any node. */
  boolean accepts(@Nullable NodeLink wanted) {
    if (wanted == null || node == wanted) {
      return true;
    }
    if (node == null) {
      node = wanted;
      return true;
    }
    return false;
  }

  /** Keeps a command; false if there is no room for it. */
  boolean queue(ByteBuf buf, int offset, int length) {
    if (queued == null) {
      queued = session.worker().tick().allocator().directBuffer();
      RespWriter.request(queued, "MULTI");
    }
    if (queued.readableBytes() + (long) length > MOST_BYTES) {
      return false;
    }
    queued.writeBytes(buf, offset, length);
    commands++;
    return true;
  }

  /** Watches keys of a node, which {@link #accepts} has taken; nothing is under way. */
  void watch(NodeLink link, int command, ByteBuf buf, int offset, int length) {
    Request request = session.add(command);
    request.node = link;
    if (link.out() != null) {
      request.failed(link.out());
      return;
    }
    NodeConnection connection = watching;
    if (connection == null) {
      connection = link.lease(session.client.protocol, session.client.database);
      watching = connection;
    }
    session.hold();
    connection.send(new Held(request), buf, offset, length);
  }

  boolean isWatching() {
    return watching != null;
  }

  /** Runs what is queued; with a watch nothing may be under way. */
  void exec(int command) {
    if (spoiled) {
      answer("EXECABORT Transaction discarded because of previous errors.");
      reset();
      return;
    }
    if (watching != null && watching.isClosed()) {
      // What has changed meanwhile can't be known: as if a watched key had.
      RespWriter.noArray(session.openReply(), session.client.protocol);
      session.closeReply();
      reset();
      return;
    }
    if (commands == 0 && watching == null) {
      RespWriter.array(session.openReply(), 0);
      session.closeReply();
      reset();
      return;
    }
    NodeLink link = node == null ? session.worker().view().any() : node;
    ByteBuf all = queued;
    if (all == null) {
      all = session.worker().tick().allocator().directBuffer();
      RespWriter.request(all, "MULTI");
    }
    queued = null;
    RespWriter.request(all, "EXEC");
    Request request = session.add(command);
    request.node = link;
    Exec exec = new Exec(request, commands);
    NodeConnection connection = watching;
    if (connection != null) {
      session.hold();
      connection.send(exec, all, 0, all.readableBytes());
    } else {
      link.send(
          session.client.protocol, session.client.database, exec, all, 0, all.readableBytes());
      reset();
    }
    all.release();
  }

  private void answer(String error) {
    RespWriter.error(session.openReply(), error);
    session.closeReply();
  }

  /** Forgets the queue and the watch. */
  void reset() {
    NodeConnection connection = watching;
    NodeLink link = node;
    forget();
    if (connection != null && link != null) {
      link.discard(connection); // It still watches.
    }
  }

  private void forget() {
    open = false;
    spoiled = false;
    commands = 0;
    if (queued != null) {
      queued.release();
      queued = null;
    }
    watching = null;
    node = null;
  }

  void end() {
    reset();
  }

  /** A call during which the session takes no other request. */
  private class Held extends Call {

    final Request request;

    Held(Request request) {
      this.request = request;
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      session.replied(request, buf, offset, length);
      session.release();
    }

    @Override
    public void failed(CallFailure failure) {
      session.failed(request, failure);
      session.release();
    }
  }

  /** MULTI, the commands and EXEC: of their replies the client is told the last. */
  private final class Exec extends Held {

    private final boolean watched = watching != null;
    private int left;

    Exec(Request request, int commands) {
      super(request);
      this.left = commands + 2;
      expects(left);
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      if (--left > 0) {
        return; // +OK and +QUEUED; if a command was refused, EXEC says so.
      }
      NodeConnection connection = watching;
      NodeLink link = node;
      if (watched && connection != null && link != null) {
        forget();
        link.giveBack(connection); // EXEC has ended the watch.
        super.replied(buf, offset, length);
      } else {
        session.replied(request, buf, offset, length);
      }
    }

    @Override
    public void failed(CallFailure failure) {
      if (watched) {
        reset();
        super.failed(failure);
      } else {
        session.failed(request, failure);
      }
    }
  }
}
