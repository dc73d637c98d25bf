package dev.beltway.proxy;

import dev.beltway.handover.Latin1;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.client.Outbox;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a client is subscribed to. A channel lives on the node that owns its name, as a key would;
 * patterns, and channels of keyspace notifications, are subscribed at every node. Each node has a
 * connection of this client's own, so the nodes count subscribers as they are.
 *
 * <p>If a connection with subscriptions is lost the client is disconnected: messages may have been
 * lost, and this is how a server says so.
 */
final class Subscriptions {

  /** What a subscriber may ask under RESP2. */
  static final Set<String> ALLOWED =
      Set.of(
          "subscribe",
          "unsubscribe",
          "psubscribe",
          "punsubscribe",
          "ssubscribe",
          "sunsubscribe",
          "ping",
          "quit",
          "reset");

  /** How channels of keyspace notifications begin. */
  private static final String EVENTS = "__key";

  private static final int MOST_LATE = 16 << 20;
  private static final int MOST_NAMES = 100_000;
  private static final int LONGEST_NAME = 8 << 10;

  private final Session session;
  private final Map<NodeLink, Feed> feeds = new HashMap<>();

  /** By mark of its kind and name, which feeds it is subscribed at. */
  private final Map<String, List<Feed>> places = new HashMap<>();

  private final Set<String> channels = new TreeSet<>();
  private final Set<String> patterns = new TreeSet<>();
  private final Set<String> shards = new TreeSet<>();
  private @Nullable Change change;
  private boolean followAgain;

  private boolean ended;

  private Subscriptions(Session session) {
    this.session = session;
  }

  /** Begins a change; false if it is to come again when nothing else is under way. */
  static boolean handle(Session session, Handling handling, FrameArguments request) {
    if (!session.isQuiet()) {
      return false;
    }
    Subscriptions all = session.client.subscriptions;
    if (all != null && all.change != null) {

      session.hold();
      return false;
    }
    if (all == null) {
      all = new Subscriptions(session);
      session.client.subscriptions = all;
    }
    List<String> names = new ArrayList<>();
    for (int i = 1; i < request.count(); i++) {
      if (request.length(i) > LONGEST_NAME) {
        session
            .worker()
            .dispatcher()
            .refuse(session, "ERR a channel's name is longer than " + LONGEST_NAME + " bytes");
        return true;
      }
      names.add(new String(request.bytes(i), StandardCharsets.ISO_8859_1));
    }
    all.begin(handling.command().name(), names);
    return true;
  }

  /** How many there are. */
  int count() {
    return channels.size() + patterns.size() + shards.size();
  }

  private void begin(String command, List<String> names) {
    boolean adds = !command.contains("unsubscribe");
    Set<String> kind = kind(command);
    if (adds && count() + names.size() > MOST_NAMES) {
      session
          .worker()
          .dispatcher()
          .refuse(session, "ERR more than " + MOST_NAMES + " subscriptions of one client");
      return;
    }
    List<String> all = names;
    if (!adds && names.isEmpty()) {
      all = List.copyOf(kind);
    }
    Change begun = new Change(command, adds, kind, all);
    change = begun;
    session.hold();
    Map<Feed, List<String>> asked = new LinkedHashMap<>();
    for (String name : new HashSet<>(all)) {
      if (kind.contains(name) != adds) {
        List<Feed> at =
            adds
                ? homes(kind == patterns, name).stream().map(this::feed).toList()
                : places.getOrDefault(mark(kind) + name, List.of());
        if (adds) {
          places.put(mark(kind) + name, at);
        } else {
          places.remove(mark(kind) + name);
        }
        at.forEach(feed -> asked.computeIfAbsent(feed, f -> new ArrayList<>()).add(name));
      }
    }
    asked.forEach((feed, wanted) -> feed.ask(command, wanted, adds));
    begun.sent = true;
    endIfComplete();
    expire(begun);
  }

