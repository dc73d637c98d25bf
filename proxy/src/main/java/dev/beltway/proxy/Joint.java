package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that went to several nodes, and whose reply is made of theirs. If one of them fails the
 * whole request does, with that error: a part of an answer would look like all of it.
 */
abstract class Joint {

  private final Session session;
  private final Request place;
  private final List<Part> parts = new ArrayList<>();
  private int missing;
  private boolean sent;

  Joint(Session session, int command) {
    this.session = session;
    this.place = session.add(command, 0);
  }

  Session session() {
    return session;
  }

  /** Sends a part; the buffer stays the caller's. */
  void send(NodeLink link, ByteBuf request) {
    Part part = new Part(link);
    parts.add(part);
    missing++;
    session.keep(place, request.readableBytes());
    link.send(
        session.client.protocol,
        session.client.database,
        part,
        request,
        request.readerIndex(),
        request.readableBytes());
  }

  /** No further part follows. */
  void sent() {
    sent = true;
    endIfComplete();
  }

  /** The parts in the order in which they were sent. */
  List<Part> parts() {
    return parts;
  }

  /** Writes the reply from the parts, of which none is an error. */
  abstract void join(ByteBuf out) throws RespException;

  private void endIfComplete() {
    if (!sent || missing > 0) {
      return;
    }
    ByteBuf out = session.worker().tick().allocator().directBuffer();
    try {
      Part bad = bad();
      if (parts.isEmpty()) {
        RespWriter.error(out, "CLUSTERDOWN no node can be asked now");
      } else if (bad == null) {
        try {
          join(out);
        } catch (RespException e) {
          RespWriter.error(out.clear(), "ERR a node answered with " + e.text());
        }
      } else if (bad.failure != null) {
        bad.link.traffic.failures++;
        RespWriter.error(out, Failures.text(bad.link.id(), bad.failure));
      } else {
        out.writeBytes(bad.reply(), bad.reply().readerIndex(), bad.reply().readableBytes());
      }
      release();
      answer(place, out);
    } finally {
      out.release();
    }
  }

  /** Passes the reply on. */
  void answer(Request to, ByteBuf out) {
    session.replied(to, out, 0, out.writerIndex());
  }

  private @Nullable Part bad() {
    for (Part part : parts) {
      if (part.failure != null || part.isError()) {
        return part;
      }
    }
    return null;
  }

  private void release() {
    for (Part part : parts) {
      if (part.reply != null) {
        part.reply.release();
        part.reply = null;
      }
    }
  }

  /** What one node was asked and has answered. */
  final class Part extends Call {

    private final NodeLink link;
    private @Nullable ByteBuf reply;
    private @Nullable CallFailure failure;

    Part(NodeLink link) {
      this.link = link;
    }

    NodeLink link() {
      return link;
    }

    /** The reply, at its reader index; nobody else's until the joint has ended. */
    ByteBuf reply() {
      if (reply == null) {
        throw new IllegalStateException("no reply of node " + link.id());
      }
      return reply;
    }

    boolean isError() {
      return reply != null && reply.getByte(reply.readerIndex()) == '-';
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      reply =
          session.worker().tick().allocator().directBuffer(length).writeBytes(buf, offset, length);
      session.keep(place, length);
      missing--;
      endIfComplete();
    }

    @Override
    public void failed(CallFailure reason) {
      failure = reason;
      missing--;
      endIfComplete();
    }
  }
}
