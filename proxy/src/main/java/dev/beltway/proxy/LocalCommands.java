package dev.beltway.proxy;

import dev.beltway.proxy.access.User;
import dev.beltway.proxy.access.Users;
import dev.beltway.resp.client.Outbox;
import dev.beltway.resp.codec.Digits;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Commands that the proxy answers itself, with the words of a server. */
final class LocalCommands {

  /** What may be asked before logging in. */
  static final Set<String> BEFORE_LOGIN = Set.of("auth", "hello", "quit", "reset");

  /** What needs no permission. */
  static final Set<String> ALWAYS = Set.of("auth", "hello", "quit", "reset");

  private static final String SYNTAX = "ERR syntax error";

  private final Worker worker;
  private final ClientCommands clients;

  LocalCommands(Worker worker) {
    this.worker = worker;
    this.clients = new ClientCommands(worker);
  }

  boolean handle(Session session, Handling handling, FrameArguments request) {
    ClientState client = session.client;
    String name = handling.command().name();
    if (name.startsWith("client ")) {
      return clients.handle(session, name.substring(7), request);
    }
    switch (name) {
      case "ping" -> {
        return ping(session, request);
      }
      case "echo" -> {
        RespWriter.bulk(session.openReply(), request.buf(), request.offset(1), request.length(1));
        session.closeReply();
        return true;
      }
      case "quit" -> {
        ok(session);
        session.leave();
        return true;
      }
      case "reset" -> {
        return reset(session);
      }
      case "select" -> {
        return select(session, request);
      }
      case "auth" -> {
        return auth(session, request);
      }
      case "hello" -> {
        return hello(session, request);
      }
      case "info" -> {
        RespWriter.verbatim(
            session.openReply(), worker.proxy().info().text(worker, request), client.protocol);
        session.closeReply();
        return true;
      }
      case "config get" -> {
        configGet(session, request);
        return true;
      }
      case "acl whoami" -> {
        User user = client.user;
        RespWriter.bulk(session.openReply(), user == null ? Users.DEFAULT : user.name());
        session.closeReply();
        return true;
      }
      default -> {
        ok(session); // READONLY and READWRITE: every node here may be written to.
        return true;
      }
    }
  }

  private static void ok(Session session) {
    RespWriter.ok(session.openReply());
    session.closeReply();
  }

  private static boolean error(Session session, String text) {
    RespWriter.error(session.openReply(), text);
    session.closeReply();
    return true;
  }

  private static boolean ping(Session session, FrameArguments request) {
    if (request.count() > 2) {
      return error(session, "ERR wrong number of arguments for 'ping' command");
    }
    if (session.client.isSubscribed() && session.client.protocol == 2) {
      Outbox out = session.pushes();
      ByteBuf reply = out.tail(64);
      RespWriter.array(reply, 2);
      RespWriter.bulk(reply, "pong");
      RespWriter.bulk(reply, request.count() == 2 ? request.bytes(1) : new byte[0]);
      return true;
    }
    ByteBuf reply = session.openReply();
    if (request.count() == 2) {
      RespWriter.bulk(reply, request.buf(), request.offset(1), request.length(1));
    } else {
      RespWriter.simple(reply, "PONG");
    }
    session.closeReply();
    return true;
  }

  private boolean reset(Session session) {
    if (!session.isQuiet()) {
      return false;
    }
    ClientState client = session.client;
    client.end();
    client.protocol = 2;
    client.database = 0;
    client.name = "";
    client.replies = ClientState.Replies.ON;
    session.login(worker.settings().users().unnamed().orElse(null));
    RespWriter.simple(session.openReply(), "RESET");
    session.closeReply();
    return true;
  }

  private boolean select(Session session, FrameArguments request) {
    long database = request.number(1);
    if (database == Digits.NONE) {
      return error(session, "ERR value is not an integer or out of range");
    }
    if (database < 0 || database >= worker.settings().databases()) {
      return error(session, "ERR DB index is out of range");
    }
    if (session.client.database != database && !session.isQuiet()) {
      return false; // Another connection to each node: nothing may overtake what went before.
    }
    session.client.database = (int) database;
    ok(session);
    return true;
  }

