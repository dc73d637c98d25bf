package dev.beltway.proxy;

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

  private final int node;
  private final int nodes;

  private Scan(Session session, int command, int node, int nodes) {
    super(session, command);
    this.node = node;
    this.nodes = nodes;
  }

  static boolean handle(Session session, Handling handling, FrameArguments request) {
    Worker worker = session.worker();
    View view = worker.view();
    long cursor = cursor(request.text(1));
    int node = (int) (cursor & NODE_MASK);
    if (cursor == Digits.NONE || node >= view.links().size()) {
      worker.dispatcher().refuse(session, "ERR invalid cursor");
      return true;
    }
    Scan scan = new Scan(session, handling.number(), node, view.links().size());
    ByteBuf frame = worker.tick().allocator().directBuffer();
    RespWriter.array(frame, request.count());
    RespWriter.bulk(frame, "SCAN");
    RespWriter.bulk(frame, Long.toUnsignedString(cursor >>> NODE_BITS));
    for (int i = 2; i < request.count(); i++) {
      RespWriter.bulk(frame, request.buf(), request.offset(i), request.length(i));
    }
    scan.send(view.links().get(node), frame);
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
    if (cursor >>> (Long.SIZE - NODE_BITS) != 0) {
      throw new RespException("a cursor of more than 48 bits");
    }
    long next = cursor << NODE_BITS | node;
    if (cursor == 0) {
      next = node + 1 < nodes ? node + 1 : 0;
    }
    RespWriter.array(out, 2);
    RespWriter.bulk(out, Long.toUnsignedString(next));
    int keys = both.next();
    out.writeBytes(reply, keys, both.length());
  }
}
