package dev.beltway.proxy;

import dev.beltway.handover.Key;
import dev.beltway.handover.Latin1;
import dev.beltway.proxy.access.User;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.FrameArguments;
import dev.beltway.resp.command.Treatment;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Decides what happens to a request: who may ask it, and which way it goes. */
final class Dispatcher {

  static final String CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";

  private final Worker worker;
  private final LocalCommands local;
  private final Learning learning;
  private final KeyOwner keyOwner;

  Dispatcher(Worker worker) {
    this.worker = worker;
    this.local = new LocalCommands(worker);
    this.learning = new Learning(worker);
    this.keyOwner = new KeyOwner(worker.hotKeys());
  }

  /**
   * Handles a request.
   *
   * @return whether it was taken; if not it is to come again when the session goes on
   */
  boolean handle(Session session, FrameArguments request, int length) {
    Handling handling = worker.commands().find(request);
    boolean taken;
    try {
      taken = handle(session, handling, request, length);
    } catch (KeyTooLongException e) {
      refuse(session, KeyTooLongException.TEXT);
      taken = true;
    }
    if (taken) {
      session.client.taken();
    }
    return taken;
  }

  private boolean handle(
      Session session, @Nullable Handling handling, FrameArguments request, int length) {
    if (handling != null && isPlain(session, handling, request)) {
      session.client.last = handling;
      MovingKeys.Answer answer = mayGo(session, handling, request);
      if (answer == MovingKeys.Answer.GO) {
        toOwner(session, handling, request, length);
      }
      return answer != MovingKeys.Answer.AGAIN;
    }
    return handleAny(session, handling, request, length);
  }

  /** One key at a known place, a client without limits or transaction: nearly all requests. */
  private static boolean isPlain(Session session, Handling handling, FrameArguments request) {
    ClientState client = session.client;
    return handling.onlyKey() != 0
        && handling.treatment() == Treatment.ONE_NODE
        && client.transaction == null
        && client.subscriptions == null
        && client.unlimited
        && handling.command().takes(request.count());
  }

  private void toOwner(Session session, Handling handling, FrameArguments request, int length) {
    worker.hotKeys().seen(request, handling.onlyKey());
    NodeLink link = worker.view().owner(request, handling.onlyKey());
    send(session, handling, link, request, length);
  }

  /** Whether a request on keys may be sent now, or its session waits, or its client was told no. */
  private MovingKeys.Answer mayGo(Session session, Handling handling, FrameArguments request) {
    MovingKeys moving = worker.movingKeys();
    if (moving == null || !moving.isActive()) {
      return MovingKeys.Answer.GO;
    }
    return switch (handling.treatment()) {
      case ONE_NODE, SPLIT, BLOCKING -> moving.judge(session, handling, request);
      case TRANSACTION ->
          handling.command().name().equals("watch")
              ? moving.judge(session, handling, request)
              : MovingKeys.Answer.GO;
      case CHANNEL -> moving.judgeChannel(session, request);
      case FLUSH -> moving.refuseWhileMoving(session);
      default -> MovingKeys.Answer.GO;
    };
  }

  private void send(
      Session session, Handling handling, NodeLink link, FrameArguments request, int length) {
    Request sent = session.add(handling.number(), length);
    sent.node = link;
    if (handling.script()) {
      sent.again =
          worker
              .tick()
              .allocator()
              .directBuffer(length)
              .writeBytes(request.buf(), request.begin(), length);
      sent.sentBy = worker.view();
      sent.protocol = session.client.protocol;
      sent.database = session.client.database;
    }
    link.send(
        session.client.protocol,
        session.client.database,
        sent,
        request.buf(),
        request.begin(),
        length);
  }

