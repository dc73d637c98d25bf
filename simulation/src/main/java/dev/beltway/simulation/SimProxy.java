package dev.beltway.simulation;

import dev.beltway.handover.Doubts;
import dev.beltway.handover.ErrorReply;
import dev.beltway.handover.Gate;
import dev.beltway.handover.Key;
import dev.beltway.handover.Latin1;
import dev.beltway.handover.Names;
import dev.beltway.handover.Participant;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Transfer;
import dev.beltway.handover.TransferToken;
import dev.beltway.simulation.History.Op;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A proxy: the real participant, gate and doubts, between model connections. */
final class SimProxy {

  private static final int MOST_OPS = 2;

  private final World world;
  private final String name;
  private String registration = "";
  private String password = "";
  private Participant participant = new Participant();
  private @Nullable Gate<Op> gate;
  private @Nullable RoutingState early;
  private Doubts doubts = new Doubts();
  private final Map<String, Link> links = new TreeMap<>();
  private final Map<Link, Set<Op>> sent = new LinkedHashMap<>();
  private final Set<Op> waiting = new LinkedHashSet<>();

  /** What has passed the check and goes out at its next turn, with where it was to go. */
  private final Map<Op, String> checked = new LinkedHashMap<>();

  private final Set<Op> old = new LinkedHashSet<>();
  private final Set<Op> underWay = new LinkedHashSet<>();
  private final Set<Key> remembered = new LinkedHashSet<>();
  private final Set<String> killing = new LinkedHashSet<>();
  private int at;
  private int lives;

  SimProxy(World world, String name) {
    this.world = world;
    this.name = name;
  }

  @Override
  public String toString() {
    return name + lives;
  }

  String registration() {
    return registration;
  }

  // ---------------------------------------------------------------- its life

  /** Does one thing that it could do now; whether there was any. */
  boolean turn() {
    if (registration.isEmpty()) {
      begin();
      return true;
    }
    Gate<Op> serving = gate;
    if (serving == null) {
      return enter();
    }
    if (!checked.isEmpty() && (world.isFair() || world.random.nextBoolean())) {
      Op op = checked.keySet().iterator().next();
      String target = checked.remove(op);
      send(op, String.valueOf(target));
      return true;
    }
    if (!world.flaws.has(Flaw.ACK_WITHOUT_KILL) && kill()) {
      return true;
    }
    if (drain()) {
      return true;
    }
    if (!waiting.isEmpty() && world.random.nextInt(3) == 0) {
      Op op = waiting.iterator().next();
      waiting.remove(op);
      handle(op);
      return true;
    }
    return learn();
  }

  private void begin() {
    lives++;
    if (world.flaws.has(Flaw.LOAD_BEFORE_REGISTER)) {
      early = world.store.latest();
    }
    password = "pw" + name + lives;
    registration = world.store.register(name, ModelRedis.sha256(password));
    world.note(this + " registers as " + registration);
  }

  private boolean enter() {
    if (!world.store.isRegistered(registration)) {
      leave("it was struck off before it began");
      return true;
    }
    if (!world.store.isAdmitted(registration)) {
      return false;
    }
    RoutingState first = early == null ? world.store.latest() : early;
    at = world.store.size() - 1;
    early = null;
    gate = new Gate<>(first, 100);
    world.note(this + " begins with version " + first.version() + " " + first.phase());
    act(participant.learned(first));
    return true;
  }

  /** Reads a later revision, perhaps not the latest. */
  private boolean learn() {
    if (!world.store.isRegistered(registration)) {
      act(participant.unregistered());
      return true;
    }
    int last = world.store.size() - 1;
    if (at >= last) {
      return false;
    }
    at = world.random.nextInt(3) == 0 ? last : at + 1;
    RoutingState next = world.store.revision(at);
    world.note(this + " learns version " + next.version() + " " + next.phase());
    act(participant.learned(next));
    return true;
  }

  private void act(List<Participant.Effect> effects) {
    for (Participant.Effect effect : effects) {
      if (effect instanceof Participant.Effect.Obey obey) {
        obey(obey.state());
      } else if (effect instanceof Participant.Effect.Acknowledge ack) {
        String who = registration;
        world.note(this + " acknowledges version " + ack.version());
        world.toStore.add(() -> world.store.acknowledge(who, ack.version()));
      } else if (effect instanceof Participant.Effect.Leave left) {
        leave(left.reason());
      }
    }
  }

