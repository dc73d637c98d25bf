package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.codec.RequestScanner;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import dev.beltway.resp.command.Treatment;
import io.netty.buffer.ByteBuf;
import java.util.function.BiConsumer;
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

  /** The database that the watching connection is in. */
  private int watchingIn;

  /**
   * What was watched can't be known any more: EXEC does nothing, as if a watched key had changed.
   */
  private boolean broken;

  /** By which the node was found. */
  private @Nullable View view;

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
    noticeLoss();
    if (watching == null) {
      view = null;
      node = null; // A watch that failed binds to nothing.
    }
  }

  /** The watch can't go on. */
  void breakWatch() {
    NodeConnection connection = watching;
    NodeLink link = node;
    watching = null;
    if (connection != null && link != null) {
      broken = true;
      link.discard(connection);
    }
  }

  /** Whether a node has been sent something for it that is not answered yet. */
  boolean isUnderWay() {
    return watching != null && watching.waiting() > 0 || session.client.executing == this;
  }

  /** Whether EXEC will send nothing. */
  boolean doesNothing() {
    noticeLoss();
    return spoiled || broken;
  }

  /** Visits the commands that are queued. */
  void visit(BiConsumer<Handling, FrameArguments> visitor) {
    ByteBuf all = queued;
    if (all == null) {
      return;
    }
    RequestScanner scanner = new RequestScanner(RespLimits.OF_A_SERVER);
    FrameArguments found = new FrameArguments(scanner);
    try {
      int from = 0;
      while (scanner.scan(all, from, all.writerIndex())) {
        found.at(all, from);
        Handling handling = session.worker().commands().find(found);
        if (handling != null && from > 0) { // The first is MULTI.
          visitor.accept(handling, found);
        }
        from += scanner.length();
        scanner.reset();
      }
    } catch (RespException e) {
      throw new IllegalStateException(e); // They were scanned before.
    }
  }

  /**
   * Finds the node of what is queued anew, because the nodes have changed.
   *
   * @return whether it is one node
   */
  private boolean locate() {
    KeyOwner owner = new KeyOwner();
    View current = session.worker().view();
    NodeLink[] one = new NodeLink[1];
    boolean[] several = new boolean[1];
    visit(
        (handling, request) -> {
          owner.find(current, handling.command(), request);
          if (handling.treatment() == Treatment.CHANNEL || owner.count() > 0) {
            NodeLink link = owner.count() > 0 ? owner.link() : current.owner(request, 1);
            several[0] |= !owner.isOne() || one[0] != null && one[0] != link;
            one[0] = link;
          }
        });
    node = one[0];
    view = current;
    return !several[0];
  }

  private void noticeLoss() {
    if (watching != null && watching.isClosed()) {
      watching = null;
      broken = true;
    }
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
    noticeLoss();
    boolean changed = view != null && view != session.worker().view();
    if (node == null || (watching == null && (!open || changed))) {
      node = wanted;
      view = session.worker().view();
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
    noticeLoss();
    Request request = session.add(command, length);
    request.node = link;
    if (link.out() != null) {
      request.failed(link.out());
      return;
    }
    NodeConnection connection = watching;
    if (connection == null) {
      connection = link.lease(session.client.protocol, session.client.database);
      watching = connection;
      watchingIn = session.client.database;
    }
    session.hold();
    ByteBuf copy =
        session.worker().tick().allocator().directBuffer(length).writeBytes(buf, offset, length);
    inDatabase(connection, request, copy, new Held(request, 1));
  }

  /** Sends a request, which is given away, in the session's database; after SELECT if it must. */
  private void inDatabase(NodeConnection connection, Request request, ByteBuf frame, Held call) {
    int database = session.client.database;
    if (watchingIn == database) {
      connection.send(call, frame, 0, frame.writerIndex());
      frame.release();
      return;
    }
    ByteBuf select = session.worker().tick().allocator().directBuffer();
    RespWriter.request(select, "SELECT", Integer.toString(database));
    Call selected =
        new Call() {
          @Override
          public void replied(ByteBuf buf, int offset, int length) {
            if (buf.getByte(offset) == '+') {
              watchingIn = database;
              connection.send(call, frame, 0, frame.writerIndex());
            } else {
              session.client.executing = null;
              breakWatch();
              session.replied(request, buf, offset, length);
              session.release();
            }
            frame.release();
          }

          @Override
          public void failed(CallFailure failure) {
            frame.release();
            call.failed(failure);
          }
        };
    connection.send(selected, select, 0, select.writerIndex());
    select.release();
  }

  boolean isWatching() {
    return watching != null || broken;
  }

  /** Runs what is queued; with a watch nothing may be under way. */
  void exec(int command) {
    if (spoiled) {
      answer("EXECABORT Transaction discarded because of previous errors.");
      reset();
      return;
    }
    noticeLoss();
    boolean moved = view != null && view != session.worker().view();
    boolean inCluster = session.worker().movingKeys() != null;
    if (moved && watching == null && !broken && !(inCluster && locate())) {
      // Its commands may belong to another node by now.
      answer("EXECABORT Transaction discarded because the nodes have changed; try again.");
      reset();
      return;
    }
    if (broken || moved && watching != null) {
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
    ByteBuf all = session.worker().tick().allocator().directBuffer();
    if (queued == null) {
      RespWriter.request(all, "MULTI");
    } else {
      all.writeBytes(queued);
      queued.release();
    }
    queued = null;
    RespWriter.request(all, "EXEC");
    Request request = session.add(command, all.readableBytes());
    request.node = link;
    Exec exec = new Exec(request, commands + 2);
    NodeConnection connection = watching;
    if (connection != null) {
      session.hold();
      session.client.executing = this;
      inDatabase(connection, request, all, exec);
    } else {
      link.send(
          session.client.protocol, session.client.database, exec, all, 0, all.readableBytes());
      reset();
      all.release();
    }
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
    view = null;
    broken = false;
  }

  void end() {
    reset();
  }

  /** A call during which the session takes no other request. */
  private class Held extends Call {

    final Request request;
    int left;

    /** The client is told the last of so many replies. */
    Held(Request request, int replies) {
      this.request = request;
      this.left = replies;
      expects(replies);
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      if (--left > 0) {
        return;
      }
      session.replied(request, buf, offset, length);
      session.release();
    }

    @Override
    public void failed(CallFailure failure) {
      session.failed(request, failure);
      session.release();
    }
  }

  /**
   * MULTI, the commands and EXEC: of their replies the client is told the last. What comes before
   * it is OK and QUEUED; if a command was refused, EXEC says so.
   */
  private final class Exec extends Held {

    private final boolean watched = watching != null;

    Exec(Request request, int replies) {
      super(request, replies);
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      if (left > 1) {
        left--;
        return;
      }
      if (!watched) {
        session.replied(request, buf, offset, length);
        return;
      }
      session.client.executing = null;
      NodeConnection connection = watching;
      NodeLink link = node;
      boolean same = watchingIn == (connection == null ? -1 : connection.database());
      forget();
      if (connection != null && link != null) {
        if (same) {
          link.giveBack(connection); // EXEC has ended the watch.
        } else {
          link.discard(connection); // It is in another database than it was made for.
        }
      }
      super.replied(buf, offset, length);
    }

    @Override
    public void failed(CallFailure failure) {
      if (watched) {
        session.client.executing = null;
        reset();
        super.failed(failure);
      } else {
        session.failed(request, failure);
      }
    }
  }
}