  private boolean handleAny(
      Session session, @Nullable Handling handling, FrameArguments request, int length) {
    ClientState client = session.client;
    User user = client.user;
    if (handling == null) {
      if (request.is(0, "POST") || request.is(0, "HOST:")) {
        // A browser was led here: what follows in its request must not be taken for commands.
        worker.traffic().protocolErrors++;
        session.leave();
        return true;
      }
      if (user == null) {
        refuse(session, "NOAUTH Authentication required.");
        return true;
      }
      return learning.handle(session, request);
    }
    client.unanswered = null;
    Command command = handling.command();
    client.last = handling;
    if (command.container() && request.count() > 1) {
      String container = command.name().toUpperCase(Locale.ROOT);
      refuse(
          session,
          "ERR unknown subcommand '" + Words.shown(request, 1) + "'. Try " + container + " HELP.");
      return true;
    }
    if (!command.takes(request.count())) {
      String text = "wrong number of arguments for '" + command.errorName() + "' command";
      if (command.name().equals("exec")) {
        abort(session, text);
      } else {
        refuse(session, "ERR " + text);
      }
      return true;
    }
    if (user == null && !LocalCommands.BEFORE_LOGIN.contains(command.name())) {
      refuse(session, "NOAUTH Authentication required.");
      return true;
    }
    if (user != null && !mayRun(session, user, command, request)) {
      return true;
    }
    if (client.isSubscribed()
        && client.protocol == 2
        && !Subscriptions.ALLOWED.contains(command.name())) {
      String text =
          "Can't execute '"
              + command.errorName()
              + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this"
              + " context";
      if (command.name().equals("exec")) {
        abort(session, text);
      } else {
        refuse(session, "ERR " + text);
      }
      return true;
    }
    Transaction transaction = client.transaction;
    if (transaction != null && transaction.isOpen() && !leavesTransaction(command)) {
      queue(session, transaction, handling, request, length);
      return true;
    }
    MovingKeys.Answer answer = mayGo(session, handling, request);
    return answer == MovingKeys.Answer.GO
        ? route(session, handling, request, length)
        : answer == MovingKeys.Answer.REFUSED;
  }

  private boolean route(Session session, Handling handling, FrameArguments request, int length) {
    Command command = handling.command();
    switch (handling.treatment()) {
      case ONE_NODE -> {
        oneNode(session, handling, request, length);
        return true;
      }
      case CHANNEL -> {
        send(session, handling, worker.view().owner(request, 1), request, length);
        return true;
      }
      case ANY_NODE -> {
        send(session, handling, worker.view().any(), request, length);
        return true;
      }
      case SPLIT -> {
        return SplitRequest.handle(session, handling, request, length);
      }
      case FLUSH -> {
        if (!worker.settings().allowFlush()) {
          refuse(
              session,
              "ERR " + command.name() + " is not allowed; start the proxy with --allow-flush");
          return true;
        }
        if (worker.movingKeys() != null && command.name().equals("flushall")) {
          refuse(session, "ERR flushall is not done in a cluster; use flushdb in each database");
          return true;
        }
        return EveryNode.handle(session, handling, request, length);
      }
      case EVERY_NODE, REMEMBERED -> {
        return command.name().equals("scan")
            ? Scan.handle(session, handling, request)
            : EveryNode.handle(session, handling, request, length);
      }
      case BLOCKING -> {
        return blocking(session, handling, request, length);
      }
      case TRANSACTION -> {
        return transaction(session, handling, request, length);
      }
      case SUBSCRIBE -> {
        return Subscriptions.handle(session, handling, request);
      }
      case LOCAL -> {
        return local.handle(session, handling, request);
      }
      default -> {
        refuse(
            session,
            "ERR '" + command.errorName() + "' is not done through the proxy: " + command.reason());
        return true;
      }
    }
  }

  private void oneNode(Session session, Handling handling, FrameArguments request, int length) {
    keyOwner.find(worker.view(), handling.command(), request);
    if (!keyOwner.isOne()) {
      refuse(session, CROSSSLOT);
      return;
    }
    MovingKeys moving = worker.movingKeys();
    if (keyOwner.count() == 0 && moving != null && moving.isActive()) {
      moving.refuseWhileMoving(session); // A script that names no key may use any.
      return;
    }
    if (handling.command().name().startsWith("sort") && !SortPatterns.fit(worker.view(), request)) {
      refuse(session, SortPatterns.REFUSAL);
      return;
    }
    send(session, handling, keyOwner.link(), request, length);
  }

  private boolean blocking(Session session, Handling handling, FrameArguments request, int length) {
    Command command = handling.command();
    boolean stream = command.name().startsWith("xread");
    if (stream && !hasBlock(request)) {
      oneNode(session, handling, request, length);
      return true;
    }
    if (!session.isQuiet()) {
      return false;
    }
    keyOwner.find(worker.view(), command, request);
    if (!keyOwner.isOne()) {
      refuse(session, CROSSSLOT);
      return true;
    }
    Waiting.begin(
        session,
        keyOwner.link(),
        handling.number(),
        request.buf(),
        request.begin(),
        length,
        worker.movingKeys() == null ? List.of() : keys(session, command, request));
    return true;
  }

