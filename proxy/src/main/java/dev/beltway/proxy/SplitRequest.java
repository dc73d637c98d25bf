package dev.beltway.proxy;

import dev.beltway.resp.codec.Digits;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * MGET, MSET, DEL, UNLINK, EXISTS and TOUCH over several nodes: each node gets the keys that it
 * owns, in their order and as often as they were named. Every part is atomic at its node, the whole
 * is not.
 */
final class SplitRequest extends Joint {

  private static final String OK = "+OK\r\n";

  private final String name;
  private final int[] partOf;

  private SplitRequest(Session session, Handling handling, int[] partOf) {
    super(session, handling.number());
    this.name = handling.command().name();
    this.partOf = partOf;
  }

  static boolean handle(Session session, Handling handling, FrameArguments request, int length) {
    Worker worker = session.worker();
    View view = worker.view();
    int step = handling.command().name().equals("mset") ? 2 : 1;
    if ((request.count() - 1) % step != 0) {
      worker.dispatcher().refuse(session, "ERR wrong number of arguments for 'mset' command");
      return true;
    }
    for (int each = 1; each < request.count(); each += step) {
      worker.hotKeys().seen(request, each);
    }
    NodeLink first = view.owner(request, 1);
    int key = 1 + step;
    while (key < request.count() && view.owner(request, key) == first) {
      key += step;
    }
    if (key >= request.count()) {
      Request whole = session.add(handling.number(), length);
      whole.node = first;
      first.send(
          session.client.protocol,
          session.client.database,
          whole,
          request.buf(),
          request.begin(),
          length);
      return true;
    }
    // All owners first: a key may be refused, and then nothing must have begun.
    int[] partOf = new int[(request.count() - 1) / step];
    Map<NodeLink, Integer> numbers = new LinkedHashMap<>();
    for (int i = 0; i < partOf.length; i++) {
      NodeLink owner = view.owner(request, 1 + i * step);
      Integer number = numbers.get(owner);
      if (number == null) {
        number = numbers.size();
        numbers.put(owner, number);
      }
      partOf[i] = number;
    }
    new SplitRequest(session, handling, partOf).begin(numbers, request, step);
    return true;
  }

  private void begin(Map<NodeLink, Integer> numbers, FrameArguments request, int step) {
    int[] counts = new int[numbers.size()];
    for (int part : partOf) {
      counts[part]++;
    }
    ByteBuf[] frames = new ByteBuf[numbers.size()];
    for (int part = 0; part < frames.length; part++) {
      frames[part] = session().worker().tick().allocator().directBuffer();
      RespWriter.array(frames[part], 1 + (long) counts[part] * step);
      RespWriter.bulk(frames[part], name);
    }
    for (int i = 0; i < partOf.length; i++) {
      for (int argument = 1 + i * step; argument < 1 + (i + 1) * step; argument++) {
        RespWriter.bulk(
            frames[partOf[i]], request.buf(), request.offset(argument), request.length(argument));
      }
    }
    for (Map.Entry<NodeLink, Integer> part : numbers.entrySet()) {
      ByteBuf frame = frames[part.getValue()];
      send(part.getKey(), frame);
      frame.release();
    }
    sent();
  }

  @Override
  void join(ByteBuf out) throws RespException {
    switch (name) {
      case "mget" -> joinValues(out);
      case "mset" -> out.writeCharSequence(OK, java.nio.charset.StandardCharsets.US_ASCII);
      default -> {
        long sum = 0;
        for (Part part : parts()) {
          sum += number(part.reply());
        }
        RespWriter.integer(out, sum);
      }
    }
  }

  private void joinValues(ByteBuf out) throws RespException {
    Elements[] elements = new Elements[parts().size()];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = new Elements(parts().get(i).reply(), parts().get(i).reply().readerIndex());
    }
    RespWriter.array(out, partOf.length);
    for (int part : partOf) {
      Elements values = elements[part];
      int from = values.next();
      out.writeBytes(parts().get(part).reply(), from, values.length());
    }
  }

  /** The number that a reply is. */
  static long number(ByteBuf reply) throws RespException {
    int from = reply.readerIndex();
    long number = Digits.parse(reply, from + 1, reply.writerIndex() - 2);
    if (reply.getByte(from) != ':' || number == Digits.NONE) {
      throw new RespException("a reply that is no number");
    }
    return number;
  }
}
