package dev.beltway.proxy;

import dev.beltway.proxy.access.User;
import dev.beltway.resp.codec.Digits;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** CLIENT and its sub-commands: about the clients of the proxy, not about its own connections. */
final class ClientCommands {

  static final String BAD_NAME =
      "ERR Client names cannot contain spaces, newlines or special characters.";

  private static final int LONGEST_NAME = 1024;

  private final Worker worker;

  ClientCommands(Worker worker) {
    this.worker = worker;
  }

  static boolean isName(String name) {
    return name.length() <= LONGEST_NAME && name.chars().allMatch(c -> c > ' ' && c <= '~');
  }

  boolean handle(Session session, String command, FrameArguments request) {
    ClientState client = session.client;
    switch (command) {
      case "id" -> RespWriter.integer(session.openReply(), session.id());
      case "getname" -> {
        if (client.name.isEmpty()) {
          RespWriter.none(session.openReply(), client.protocol);
        } else {
          RespWriter.bulk(session.openReply(), client.name);
        }
      }
      case "setname" -> {
        if (!isName(request.text(2))) {
          return error(session, BAD_NAME);
        }
        client.name = request.text(2);
        RespWriter.ok(session.openReply());
      }
      case "setinfo" -> {
        return setInfo(session, request);
      }
      case "no-evict", "no-touch" -> {
        if (!request.is(2, "ON") && !request.is(2, "OFF")) {
          return error(session, "ERR syntax error");
        }
        RespWriter.ok(session.openReply());
      }
      case "reply" -> {
        return reply(session, request);
      }
      case "info" -> RespWriter.verbatim(session.openReply(), line(session), client.protocol);
      case "list" -> {
        return list(session, request);
      }
      case "kill" -> {
        return kill(session, request);
      }
      case "unblock" -> {
        return unblock(session, request);
      }
      default -> help(session.openReply());
    }
    session.closeReply();
    return true;
  }

  private static boolean error(Session session, String text) {
    RespWriter.error(session.openReply(), text);
    session.closeReply();
    return true;
  }