  private static List<Key> keys(Session session, Command command, FrameArguments request) {
    List<Key> keys = new ArrayList<>();
    command.visitKeys(
        request,
        (argument, effect) ->
            keys.add(new Key(session.client.database, Latin1.text(request.bytes(argument)))));
    return keys;
  }

  private static boolean hasBlock(FrameArguments request) {
    for (int i = 1; i < request.count() && !request.is(i, "STREAMS"); i++) {
      if (request.is(i, "BLOCK")) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- transactions

  private static boolean leavesTransaction(Command command) {
    return switch (command.name()) {
      case "exec", "discard", "multi", "watch", "quit", "reset" -> true;
      default -> false;
    };
  }

  private void queue(
      Session session,
      Transaction transaction,
      Handling handling,
      FrameArguments request,
      int length) {
    Command command = handling.command();
    String refusal = null;
    NodeLink link = null;
    switch (handling.treatment()) {
      case ONE_NODE, SPLIT, BLOCKING -> {
        // In a transaction nothing waits.
        keyOwner.find(worker.view(), command, request);
        link = keyOwner.count() == 0 ? null : keyOwner.link();
        if (!keyOwner.isOne()) {
          refusal = CROSSSLOT;
        } else if (command.name().startsWith("sort") && !SortPatterns.fit(worker.view(), request)) {
          refusal = SortPatterns.REFUSAL;
        }
      }
      case CHANNEL -> link = worker.view().owner(request, 1);
      case ANY_NODE -> {}
      case LOCAL -> {
        if (!command.name().equals("ping") && !command.name().equals("echo")) {
          refusal = notInTransaction(command);
        }
      }
      default -> refusal = notInTransaction(command);
    }
    if (refusal == null && !transaction.accepts(link)) {
      refusal = CROSSSLOT;
    }
    if (refusal == null && !transaction.queue(request.buf(), request.begin(), length)) {
      refusal = "ERR the transaction is larger than 64 MB";
    }
    if (refusal != null) {
      refuse(session, refusal);
    } else {
      RespWriter.simple(session.openReply(), "QUEUED");
      session.closeReply();
    }
  }

  private static String notInTransaction(Command command) {
    return "ERR '"
        + command.errorName()
        + "' is not done in a transaction through the proxy: a transaction is on one node";
  }

  private boolean transaction(
      Session session, Handling handling, FrameArguments request, int length) {
    ClientState client = session.client;
    Transaction transaction = client.transaction;
    boolean open = transaction != null && transaction.isOpen();
    switch (handling.command().name()) {
      case "multi" -> {
        if (open) {
          return error(session, "ERR MULTI calls can not be nested");
        }
        if (transaction == null) {
          transaction = new Transaction(session);
          client.transaction = transaction;
        }
        transaction.begin();
      }
      case "discard" -> {
        if (transaction == null || !open) {
          return error(session, "ERR DISCARD without MULTI");
        }
        transaction.reset();
        client.transaction = null;
      }
      case "unwatch" -> {
        if (transaction != null) {
          if (!session.isQuiet()) {
            return false;
          }
          transaction.reset();
          client.transaction = null;
        }
      }
      case "watch" -> {
        return watch(session, handling, request, length);
      }
      default -> {
        if (transaction == null || !open) {
          return error(session, "ERR EXEC without MULTI");
        }
        if (transaction.isWatching() && !session.isQuiet()) {
          return false;
        }
        MovingKeys moving = worker.movingKeys();
        if (moving != null && !transaction.doesNothing()) {
          MovingKeys.Answer answer = moving.judge(session, transaction);
          if (answer == MovingKeys.Answer.AGAIN) {
            return false;
          }
          if (answer == MovingKeys.Answer.REFUSED) {
            transaction.reset();
            client.transaction = null;
            return true;
          }
        }
        client.transaction = null;
        transaction.exec(handling.number());
        return true;
      }
    }
    RespWriter.ok(session.openReply());
    session.closeReply();
    return true;
  }

  private boolean watch(Session session, Handling handling, FrameArguments request, int length) {
    ClientState client = session.client;
    Transaction transaction = client.transaction;
    if (transaction != null && transaction.isOpen()) {
      RespWriter.error(session.openReply(), "ERR WATCH inside MULTI is not allowed");
      session.closeReply();
      return true;
    }
    if (!session.isQuiet()) {
      return false;
    }
    keyOwner.find(worker.view(), handling.command(), request);
    if (transaction == null) {
      transaction = new Transaction(session);
      client.transaction = transaction;
    }
    if (!keyOwner.isOne() || !transaction.accepts(keyOwner.link())) {
      return error(session, CROSSSLOT);
    }
    transaction.watch(keyOwner.link(), handling.number(), request.buf(), request.begin(), length);
    return true;
  }

  // ---------------------------------------------------------------- rights and refusals

  /** EXEC itself is wrong: what was queued is forgotten. */
  private void abort(Session session, String reason) {
    Transaction transaction = session.client.transaction;
    if (transaction != null) {
      transaction.reset();
      session.client.transaction = null;
    }
    error(session, "EXECABORT Transaction discarded because of: " + reason);
  }

  private boolean mayRun(Session session, User user, Command command, FrameArguments request) {
    if (user.isUnlimited()) {
      return true;
    }
    // A script does what the proxy's own login may: it is for those who may do everything, or for
    // whom a rule names it.
    boolean script =
        command.categories().contains("scripting") && !user.commands().nameScripting(command);
    if ((!user.commands().allow(command) || script)
        && !LocalCommands.ALWAYS.contains(command.name())) {
      refuse(
          session,
          "NOPERM this user has no permissions to run the '" + command.errorName() + "' command");
      return false;
    }
    boolean[] denied = new boolean[1];
    if (command.treatment() == Treatment.CHANNEL || command.treatment() == Treatment.SUBSCRIBE) {
      int last = command.treatment() == Treatment.CHANNEL ? 2 : request.count();
      for (int i = 1; i < last; i++) {
        denied[0] |= !user.mayHear(request.bytes(i, user.longestPrefix()));
      }
      if (denied[0] && !command.name().contains("unsubscribe")) {
        refuse(
            session,
            "NOPERM this user has no permissions to access one of the channels used as arguments");
        return false;
      }
      return true;
    }
    if (user.limitsKeys()) {
      command.visitKeys(
          request,
          (key, effect) -> denied[0] |= !user.mayTouch(request.bytes(key, user.longestPrefix())));
      String option = command.name().startsWith("sort") ? SortPatterns.names(request) : "";
      if (!denied[0] && !option.isEmpty()) {
        refuse(
            session,
            "ERR " + option + " option of SORT denied due to insufficient ACL permissions");
        return false;
      }
      if (denied[0]) {
        refuse(
            session,
            "NOPERM this user has no permissions to access one of the keys used as arguments");
        return false;
      }
    }
    return true;
  }

  private boolean error(Session session, String text) {
    RespWriter.error(session.openReply(), text);
    session.closeReply();
    return true;
  }

  /** Answers with an error, and if a transaction is open it will do nothing. */
  void refuse(Session session, String text) {
    worker.traffic().errors[0]++;
    Transaction transaction = session.client.transaction;
    if (transaction != null && transaction.isOpen()) {
      transaction.spoil();
    }
    error(session, text);
  }

  // ---------------------------------------------------------------- scripts that a node has lost

  /**
   * Sends a script's text and the request again, if that is known here and nothing of this client
   * has been sent since: otherwise the request would be done behind those, and the client is told
   * instead.
   */
  boolean heal(
      Session session, Request request, ByteBuf buf, int offset, int length, boolean latest) {
    ByteBuf again = request.again;
    NodeLink link = request.node;
    request.again = null;
    if (again == null) {
      return false;
    }
    try {
      boolean asThen =
          request.sentBy == worker.view()
              && request.protocol == session.client.protocol
              && request.database == session.client.database;
      if (link == null || !asThen) {
        return false; // The client is told, and decides by what is now.
      }
      if (length < 9 || buf.getByte(offset + 1) != 'N' || buf.getByte(offset + 3) != 'S') {
        return false;
      }
      byte[] load = worker.scripts().load(again);
      if (load == null) {
        return false;
      }
      ByteBuf text = worker.tick().allocator().directBuffer(load.length).writeBytes(load);
      link.send(
          session.client.protocol, session.client.database, new Unheard(), text, 0, load.length);
      text.release();
      if (!latest || session.isClosed()) {
        return false;
      }
      link.send(
          session.client.protocol,
          session.client.database,
          request,
          again,
          again.readerIndex(),
          again.readableBytes());
      return true;
    } finally {
      again.release();
    }
  }
}
