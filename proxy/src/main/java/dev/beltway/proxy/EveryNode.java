package dev.beltway.proxy;

import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import dev.beltway.resp.command.Treatment;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A request to all nodes, and how their replies become one. */
final class EveryNode extends Joint {

  private final Handling handling;
  private final String name;
  private final ByteBuf request;

  private EveryNode(Session session, Handling handling, ByteBuf request) {
    super(session, handling.number());
    this.handling = handling;
    this.name = handling.command().name();
    this.request = request;
  }

  static boolean handle(Session session, Handling handling, FrameArguments request, int length) {
    View view = session.worker().view();
    MovingKeys moving = session.worker().movingKeys();
    if (moving != null && moving.isActive() && handling.command().name().equals("keys")) {
      // Asked all at once, a node that has given a key and one that gets it may both not have it.
      moving.refuseWhileMoving(session);
      return true;
    }
    ByteBuf copy =
        session
            .worker()
            .tick()
            .allocator()
            .directBuffer(length)
            .writeBytes(request.buf(), request.begin(), length);
    EveryNode all = new EveryNode(session, handling, copy);
    for (NodeLink link : view.links()) {
      if (link.out() == null || session.worker().settings().policy() == FailurePolicy.ERROR) {
        all.send(link, copy);
        if (all.name.equals("randomkey")) {
          ByteBuf size = session.worker().tick().allocator().directBuffer();
          RespWriter.request(size, "DBSIZE");
          all.send(link, size);
          size.release();
        }
      }
    }
    all.sent();
    return true;
  }

  @Override
  void answer(Request to, ByteBuf out) {
    if (handling.treatment() == Treatment.REMEMBERED && out.getByte(0) != '-') {
      session().worker().scripts().remember(name, request, out);
    }
    request.release();
    super.answer(to, out);
  }

  @Override
  void join(ByteBuf out) throws RespException {
    switch (name) {
      case "dbsize" -> {
        long sum = 0;
        for (Part part : parts()) {
          sum += SplitRequest.number(part.reply());
        }
        RespWriter.integer(out, sum);
      }
      case "keys" -> concatenate(out);
      case "randomkey" -> randomKey(out);
      case "script exists" -> scriptsExist(out);
      case "pubsub channels", "pubsub shardchannels" -> union(out);
      case "pubsub numsub", "pubsub shardnumsub" -> sumByName(out);
      case "pubsub numpat" -> {
        long most = 0;
        for (Part part : parts()) {
          most = Math.max(most, SplitRequest.number(part.reply()));
        }
        RespWriter.integer(out, most);
      }
      default -> {
        ByteBuf first = parts().get(0).reply();
        out.writeBytes(first, first.readerIndex(), first.readableBytes());
      }
    }
  }

  private void concatenate(ByteBuf out) throws RespException {
    long count = 0;
    for (Part part : parts()) {
      count += new Elements(part.reply(), part.reply().readerIndex()).count();
    }
    RespWriter.array(out, count);
    for (Part part : parts()) {
      ByteBuf reply = part.reply();
      int from = new Elements(reply, reply.readerIndex()).offset();
      out.writeBytes(reply, from, reply.writerIndex() - from);
    }
  }

  /** A key of a node drawn by how many keys each has, so that every key has the same chance. */
  private void randomKey(ByteBuf out) throws RespException {
    long all = 0;
    for (int i = 1; i < parts().size(); i += 2) {
      all += SplitRequest.number(parts().get(i).reply());
    }
    long drawn = session().worker().proxy().chance(Math.max(1, all));
    int chosen = 0;
    for (int i = 1; i < parts().size(); i += 2) {
      long keys = SplitRequest.number(parts().get(i).reply());
      if (drawn < keys) {
        chosen = i - 1;
        break;
      }
      drawn -= keys;
    }
    ByteBuf reply = parts().get(chosen).reply();
    out.writeBytes(reply, reply.readerIndex(), reply.readableBytes());
  }

  private void scriptsExist(ByteBuf out) {
    long[] everywhere = null;
    for (Part part : parts()) {
      if (RespReader.read(part.reply(), part.reply().readerIndex()) instanceof List<?> found) {
        if (everywhere == null) {
          everywhere = new long[found.size()];
          Arrays.fill(everywhere, 1);
        }
        for (int i = 0; i < everywhere.length; i++) {
          everywhere[i] &= found.get(i) instanceof Long one ? one : 0;
        }
      }
    }
    long[] result = everywhere == null ? new long[0] : everywhere;
    RespWriter.array(out, result.length);
    for (long each : result) {
      RespWriter.integer(out, each);
    }
  }

  private void union(ByteBuf out) {
    Set<String> names = new LinkedHashSet<>();
    for (Part part : parts()) {
      if (RespReader.read(part.reply(), part.reply().readerIndex()) instanceof List<?> found) {
        found.forEach(name -> names.add(new String((byte[]) name, StandardCharsets.ISO_8859_1)));
      }
    }
    RespWriter.array(out, names.size());
    names.forEach(name -> RespWriter.bulk(out, name.getBytes(StandardCharsets.ISO_8859_1)));
  }

  /** In the order asked for, as often as asked; a channel of every node has its clients at each. */
  private void sumByName(ByteBuf out) {
    List<byte[]> names = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    for (Part part : parts()) {
      if (RespReader.read(part.reply(), part.reply().readerIndex()) instanceof List<?> found) {
        for (int i = 0; i + 1 < found.size(); i += 2) {
          byte[] name = (byte[]) found.get(i);
          long count = asNumber(RespReader.text(found.get(i + 1)));
          if (names.size() == i / 2) {
            names.add(name);
            counts.add(count);
          } else {
            long other = counts.get(i / 2);
            boolean everywhere = Subscriptions.isEverywhere(name);
            counts.set(i / 2, everywhere ? Math.max(other, count) : other + count);
          }
        }
      }
    }
    RespWriter.array(out, 2L * names.size());
    for (int i = 0; i < names.size(); i++) {
      RespWriter.bulk(out, names.get(i));
      RespWriter.integer(out, counts.get(i));
    }
  }

  private static long asNumber(String text) {
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
  }
}