  private static void help(ByteBuf out) {
    List<String> lines =
        List.of(
            "CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "ID, INFO, LIST, GETNAME, SETNAME, SETINFO, KILL ID, UNBLOCK, REPLY, NO-EVICT, NO-TOUCH");
    RespWriter.array(out, lines.size());
    lines.forEach(line -> RespWriter.simple(out, line));
  }

  private boolean setInfo(Session session, FrameArguments request) {
    String value = request.text(3);
    if (!isName(value)) {
      return error(
          session,
          "ERR "
              + request.text(2).toLowerCase(Locale.ROOT)
              + " cannot contain spaces, newlines or special characters.");
    }
    if (request.is(2, "LIB-NAME")) {
      session.client.library = value;
    } else if (request.is(2, "LIB-VER")) {
      session.client.libraryVersion = value;
    } else {
      return error(session, "ERR Unrecognized option '" + Words.shown(request, 2) + "'");
    }
    RespWriter.ok(session.openReply());
    session.closeReply();
    return true;
  }

  private static boolean reply(Session session, FrameArguments request) {
    if (request.is(2, "ON")) {
      session.client.replies = ClientState.Replies.ON;
      RespWriter.ok(session.openReply());
      session.closeReply();
    } else if (request.is(2, "OFF")) {
      session.client.replies = ClientState.Replies.OFF;
    } else if (request.is(2, "SKIP")) {
      if (session.client.replies != ClientState.Replies.OFF) {
        session.client.replies = ClientState.Replies.SKIP_NEXT;
      }
    } else {
      return error(session, "ERR syntax error");
    }
    return true;
  }

  /** All clients of the proxy, whichever worker they are at; the session waits for them. */
  private boolean list(Session session, FrameArguments request) {
    Set<Long> ids = new HashSet<>();
    String type = "";
    if (request.count() == 4 && request.is(2, "TYPE")) {
      type = request.text(3, 16).toLowerCase(Locale.ROOT);
      if (!List.of("normal", "pubsub", "master", "replica", "slave").contains(type)) {
        return error(session, "ERR Unknown client type '" + Words.shown(request, 3) + "'");
      }
    } else if (request.count() > 3 && request.is(2, "ID")) {
      for (int i = 3; i < request.count(); i++) {
        if (request.number(i) == Digits.NONE) {
          return error(session, "ERR Invalid client ID");
        }
        ids.add(request.number(i));
      }
    } else if (request.count() > 2) {
      return error(session, "ERR syntax error");
    }
    if (!session.isQuiet()) {
      return false;
    }
    String wanted = type;
    session.hold();
    worker
        .proxy()
        .eachSession(other -> isWanted(other, wanted, ids) ? line(other) : "")
        .thenAccept(
            lines ->
                worker
                    .tick()
                    .loop()
                    .execute(
                        () -> {
                          if (!session.isClosed()) {
                            RespWriter.verbatim(
                                session.openReply(),
                                String.join("", lines),
                                session.client.protocol);
                            session.closeReply();
                            session.release();
                          }
                        }));
    return true;
  }

  private static boolean isWanted(Session session, String type, Set<Long> ids) {
    boolean subscriber = session.client.isSubscribed();
    boolean fits =
        type.isEmpty()
            || type.equals("pubsub") && subscriber
            || type.equals("normal") && !subscriber;
    return fits && (ids.isEmpty() || ids.contains(session.id()));
  }

  private boolean kill(Session session, FrameArguments request) {
    long id = request.count() == 4 && request.is(2, "ID") ? request.number(3) : Digits.NONE;
    if (id == Digits.NONE) {
      return error(session, "ERR through the proxy it is CLIENT KILL ID <id>");
    }
    if (id == session.id()) {
      RespWriter.integer(session.openReply(), 1);
      session.closeReply();
      session.leave();
      return true;
    }
    return onOther(
        session,
        id,
        other -> {
          other.channel().close();
          return 1;
        });
  }

  private boolean unblock(Session session, FrameArguments request) {
    long id = request.number(2);
    boolean error = request.count() == 4 && request.is(3, "ERROR");
    if (id == Digits.NONE) {
      return error(session, "ERR value is not an integer or out of range");
    }
    if (request.count() > 4 || (request.count() == 4 && !error && !request.is(3, "TIMEOUT"))) {
      return error(session, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
    return onOther(
        session,
        id,
        other -> {
          Waiting waiting = other.client.waiting;
          if (waiting == null || waiting.connectionId() == 0) {
            return 0;
          }
          ByteBuf ask = other.worker().tick().allocator().directBuffer();
          RespWriter.request(
              ask,
              "CLIENT",
              "UNBLOCK",
              Long.toString(waiting.connectionId()),
              error ? "ERROR" : "TIMEOUT");
          waiting.link().send(2, 0, new Unheard(), ask, 0, ask.writerIndex());
          ask.release();
          return 1;
        });
  }

  private boolean onOther(
      Session session, long id, java.util.function.ToIntFunction<Session> action) {
    if (!session.isQuiet()) {
      return false;
    }
    session.hold();
    worker
        .proxy()
        .onSession(id, action)
        .thenAccept(
            done ->
                worker
                    .tick()
                    .loop()
                    .execute(
                        () -> {
                          if (!session.isClosed()) {
                            RespWriter.integer(session.openReply(), done);
                            session.closeReply();
                            session.release();
                          }
                        }));
    return true;
  }

  /** One client, as CLIENT LIST shows it. */
  static String line(Session session) {
    ClientState client = session.client;
    User user = client.user;
    Subscriptions subscriptions = client.subscriptions;
    String flags = client.isWaiting() ? "b" : client.isSubscribed() ? "P" : "N";
    return "id="
        + session.id()
        + " addr="
        + session.address()
        + " laddr="
        + session.localAddress()
        + " fd=0 name="
        + client.name
        + " age="
        + (System.currentTimeMillis() - client.since) / 1000
        + " idle=0 flags="
        + flags
        + " db="
        + client.database
        + " sub="
        + (subscriptions == null ? 0 : subscriptions.count())
        + " psub=0 multi="
        + (client.transaction != null && client.transaction.isOpen() ? 0 : -1)
        + " tot-mem="
        + session.bytes()
        + " cmd="
        + (client.last == null ? "NULL" : client.last.command().errorName())
        + " user="
        + (user == null ? "(none)" : user.name())
        + " redir=-1 resp="
        + client.protocol
        + " lib-name="
        + client.library
        + " lib-ver="
        + client.libraryVersion
        + "\n";
  }
}
