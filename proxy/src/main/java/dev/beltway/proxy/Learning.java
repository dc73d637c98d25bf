package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandInfo;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Commands that the table doesn't have: a node is asked once, and the answer is remembered, a no
 * for a minute. Both memories are bounded.
 */
final class Learning {

  private static final int MOST_LEARNT = 1_000;
  private static final int MOST_UNKNOWN = 1_000;
  private static final int LONGEST_NAME = 64;
  private static final long NO_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Worker worker;
  private final Map<String, Command> learnt = new HashMap<>();
  private final Map<String, Long> unknown = new HashMap<>();

  Learning(Worker worker) {
    this.worker = worker;
  }

  /** Handles a request whose command isn't in the table; false if it is to come again. */
  boolean handle(Session session, FrameArguments request) {
    CallFailure unanswered = session.client.unanswered;
    if (unanswered != null) {
      session.client.unanswered = null;
      worker.dispatcher().refuse(session, Failures.text(worker.view().any().id(), unanswered));
      return true;
    }
    String name = request.text(0, LONGEST_NAME + 1).toLowerCase(Locale.ROOT);
    Long asked = unknown.get(name);
    boolean isKnownNot = asked != null && System.nanoTime() - asked < NO_NANOS;
    if (isKnownNot
        || request.length(0) > LONGEST_NAME
        || learnt.size() >= MOST_LEARNT
        || !name.matches("[a-z0-9_.:-]+")) {
      worker.dispatcher().refuse(session, unknownText(request));
      return true;
    }
    if (!session.isQuiet()) {
      return false;
    }
    session.hold();
    ByteBuf question = worker.tick().allocator().directBuffer();
    RespWriter.request(question, "COMMAND", "INFO", name);
    worker
        .view()
        .any()
        .send(2, 0, new Question(session, name), question, 0, question.writerIndex());
    question.release();
    return false;
  }

  /** What a server says of a command that it doesn't know. */
  private static String unknownText(FrameArguments request) {
    StringBuilder text = new StringBuilder("ERR unknown command '");
    text.append(Words.shown(request, 0)).append("', with args beginning with: ");
    int begin = text.length();
    for (int i = 1; i < request.count() && text.length() - begin < 128; i++) {
      String word = Words.shown(request, i);
      int room = 128 - (text.length() - begin);
      text.append('\'').append(word.length() > room ? word.substring(0, room) : word).append("' ");
    }
    return text.toString();
  }

  private void answered(Session session, String name, Optional<Command> command) {
    if (command.isPresent() && command.get().name().equals(name)) {
      learnt.put(name, command.get());
      worker.learn(List.copyOf(learnt.values()));
    } else {
      if (unknown.size() >= MOST_UNKNOWN) {
        unknown.clear();
      }
      unknown.put(name, System.nanoTime());
    }
    session.release();
  }

  private final class Question extends Call {

    private final Session session;
    private final String name;

    Question(Session session, String name) {
      this.session = session;
      this.name = name;
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      Object reply = RespReader.read(buf, offset);
      Object element = reply instanceof List<?> list && list.size() == 1 ? list.get(0) : null;
      answered(session, name, CommandInfo.parse(element));
    }

    @Override
    public void failed(CallFailure failure) {
      session.client.unanswered = failure;
      session.release();
    }
  }
}