  private void obey(RoutingState next) {
    Gate<Op> serving = gate;
    if (serving == null) {
      return;
    }
    if (next.version() != serving.state().version()) {
      old.addAll(underWay);
    }
    waiting.addAll(serving.obey(next));
    drain();
  }

  /** Acknowledges, if nothing sent before can be done any more. */
  private boolean drain() {
    Gate<Op> serving = gate;
    boolean clear = doubts.isClear() || world.flaws.has(Flaw.ACK_WITHOUT_KILL);
    if (serving == null || !old.isEmpty() || !clear) {
      return false;
    }
    List<Participant.Effect> effects = participant.drained(serving.state().version());
    act(effects);
    return !effects.isEmpty();
  }

  /** Has lost connections killed where commands on them may still be done. */
  private boolean kill() {
    for (String node : doubts.nodes()) {
      ModelRedis server = world.node(node);
      doubts.isNow(node, server.run());
      for (long id : doubts.toKill(node, server.run())) {
        String mark = node + id;
        if (killing.add(mark)) {
          Link link = world.connect(node, this + "", user(), hash(), () -> killing.remove(mark));
          if (link == null) {
            killing.remove(mark);
            return false;
          }
          String run = link.run;
          world.send(
              link,
              List.of("CLIENT", "KILL", "ID", Long.toString(id)),
              reply -> {
                killing.remove(mark);
                doubts.killed(node, run, id);
                world.close(link);
              });
          return true;
        }
      }
    }
    return false;
  }

  private String user() {
    return Names.PROXY_USERS + registration;
  }

  private String hash() {
    return ModelRedis.sha256(password);
  }

  /** Everything is dropped; it begins anew under another registration. */
  private void leave(String reason) {
    world.note(this + " leaves: " + reason);
    end();
  }

  /** The process is killed; what it has sent may still be done. */
  void crash() {
    if (!registration.isEmpty()) {
      world.note(this + " is killed");
      end();
    }
  }

  private void end() {
    Gate<Op> ended = gate;
    gate = null;
    for (Op op : underWay) {
      world.lostSightOf(op);
    }
    for (Op op : checked.keySet()) {
      if (!underWay.contains(op)) {
        world.history.cancelled(op);
      }
    }
    if (ended != null) {
      waiting.addAll(ended.obey(ended.state()));
    }
    waiting.forEach(world.history::cancelled);
    underWay.clear();
    old.clear();
    checked.clear();
    waiting.clear();
    sent.clear();
    killing.clear();
    links.values().forEach(link -> link.lost = true);
    links.clear();
    doubts = new Doubts();
    participant = new Participant();
    remembered.clear();
    if (world.flaws.has(Flaw.SAME_REGISTRATION) && world.store.isRegistered(registration)) {
      lives++;
    } else {
      registration = "";
    }
  }

  // ---------------------------------------------------------------- commands

  boolean takes() {
    return gate != null && underWay.size() + waiting.size() + checked.size() < MOST_OPS;
  }

  boolean isIdle() {
    return gate != null
        && underWay.isEmpty()
        && waiting.isEmpty()
        && checked.isEmpty()
        && gate.waiting() == 0;
  }

  boolean obeys(RoutingState latest) {
    return gate != null
        && gate.state().version() == latest.version()
        && participant.acknowledged() == latest.version();
  }

  void take(Op op) {
    handle(op);
  }

  /** A client that waits is told to try again. */
  void giveUp() {
    Gate<Op> serving = gate;
    if (serving != null && serving.waiting() > 0 && world.random.nextInt(3) == 0) {
      List<Op> waiters = new ArrayList<>(waiting);
      if (!waiters.isEmpty()) {
        Op op = waiters.get(0);
        waiting.remove(op);
        serving.forget(op);
        world.note(op + " is given up by " + this);
        world.history.cancelled(op);
      }
    }
  }