  /** A change that no node confirms in time ends the connection. */
  private void expire(Change begun) {
    if (change == begun) {
      session
          .worker()
          .tick()
          .loop()
          .schedule(
              () -> {
                if (change == begun) {
                  failed("ERR the subscription was not confirmed in time");
                }
              },
              session.worker().settings().nodes().requestTimeout().toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  private char mark(Set<String> kind) {
    return kind == channels ? 'c' : kind == patterns ? 'p' : 's';
  }

  /**
   * The change can't be made: the client is told, and disconnected, since it can't know the rest.
   */
  private void failed(String error) {
    if (ended) {
      return;
    }
    end();
    RespWriter.error(session.pushes().tail(128), error);
    session.leave();
  }

  /** Whether every node is subscribed for this channel: each has events of its own in it. */
  static boolean isEverywhere(byte[] channel) {
    return new String(channel, StandardCharsets.ISO_8859_1).startsWith(EVENTS);
  }

  private Set<String> kind(String command) {
    return switch (command.charAt(0)) {
      case 'p' -> patterns;
      case 's' -> command.startsWith("ss") || command.startsWith("sun") ? shards : channels;
      default -> channels;
    };
  }

  private Collection<NodeLink> homes(boolean pattern, String name) {
    View view = session.worker().view();
    if (pattern || name.startsWith(EVENTS)) {
      return view.links();
    }
    NodeLink owner = view.owner(Latin1.bytes(name));
    MovingKeys moving = session.worker().movingKeys();
    if (moving == null || !moving.isActive()) {
      return List.of(owner);
    }
    Set<NodeLink> both = new LinkedHashSet<>();
    both.add(session.worker().links().get(moving.state().before(name)));
    both.add(session.worker().links().get(moving.state().target(name)));
    return both;
  }

  private Feed feed(NodeLink link) {
    return feeds.computeIfAbsent(link, Feed::new);
  }

  // ---------------------------------------------------------------- while keys move

  /** Whether subscriptions are on their way to another node. */
  boolean isFollowing() {
    return followAgain || change != null && change.silent;
  }

  /**
   * Channels live where keys of their names would: while keys move they are subscribed on both
   * nodes, afterwards on the new one alone. The client hears nothing of it.
   */
  void follow() {
    if (ended) {
      return;
    }
    if (change != null) {
      followAgain = true;
      return;
    }
    followAgain = false;
    Map<Feed, List<String>> more = new LinkedHashMap<>();
    Map<Feed, List<String>> less = new LinkedHashMap<>();
    Change begun = new Change("", true, channels, List.of());
    begun.silent = true;
    for (Set<String> kind : List.of(channels, shards, patterns)) {
      more.clear();
      less.clear();
      for (String name : kind) {
        List<Feed> now = places.getOrDefault(mark(kind) + name, List.of());
        List<Feed> then = homes(kind == patterns, name).stream().map(this::feed).toList();
        if (!now.equals(then)) {
          then.stream()
              .filter(feed -> !now.contains(feed))
              .forEach(feed -> more.computeIfAbsent(feed, f -> new ArrayList<>()).add(name));
          now.stream()
              .filter(feed -> !then.contains(feed))
              .forEach(feed -> less.computeIfAbsent(feed, f -> new ArrayList<>()).add(name));
          places.put(mark(kind) + name, then);
        }
      }
      if (!more.isEmpty() || !less.isEmpty()) {
        if (change == null) {
          change = begun;
          session.hold();
        }
        String word = kind == patterns ? "psubscribe" : kind == shards ? "ssubscribe" : "subscribe";
        String end = word.replace("subscribe", "unsubscribe");
        more.forEach((feed, names) -> feed.ask(word, names, true));
        less.forEach((feed, names) -> feed.ask(end, names, false));
      }
    }
    if (change == begun) {
      begun.sent = true;
      endIfComplete();
      expire(begun);
    }
  }

  private void endIfComplete() {
    Change done = change;
    if (done == null || !done.sent || done.missing > 0 || ended) {
      return;
    }
    change = null;
    Outbox out = session.pushes();
    int protocol = session.client.protocol;
    for (String name : done.names) {
      if (done.adds) {
        done.kind.add(name);
      } else {
        done.kind.remove(name);
      }
      confirm(out.tail(64), done, name, protocol);
    }
    if (done.names.isEmpty() && !done.silent) {
      confirm(out.tail(64), done, null, protocol);
    }
    if (done.late != null) {
      out.write(done.late, 0, done.late.writerIndex());
      done.late.release();
      done.late = null;
    }
    for (Feed feed : List.copyOf(feeds.values())) {
      if (feed.subscribed == 0) {
        feeds.remove(feed.link);
        feed.link.discard(feed.connection);
      }
    }
    if (count() == 0) {
      end();
      session.client.subscriptions = null;
    }
    session.release();
    if (followAgain) {
      follow();
    }
  }

  private void confirm(ByteBuf out, Change done, @Nullable String name, int protocol) {
    RespWriter.push(out, 3, protocol);
    RespWriter.bulk(out, done.command);
    if (name == null) {
      RespWriter.none(out, protocol);
    } else {
      RespWriter.bulk(out, name.getBytes(StandardCharsets.ISO_8859_1));
    }
    RespWriter.integer(
        out, done.kind == shards ? shards.size() : channels.size() + patterns.size());
  }

  void resume() {
    feeds.values().forEach(feed -> feed.connection.resume());
  }

  /** Lets go of all of it. */
  void end() {
    ended = true;
    if (change != null && change.late != null) {
      change.late.release();
    }
    change = null;
    feeds.values().forEach(feed -> feed.link.discard(feed.connection));
    feeds.clear();
  }

  /** A change that nodes are asked for. */
  private static final class Change {

    final String command;
    final boolean adds;
    final Set<String> kind;
    final List<String> names;
    int missing;
    boolean sent;

    /** The client did not ask for it. */
    boolean silent;

    /** Messages that came meanwhile; they follow the confirmations. */
    @Nullable ByteBuf late;

    Change(String command, boolean adds, Set<String> kind, List<String> names) {
      this.command = command;
      this.adds = adds;
      this.kind = kind;
      this.names = names;
    }
  }

  /** The connection to one node. */
  private final class Feed implements NodeConnection.Listener {

    final NodeLink link;
    final NodeConnection connection;
    int subscribed;

    Feed(NodeLink link) {
      this.link = link;
      this.connection = link.lease(session.client.protocol, session.client.database, this);
      connection.subscriber();
      connection.open();
    }

    void ask(String command, List<String> names, boolean adds) {
      if (change == null) {
        return;
      }
      if (connection.isClosed()) {
        failed("CLUSTERDOWN node " + link.id() + " is down");
        return;
      }
      change.missing += names.size();
      subscribed += adds ? names.size() : -names.size();
      ByteBuf request = session.worker().tick().allocator().directBuffer();
      byte[][] words = new byte[names.size() + 1][];
      words[0] = command.getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < names.size(); i++) {
        words[i + 1] = names.get(i).getBytes(StandardCharsets.ISO_8859_1);
      }
      RespWriter.request(request, words);
      connection.write(request, 0, request.writerIndex());
      request.release();
    }

    @Override
    public void up(NodeConnection made) {
      link.up(made);
    }

    @Override
    public boolean asksRun() {
      return link.asksRun();
    }

    @Override
    public void inDoubt(long id, String run) {
      link.inDoubt(id, run);
    }

    @Override
    public void down(NodeConnection lost, CallFailure failure) {
      link.down(lost, failure);
      if (ended) {
        return;
      }
      if (change != null) {
        failed(Failures.text(link.id(), failure));
      } else {
        session.channel().close();
      }
    }

    @Override
    public void pushed(NodeConnection from, ByteBuf buf, int offset, int length) {
      if (ended) {
        return;
      }
      if (isMessage(buf, offset)) {
        message(buf, offset, length);
      } else if (change != null && buf.getByte(offset) == '-') {
        failed(buf.toString(offset + 1, length - 3, StandardCharsets.UTF_8));
      } else if (change != null) {
        change.missing--;
        endIfComplete();
      }
    }

    private void message(ByteBuf buf, int offset, int length) {
      char mark = session.client.protocol == 3 ? '>' : '*';
      Change current = change;
      if (current == null) {
        Outbox out = session.pushes();
        out.tail(64).writeByte(mark);
        out.write(buf, offset + 1, length - 1);
        if (!session.channel().isWritable()) {
          connection.pause();
        }
        return;
      }
      ByteBuf late = current.late;
      if (late == null) {
        late = session.worker().tick().allocator().directBuffer();
        current.late = late;
      }
      late.writeByte(mark);
      late.writeBytes(buf, offset + 1, length - 1);
      if (late.readableBytes() > MOST_LATE) {
        session.channel().close();
      }
    }

    private boolean isMessage(ByteBuf buf, int offset) {
      try {
        Elements elements = new Elements(buf, offset);
        int from = elements.next();
        int text = buf.indexOf(from, buf.writerIndex(), (byte) '\n') + 1;
        String kind =
            buf.toString(text, elements.length() - (text - from) - 2, StandardCharsets.US_ASCII);
        return kind.endsWith("message");
      } catch (RespException e) {
        return false;
      }
    }
  }
}
