package dev.beltway.proxy;

import dev.beltway.handover.ClusterState;
import dev.beltway.resp.codec.Digits;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * SCAN over all nodes, one after the other by id. The cursor says all: its lower 16 bits are the
 * number of the node, what is above is that node's own cursor. So the proxy remembers nothing, and
 * any proxy of the same topology goes on where another one stopped.
 */
final class Scan extends Joint {

  private static final int NODE_BITS = 16;
  private static final long NODE_MASK = (1L << NODE_BITS) - 1;

  /** In a cluster the walk's mark stands between the node's number and its cursor. */
  private static final int MARK_BITS = 8;

  private static final long MARK_MASK = (1L << MARK_BITS) - 1;

  private final int node;
  private final int nodes;
  private final boolean marked;
  private final long mark;

  private Scan(Session session, int command, int node, View view) {
    super(session, command);
    this.node = node;
    this.nodes = view.walk().size();
    MovingKeys moving = session.worker().movingKeys();
    this.marked = moving != null;
    this.mark = moving == null ? 0 : mark(moving);
  }

  /** Changes whenever the order of the walk does: then a walk begins anew, and may repeat keys. */
  private static long mark(MovingKeys moving) {
    ClusterState state = moving.state().state();
    return (state.phase().isBetween() ? state.barrier() : state.version()) & MARK_MASK;
  }

  static boolean handle(Session session, Handling handling, FrameArguments request) {
    Worker worker = session.worker();
    View view = worker.view();
    long cursor = cursor(request.text(1));
    int node = (int) (cursor & NODE_MASK);
    MovingKeys moving = worker.movingKeys();
    if (moving != null && cursor != Digits.NONE) {
      if (cursor != 0 && (cursor >>> NODE_BITS & MARK_MASK) != mark(moving)) {
        cursor = 0;
        node = 0;
      }
      cursor >>>= MARK_BITS;
    }
    if (cursor == Digits.NONE || node >= view.walk().size()) {
      worker.dispatcher().refuse(session, "ERR invalid cursor");
      return true;
    }
    Scan scan = new Scan(session, handling.number(), node, view);
    ByteBuf frame = worker.tick().allocator().directBuffer();
    RespWriter.array(frame, request.count());
    RespWriter.bulk(frame, "SCAN");
    RespWriter.bulk(frame, Long.toUnsignedString(cursor >>> NODE_BITS));
    for (int i = 2; i < request.count(); i++) {
      RespWriter.bulk(frame, request.buf(), request.offset(i), request.length(i));
    }
    scan.send(view.walk().get(node), frame);
    frame.release();
    scan.sent();
    return true;
  }

  private static long cursor(String text) {
    if (!text.matches("[0-9]{1,20}")) {
      return Digits.NONE;
    }
    try {
      long cursor = Long.parseUnsignedLong(text);
      return cursor == Digits.NONE ? -1 : cursor; // 2^63 is as wrong as 2^64 - 1.
    } catch (NumberFormatException e) {
      return Digits.NONE;
    }
  }

  @Override
  void join(ByteBuf out) throws RespException {
    ByteBuf reply = parts().get(0).reply();
    Elements both = new Elements(reply, reply.readerIndex());
    int from = both.next();
    int line = reply.indexOf(from, reply.writerIndex(), (byte) '\r');
    String text =
        reply.toString(line + 2, both.length() - (line - from) - 4, StandardCharsets.US_ASCII);
    long cursor = Long.parseUnsignedLong(text);
    int bits = Long.SIZE - NODE_BITS - (marked ? MARK_BITS : 0);
    if (cursor >>> bits != 0) {
      throw new RespException("a cursor of more than " + bits + " bits");
    }
    boolean last = cursor == 0 && node + 1 == nodes;
    long place = cursor == 0 ? node + 1 : node;
    long next = cursor << Long.SIZE - bits | (marked ? mark << NODE_BITS : 0) | place;
    if (last) {
      next = 0;
    }
    RespWriter.array(out, 2);
    RespWriter.bulk(out, Long.toUnsignedString(next));
    int keys = both.next();
    out.writeBytes(reply, keys, both.length());
  }
}