  private void handle(Op op) {
    Gate<Op> serving = gate;
    if (serving == null) {
      world.history.cancelled(op);
      return;
    }
    List<Key> barred = new ArrayList<>();
    for (String key : world.keys(op)) {
      byte[] bytes = Latin1.bytes(key);
      Key found = serving.barred(0, bytes, 0, bytes.length);
      if (found != null && !isRememberedWrongly(serving, found)) {
        barred.add(found);
      }
      if (world.flaws.has(Flaw.FIRST_KEY_ONLY)) {
        break;
      }
    }
    if (!barred.isEmpty()) {
      for (Key key : serving.await(barred, op)) {
        transfer(serving, key);
      }
      return;
    }
    String target = serving.state().routes().owner(Latin1.bytes(world.keys(op).get(0))).id();
    if (!world.flaws.has(Flaw.CHECKED_IS_NOT_SENT)) {
      underWay.add(op);
    }
    checked.put(op, target);
  }

  private boolean isRememberedWrongly(Gate<Op> serving, Key key) {
    return world.flaws.has(Flaw.MEMORY_KEPT)
        && serving.state().phase() == Phase.MOVING
        && remembered.contains(key);
  }

  private void send(Op op, String target) {
    underWay.add(op);
    Link link = link(target);
    if (link == null) {
      ended(op);
      world.history.cancelled(op);
      return;
    }
    sent.computeIfAbsent(link, l -> new LinkedHashSet<>()).add(op);
    world.send(
        link,
        world.command(op),
        reply -> {
          Set<Op> all = sent.get(link);
          if (all == null || !all.remove(op)) {
            return;
          }
          ended(op);
          if (reply instanceof ErrorReply error && error.text().startsWith("NOAUTH")) {
            world.history.cancelled(op);
          } else {
            world.check(op, reply);
          }
        });
  }

  private void ended(Op op) {
    underWay.remove(op);
    old.remove(op);
  }

  private @Nullable Link link(String node) {
    Link link = links.get(node);
    if (link == null || link.lost) {
      Link[] made = new Link[1];
      link = world.connect(node, this + "", user(), hash(), () -> lost(node, made[0]));
      made[0] = link;
      if (link == null) {
        return null;
      }
      links.put(node, link);
      doubts.isNow(node, link.run);
    }
    return link;
  }

  private void lost(String node, @Nullable Link link) {
    if (link == null || links.get(node) != link) {
      return;
    }
    links.remove(node);
    Set<Op> all = sent.remove(link);
    if (all != null && !all.isEmpty()) {
      doubts.lost(node, link.run, link.server.id);
      for (Op op : all) {
        ended(op);
        world.lostSightOf(op);
      }
    }
    transfersLost(link);
  }

  private final Map<Link, Map<Key, TransferToken>> transfers = new LinkedHashMap<>();

  private void transfersLost(Link link) {
    Map<Key, TransferToken> all = transfers.remove(link);
    Gate<Op> serving = gate;
    if (all != null && serving != null) {
      all.forEach((key, token) -> waiting.addAll(serving.transferred(key, token, false)));
    }
  }

  private void transfer(Gate<Op> serving, Key key) {
    TransferToken token = serving.token(key);
    String source = serving.state().source(key.name());
    if (token == null || source == null) {
      return;
    }
    Link link = link(source);
    if (link == null) {
      waiting.addAll(serving.transferred(key, token, false));
      return;
    }
    transfers.computeIfAbsent(link, l -> new LinkedHashMap<>()).put(key, token);
    // It shows the process that it is connected to, whatever the state says.
    TransferToken shown = new TransferToken(token.version(), token.generation(), link.run);
    String target = serving.state().target(key.name());
    world.send(
        link,
        Transfer.command(shown, World.CONTROL, target, 200, key),
        reply -> {
          Map<Key, TransferToken> all = transfers.get(link);
          if (all == null || all.remove(key) == null || gate != serving) {
            return;
          }
          Transfer.Outcome outcome = Transfer.outcome(reply);
          if (outcome.kind() == Transfer.Kind.UNKNOWN_SCRIPT) {
            world.send(link, List.of("SCRIPT", "LOAD", Transfer.SCRIPT), loaded -> {});
          }
          if (outcome.isMoved()) {
            remembered.add(key);
          }
          waiting.addAll(serving.transferred(key, token, outcome.isMoved()));
        });
  }
}