  private boolean auth(Session session, FrameArguments request) {
    if (request.count() > 3) {
      return error(session, SYNTAX);
    }
    boolean named = request.count() == 3;
    if (!named && worker.settings().users().unnamed().isPresent()) {
      return error(
          session,
          "ERR AUTH <password> called without any password configured for the default user. Are you"
              + " sure your configuration is correct?");
    }
    String name = named ? request.text(1) : Users.DEFAULT;
    Optional<User> user = worker.settings().users().login(name, request.text(named ? 2 : 1));
    if (user.isEmpty()) {
      return wrongPassword(session);
    }
    session.login(user.get());
    ok(session);
    return true;
  }

  private boolean wrongPassword(Session session) {
    return error(session, "WRONGPASS invalid username-password pair or user is disabled.");
  }

  private boolean hello(Session session, FrameArguments request) {
    ClientState client = session.client;
    int protocol = client.protocol;
    if (request.count() > 1) {
      long wanted = request.number(1);
      if (wanted == Digits.NONE) {
        return error(session, "ERR Protocol version is not an integer or out of range");
      }
      if (wanted != 2 && wanted != 3) {
        return error(session, "NOPROTO unsupported protocol version");
      }
      protocol = (int) wanted;
    }
    @Nullable User user = client.user;
    @Nullable String name = null;
    for (int i = 2; i < request.count(); i++) {
      int left = request.count() - i - 1;
      if (request.is(i, "AUTH") && left >= 2) {
        Optional<User> login =
            worker.settings().users().login(request.text(i + 1), request.text(i + 2));
        if (login.isEmpty()) {
          return wrongPassword(session);
        }
        user = login.get();
        i += 2;
      } else if (request.is(i, "SETNAME") && left >= 1) {
        name = request.text(i + 1);
        if (!ClientCommands.isName(name)) {
          return error(session, ClientCommands.BAD_NAME);
        }
        i++;
      } else {
        return error(session, "ERR Syntax error in HELLO option '" + Words.shown(request, i) + "'");
      }
    }
    if (user == null) {
      return error(
          session,
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
              + " AUTH <user> <pass> option can be used to authenticate the client and"
              + " select the RESP protocol version at the same time");
    }
    if (protocol != client.protocol && !session.isQuiet()) {
      return false;
    }
    if (protocol != client.protocol && client.transaction != null) {
      client.transaction.breakWatch();
    }
    session.login(user);
    client.protocol = protocol;
    client.name = name == null ? client.name : name;
    ByteBuf reply = session.openReply();
    RespWriter.map(reply, 7, protocol);
    RespWriter.bulk(reply, "server");
    RespWriter.bulk(reply, "redis");
    RespWriter.bulk(reply, "version");
    RespWriter.bulk(reply, worker.proxy().info().version(worker));
    RespWriter.bulk(reply, "proto");
    RespWriter.integer(reply, protocol);
    RespWriter.bulk(reply, "id");
    RespWriter.integer(reply, session.id());
    RespWriter.bulk(reply, "mode");
    RespWriter.bulk(reply, "standalone");
    RespWriter.bulk(reply, "role");
    RespWriter.bulk(reply, "master");
    RespWriter.bulk(reply, "modules");
    RespWriter.array(reply, 0);
    session.closeReply();
    return true;
  }

  /** What clients look at before they begin; nothing of the nodes' own configuration is told. */
  private void configGet(Session session, FrameArguments request) {
    String[][] known = {
      {"save", ""},
      {"appendonly", "no"},
      {"databases", Integer.toString(worker.settings().databases())},
      {"maxclients", Integer.toString(worker.settings().clients())},
      {"timeout", "0"},
      {"proto-max-bulk-len", "536870912"},
    };
    ByteBuf found = worker.tick().allocator().directBuffer();
    int pairs = 0;
    for (String[] each : known) {
      boolean asked = false;
      for (int i = 2; i < request.count(); i++) {
        asked |= Glob.matches(request.text(i, Glob.LONGEST).toLowerCase(Locale.ROOT), each[0]);
      }
      if (asked) {
        RespWriter.bulk(found, each[0]);
        RespWriter.bulk(found, each[1]);
        pairs++;
      }
    }
    ByteBuf reply = session.openReply();
    RespWriter.map(reply, pairs, session.client.protocol);
    reply.writeBytes(found);
    found.release();
    session.closeReply();
  }
}
