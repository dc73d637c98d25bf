package dev.beltway.simulation;

import dev.beltway.handover.Change;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.ErrorReply;
import dev.beltway.handover.Flows;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Way;
import dev.beltway.placement.Placement;
import dev.beltway.simulation.History.Kind;
import dev.beltway.simulation.History.Op;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One world: model servers, a store, proxies, controllers and clients, on one thread. Every choice
 * is drawn from the seed; how likely each kind of event is, is drawn too, once for each schedule,
 * since even chances meet rare histories too seldom.
 */
final class World implements ModelRedis.Wire {

  /** The databases of a model server: one for data and the control database. */
  static final int CONTROL = 1;

  private static final int FIRST_OPS = 6;
  private static final int MOST_OPS = 30;
  private static final int MOST_UNKNOWN = 3;
  private static final int MOST_RESTARTS = 2;
  private static final int LATEST = 60;
  private static final int FAIR_STEPS = 30_000;

  /** A value on its way that its sender has given up. */
  private record Late(
      ModelRedis target,
      String run,
      String user,
      String hash,
      int database,
      String key,
      ModelRedis.Value value,
      boolean replace) {}

  /** Kinds of events with a weight drawn for each schedule. */
  enum Event {
    MESSAGE(40),
    CLIENT(12),
    PROXY(16),
    ACK(10),
    CONTROL(14),
    LATE(3),
    LOSE(2),
    EXPIRE(1),
    GIVE_UP(1),
    CRASH_PROXY(1),
    CRASH_LEADER(1),
    RESTART_NODE(1),
    OPERATOR(3);

    final int usual;

    Event(int usual) {
      this.usual = usual;
    }
  }

  final SplittableRandom random;
  final Flaws flaws;
  final Store store;
  final Mappings.Pair pair;
  final History history;
  final Map<String, ModelRedis> nodes = new TreeMap<>();
  final List<SimProxy> proxies = new ArrayList<>();
  final List<SimControl> leaders = new ArrayList<>();
  final Deque<Runnable> toStore = new ArrayDeque<>();

  private final Schedule schedule;
  private final List<Link> links = new ArrayList<>();
  private final List<Late> late = new ArrayList<>();
  private final Map<String, List<Map<String, ModelRedis.Value>>> old = new HashMap<>();
  private final Map<Event, Integer> weights = new EnumMap<>(Event.class);
  private final List<String> trace = new ArrayList<>();
  private final int failures;
  private final boolean strays;

  /** How long what its sender has given up may still be on its way. */
  private final int lateness;

  /**
   * Sources may come back with an old file while keys move: what is deleted may come back, then.
   */
  private final boolean keepsAll;

  /** How many of the moving keys go first. */
  private final double canary;

  private final boolean bigMoves;

  private int sum;
  private int steps;
  private int ops;
  private int unknown;
  private int restarts;
  private int values;
  private int changesAsked;
  private int changesWanted;
  private int aborts;
  private boolean fair;
  private long time;

  World(Schedule schedule) {
    this.schedule = schedule;
    this.flaws = schedule.flaws();
    this.random = new SplittableRandom(schedule.seed());
    this.pair = Mappings.PAIRS.get(random.nextInt(Mappings.PAIRS.size()));
    this.store = new Store(pair.from(), flaws);
    this.history = new History(pair.keys().size());
    boolean durable = random.nextInt(4) > 0;
    this.keepsAll = !durable && random.nextInt(3) == 0;
    this.canary = random.nextInt(3) == 0 ? 0.5 : 0;
    // One key that moves is big in some worlds, and is copied by the mover.
    Set<String> big = random.nextInt(3) == 0 ? Set.of(pair.keys().get(0)) : Set.of();
    this.bigMoves = !big.isEmpty();
    for (String id : List.of("a", "b", "c")) {
      nodes.put(id, new ModelRedis(id, 2, durable, big, this, flaws));
    }
    for (Event event : Event.values()) {
      int weight = Math.max(1, event.usual * (1 << random.nextInt(5)) / 4);
      weights.put(event, weight);
      sum += weight;
    }
    if (random.nextBoolean()) { // One kind of trouble more than the others.
      Event[] faults = {
        Event.LOSE, Event.CRASH_PROXY, Event.CRASH_LEADER, Event.RESTART_NODE, Event.OPERATOR
      };
      Event chosen = faults[random.nextInt(faults.length)];
      int weight = weights.getOrDefault(chosen, 1);
      sum += weight * 6;
      weights.put(chosen, weight * 7);
    }
    this.failures = random.nextInt(3) == 0 ? 0 : 2 + random.nextInt(20);
    this.changesWanted = 1 + random.nextInt(3);
    for (int i = 0; i < pair.keys().size(); i++) {
      if (random.nextBoolean()) {
        ModelRedis owner = node(pair.from().owner(pair.keys().get(i)).id());
        String value = i == 2 ? "10" : "old" + i;
        owner.database(0).put(pair.keys().get(i), new ModelRedis.Value(value, null, false));
        history.force(i, value);
      }
    }
    this.lateness = List.of(1, 8, LATEST, LATEST).get(random.nextInt(4));
    this.strays = random.nextInt(12) == 0;
    if (strays) {
      plantStray();
    }
    nodes.values().forEach(node -> old.put(node.id(), node.snapshot()));
    leaders.add(new SimControl(this));
    proxies.add(new SimProxy(this, "p"));
    proxies.add(new SimProxy(this, "q"));
  }

  /** Somebody has left a copy of a moving key where it will belong. */
  private void plantStray() {
    String key = pair.keys().get(0);
    node(pair.to().owner(key).id())
        .database(0)
        .put(key, new ModelRedis.Value("stray", null, false));
  }

  /** Whether a big key is there that moves. */
  boolean hasBigKey() {
    String key = pair.keys().get(0);
    return bigMoves && node(pair.from().owner(key).id()).database(0).containsKey(key);
  }

  /** Whether some keys go first. */
  boolean hasCanary() {
    return canary > 0;
  }

  ModelRedis node(String id) {
    ModelRedis found = nodes.get(id);
    if (found == null) {
      throw new IllegalStateException("no node " + id);
    }
    return found;
  }

  boolean isTraced() {
    return schedule.traced();
  }

  void note(String text) {
    if (schedule.traced()) {
      trace.add(steps + ". " + text);
    }
  }

  // ---------------------------------------------------------------- the run

  Verdict run() {
    String violation = "";
    try {
      int most = Math.min(schedule.mostSteps(), 100 + random.nextInt(Schedule.USUAL_STEPS));
      setUp();
      while (steps < most) {
        steps++;
        step();
      }
      settle();
    } catch (Violation e) {
      violation = String.valueOf(e.getMessage());
      note("==> " + violation);
    }
    return new Verdict(violation, steps, changesAsked, trace);
  }

  /** Most schedules begin where proxies serve already, or keys are about to move. */
  private void setUp() {
    int where = random.nextInt(16);
    if (where == 0) {
      return;
    }
    fair = true;
    for (int i = 0; i < 2_000 && !proxies.stream().allMatch(SimProxy::isIdle); i++) {
      proxies.forEach(SimProxy::turn);
      goOn();
    }
    for (int i = 0; i < 50; i++) {
      proxies.forEach(SimProxy::turn); // They acknowledge what they have learnt.
      goOn();
    }
    if (where > 1) {
      operate();
      for (int i = 0; i < 6; i++) {
        client(); // Something is under way when the barrier begins.
      }
      Phase until = where > 8 ? Phase.MOVING : Phase.FENCING;
      for (int i = 0; i < 2_000 && store.latest().phase() == Phase.PREPARING; i++) {
        goOn();
      }
      for (int i = 0; i < 400 && until == Phase.MOVING && store.latest().phase().holds(); i++) {
        proxies.get(0).turn();
        if (i > 5) {
          proxies.get(1).turn();
        }
        goOn();
      }
    }
    fair = false;
  }

  private void goOn() {
    message();
    deliverToStore();
    time += 10;
    leaders.get(0).turn(time);
  }

  /**
   * One change without any other trouble, in which the leader is killed after so many steps.
   *
   * @return how many steps were left to do then; 0 if the change was over by then
   */
  int changeWithLeaderKilledAt(int step) {
    fair = true;
    for (int i = 0; i < 2_000 && !proxies.stream().allMatch(SimProxy::isIdle); i++) {
      proxies.forEach(SimProxy::turn);
      goOn();
    }
    operate();
    for (int i = 0; i < step; i++) {
      proxies.forEach(SimProxy::turn);
      goOn();
    }
    boolean over = store.latest().phase() == Phase.STEADY;
    leaders.get(0).crash();
    leaders.set(0, new SimControl(this));
    int before = steps;
    settle();
    long epoch = store.latest().state().epoch();
    if (epoch < 2) {
      throw new Violation("the change was not made: epoch " + epoch);
    }
    return over ? 0 : steps - before;
  }

  private void step() {
    int drawn = random.nextInt(sum);
    Event event = Event.MESSAGE;
    for (Map.Entry<Event, Integer> each : weights.entrySet()) {
      event = each.getKey();
      drawn -= each.getValue();
      if (drawn < 0) {
        break;
      }
    }
    switch (event) {
      case MESSAGE -> {
        int count = store.latest().phase() == Phase.PREPARING ? 8 : 3;
        for (int i = 0; i < count; i++) {
          message();
        }
      }
      case CLIENT -> client();
      case PROXY -> proxies.get(random.nextInt(proxies.size())).turn();
      case ACK -> deliverToStore();
      case CONTROL -> {
        time += random.nextInt(30);
        leaders.get(random.nextInt(leaders.size())).turn(time);
      }
      case LATE -> {
        if (random.nextInt(3) == 0 && !late.isEmpty()) {
          expire(); // What is on its way may be over where it came from.
        } else {
          landLate();
        }
      }
      case LOSE -> loseLink();
      case EXPIRE -> expire();
      case GIVE_UP -> proxies.get(random.nextInt(proxies.size())).giveUp();
      case CRASH_PROXY -> {
        if (random.nextInt(4) == 0 && unknown < MOST_UNKNOWN) {
          proxies.get(random.nextInt(proxies.size())).crash();
        }
      }
      case CRASH_LEADER -> newLeader();
      case RESTART_NODE -> restartNode();
      default -> operate();
    }
  }

  /** No faults any more: everything must come to its end. */
  private void settle() {
    fair = true;
    note("from here on nothing fails");
    changesWanted = 0;
    List<SimControl> deposed = leaders.subList(0, leaders.size() - 1);
    int quiet = 0;
    for (int i = 0; i < FAIR_STEPS; i++) {
      steps++;
      message();
      deliverToStore();
      if (!late.isEmpty() && !isStillOnItsWay()) {
        landLate();
      }
      if (random.nextInt(4) == 0) {
        client();
      }
      proxies.forEach(SimProxy::turn);
      time += 10;
      for (SimControl each : deposed) {
        each.turn(time);
      }
      boolean busy = leaders.get(leaders.size() - 1).turn(time);
      resume();
      quiet = busy || !isSettled() ? 0 : quiet + 1;
      if (quiet > 5) {
        judge();
        return;
      }
    }
    throw new Violation(
        "stuck: phase "
            + store.latest().phase()
            + ", "
            + leaders.get(leaders.size() - 1).blockers()
            + ", proxies "
            + proxies);
  }

  private boolean isSettled() {
    return store.latest().phase() == Phase.STEADY
        && late.isEmpty()
        && store.latest().nodes().stream().allMatch(id -> node(id).run().equals(store.admitted(id)))
        && toStore.isEmpty()
        && links.stream().noneMatch(link -> link.lost && link.hasWork())
        && proxies.stream().allMatch(SimProxy::isIdle)
        && proxies.stream().allMatch(proxy -> proxy.obeys(store.latest()));
  }

  private void resume() {
    RoutingState now = store.latest();
    if (!now.state().pause().isEmpty()) {
      store.put(store.size() - 1L, now.state().withPause(""));
      note("the operator resumes");
    }
  }

  private void judge() {
    Placement mapping = store.latest().from();
    for (String id : store.latest().nodes()) { // Whoever has left may hold what it likes.
      ModelRedis node = node(id);
      for (Map.Entry<String, ModelRedis.Value> entry : node.database(0).entrySet()) {
        boolean stray = strays && "stray".equals(entry.getValue().text());
        if (!mapping.owner(entry.getKey()).id().equals(node.id()) && !stray) {
          throw new Violation(
              "key " + entry.getKey() + " is at node " + node.id() + ", which does not own it");
        }
      }
    }
    for (int i = 0; i < pair.keys().size(); i++) {
      String key = pair.keys().get(i);
      ModelRedis.Value value = node(mapping.owner(key).id()).database(0).get(key);
      Op last = new Op(1000 + i, Kind.GET, i, 0, "");
      history.begin(last);
      check(last, value == null ? null : value.text());
    }
  }

  // ---------------------------------------------------------------- connections

  /** A connection for somebody who may log in; null if the node refuses. */
  @Nullable Link connect(String id, String owner, String user, String hash, Runnable onLost) {
    ModelRedis node = node(id);
    if (!node.mayLogin(user, hash)) {
      return null;
    }
    ModelRedis.Connection server = node.connect();
    node.login(server, user, hash);
    return new Link(node, server, owner, onLost);
  }

  void send(Link link, List<String> command, Consumer<@Nullable Object> answered) {
    link.inbound.add(new Link.Message(command, answered));
    if (!link.listed) {
      link.listed = true;
      links.add(link);
    }
  }

  /** A command is done somewhere, or an answer arrives. */
  private boolean message() {
    while (!links.isEmpty()) {
      int at = random.nextInt(links.size());
      Link link = links.get(at);
      if (!link.hasWork()) {
        link.listed = false;
        links.set(at, links.get(links.size() - 1));
        links.remove(links.size() - 1);
        continue;
      }
      if (link.server.dead) {
        link.inbound.clear();
        note(link.owner + " notices that its connection to " + link.node.id() + " was closed");
        lose(link);
        return true;
      }
      if (link.lost && isStillOnItsWay()) {
        return false;
      }
      boolean answer =
          !link.lost && !link.replies.isEmpty() && (link.inbound.isEmpty() || random.nextBoolean());
      if (answer) {
        Link.Message message = link.replies.poll();
        message.answered.accept(message.reply);
      } else if (!link.inbound.isEmpty()) {
        Link.Message message = link.inbound.poll();
        message.reply = link.node.execute(link.server, message.command);
        if (schedule.traced()) {
          note(
              link.node.id()
                  + " does "
                  + shortened(message.command)
                  + " of "
                  + link.owner
                  + (link.lost ? ", late" : "")
                  + ": "
                  + shortened(List.of(String.valueOf(message.reply))));
        }
        if (!link.lost) {
          link.replies.add(message);
        }
      }
      return true;
    }
    return false;
  }

  private static String shortened(List<String> words) {
    String text = String.join(" ", words);
    return (text.length() > 90 ? text.substring(0, 90) + "…" : text)
        .replace('\n', ' ')
        .replace("\r", "");
  }

  /** What its sender has given up may come after everything else: when the change is over. */
  private boolean isStillOnItsWay() {
    if (fair) {
      return lateness == LATEST && store.latest().phase() != Phase.STEADY;
    }
    return random.nextInt(lateness) > 0;
  }

  /** The owner's end of a connection is gone; what it has sent may still be done. */
  void lose(Link link) {
    if (!link.lost) {
      link.lost = true;
      link.replies.clear();
      link.onLost.run();
    }
  }

  /** It is closed in order, with nothing under way. */
  void close(Link link) {
    link.lost = true;
    if (link.inbound.isEmpty()) {
      link.server.dead = true;
    }
  }

  private void loseLink() {
    if (links.isEmpty() || unknown >= MOST_UNKNOWN) {
      return;
    }
    Link link = links.get(random.nextInt(links.size()));
    boolean ofLeader = link.owner.startsWith("leader");
    if (!link.lost && !link.inbound.isEmpty() && (!ofLeader || random.nextInt(8) == 0)) {
      note("the connection of " + link.owner + " to " + link.node.id() + " is lost");
      lose(link);
    }
  }

  // ---------------------------------------------------------------- transfers

  @Override
  public @Nullable ErrorReply carry(
      ModelRedis from,
      String place,
      String user,
      String password,
      int database,
      Map<String, ModelRedis.Value> keys,
      boolean replace) {
    ModelRedis target = node(place.substring(0, place.indexOf(':')));
    String hash = ModelRedis.sha256(password);
    if (!fair && failures > 0 && random.nextInt(failures) == 0) {
      if (random.nextBoolean()) {
        keys.forEach(
            (key, value) ->
                late.add(
                    new Late(target, target.run(), user, hash, database, key, value, replace)));
      }
      return new ErrorReply("IOERR error or timeout reading to target instance");
    }
    if (!target.mayLogin(user, hash)) {
      return new ErrorReply(
          "ERR Target instance replied with error: NOAUTH Authentication required.");
    }
    List<String> busy = new ArrayList<>();
    keys.forEach(
        (key, value) -> {
          if (!target.restore(database, key, value, replace)) {
            busy.add(key);
          }
        });
    return busy.isEmpty()
        ? null
        : new ErrorReply(
            "ERR Target instance replied with error: BUSYKEY Target key name already exists. \n"
                + String.join("\n", busy));
  }

  private void landLate() {
    if (late.isEmpty()) {
      return;
    }
    Late each = late.remove(random.nextInt(late.size()));
    if (each.target().run().equals(each.run())
        && each.target().mayLogin(each.user(), each.hash())) {
      boolean taken =
          each.target().restore(each.database(), each.key(), each.value(), each.replace());
      note("a late copy of " + each.key() + " reaches " + each.target().id() + ": " + taken);
    } else {
      note("a late copy of " + each.key() + " is refused by " + each.target().id());
    }
  }

  private void expire() {
    if (keepsAll) {
      return;
    }
    ModelRedis node = node(List.of("a", "b", "c").get(random.nextInt(3)));
    for (Map.Entry<String, ModelRedis.Value> entry : node.database(0).entrySet()) {
      if (entry.getValue().expires()) {
        String value = String.valueOf(entry.getValue().text());
        note("the time of " + entry.getKey() + "=" + value + " is over");
        expireEverywhere(entry.getKey(), value);
        return;
      }
    }
  }

  private void expireEverywhere(String key, String value) {
    for (ModelRedis node : nodes.values()) {
      ModelRedis.Value there = node.database(0).get(key);
      if (there != null && value.equals(there.text())) {
        node.expire(0, key);
      }
    }
  }

  // ---------------------------------------------------------------- faults

  private void newLeader() {
    if (leaders.size() > 3 || random.nextInt(3) > 0) {
      return;
    }
    SimControl now = leaders.get(leaders.size() - 1);
    if (random.nextBoolean()) {
      now.crash();
      leaders.remove(now);
      note("the leader is killed");
    } else {
      note("the leader is deposed, without knowing it");
    }
    leaders.add(new SimControl(this));
  }

  private void restartNode() {
    if (restarts >= MOST_RESTARTS || random.nextInt(3) > 0) {
      return;
    }
    ModelRedis node = node(List.of("a", "b", "c").get(random.nextInt(3)));
    Phase phase = store.latest().phase();
    RoutingState now = store.latest();
    boolean gives =
        keepsAll
            && phase == Phase.MOVING
            && now.flows().sources().contains(node.id())
            && !now.flows().receivers().contains(node.id());
    boolean back = !node.durable && (!phase.isBetween() || gives);
    if (!node.durable && !back) {
      return; // What such a server loses while keys move, it loses without anybody's fault.
    }
    restarts++;
    if (random.nextBoolean()) {
      killInsideTransfer(node);
    }
    List<Map<String, ModelRedis.Value>> data = node.snapshot();
    if (back) {
      data = phase == Phase.MOVING ? withArrived(node, data) : backInTime(node);
    }
    note("node " + node.id() + " restarts" + (back ? " from an old file" : ""));
    node.restart(data);
    late.removeIf(each -> each.target() == node);
    for (Link link : List.copyOf(links)) {
      if (link.node == node) {
        link.inbound.clear();
        lose(link);
      }
    }
  }

  /** The server dies while a MIGRATE is on its way to the target. */
  private void killInsideTransfer(ModelRedis node) {
    RoutingState now = store.latest();
    ModelRedis.Value token = node.database(CONTROL).get("__beltway:token");
    if (now.phase() != Phase.MOVING || token == null || token.hash() == null) {
      return; // Nobody asks for a transfer.
    }
    for (Map.Entry<String, ModelRedis.Value> entry : node.database(0).entrySet()) {
      if (node.id().equals(now.source(entry.getKey()))) {
        ModelRedis target = node(now.target(entry.getKey()));
        String place = token.hash().get("to:" + target.id());
        if (place != null) {
          String[] parts = place.split("\n", -1);
          late.add(
              new Late(
                  target,
                  target.run(),
                  parts[2],
                  ModelRedis.sha256(parts[3]),
                  0,
                  entry.getKey(),
                  entry.getValue(),
                  false));
          note("a transfer of " + entry.getKey() + " is under way when " + node.id() + " dies");
          return;
        }
      }
    }
  }

  /** What it has, and what has moved away already and is still at its target. */
  private List<Map<String, ModelRedis.Value>> withArrived(
      ModelRedis node, List<Map<String, ModelRedis.Value>> data) {
    RoutingState now = store.latest();
    for (Map.Entry<String, ModelRedis.Value> entry :
        old.getOrDefault(node.id(), node.snapshot()).get(0).entrySet()) {
      String key = entry.getKey();
      if (node.id().equals(now.source(key))
          && node(now.target(key)).database(0).containsKey(key)
          && !entry.getValue().expires()) {
        data.get(0).putIfAbsent(key, entry.getValue());
      }
    }
    return data;
  }

  /** What an old file holds. Keys that live there lose what came later, through nobody's fault. */
  private List<Map<String, ModelRedis.Value>> backInTime(ModelRedis node) {
    List<Map<String, ModelRedis.Value>> data = old.getOrDefault(node.id(), node.snapshot());
    Placement mapping = store.latest().from();
    for (int i = 0; i < pair.keys().size(); i++) {
      String key = pair.keys().get(i);
      if (mapping.owner(key).id().equals(node.id())) {
        ModelRedis.Value now = node.database(0).get(key);
        if (now == null) {
          data.get(0).remove(key);
        } else {
          data.get(0).put(key, now);
        }
      }
    }
    data.get(CONTROL).clear();
    return data;
  }

  // ---------------------------------------------------------------- operators

  private void operate() {
    ClusterState state = store.latest().state();
    long revision = store.size() - 1L;
    switch (state.phase()) {
      case STEADY -> {
        if (changesAsked < changesWanted) {
          changesAsked++;
          nodes.values().forEach(node -> old.put(node.id(), node.snapshot()));
          Placement to = store.latest().from() == pair.from() ? pair.to() : pair.from();
          store.put(
              revision,
              state.preparing(
                  store.newEpoch(to),
                  Way.of(circular(to), canary),
                  new Change("change", "sim", ""),
                  Optional.empty()));
          note("a change is asked for");
        }
      }
      case PREPARING, FENCING -> {
        if (aborts < 3 && state.isOnTheWay() && random.nextInt(6) == 0) {
          aborts++;
          note("the change is taken back from halfway");
          store.put(
              revision,
              state.backFromWaypoint(
                  store.newEpoch(store.placement(state.epoch())),
                  new Change("back", "sim", ""),
                  Optional.empty()));
        } else if (state.phase() == Phase.FENCING
            && !state.isOnTheWay()
            && aborts < 3
            && random.nextInt(4) == 0) {
          aborts++;
          note("the change is taken back while it is fencing");
          store.put(revision, state.unfenced());
        }
      }
      case MOVING -> {
        if (!state.pause().isEmpty()) {
          resume();
        } else if (aborts < 2 && random.nextInt(6) == 0) {
          aborts++;
          note("the change is taken back while keys move");
          store.put(
              revision,
              state.reversing(
                  store.newEpoch(store.placement(state.epoch())),
                  new Change("back", "sim", ""),
                  Optional.empty()));
        }
      }
      case REVERSING -> {
        if (flaws.has(Flaw.REVERSING_TO_STEADY) && random.nextInt(3) == 0) {
          note("the abort is taken back");
          store.put(revision, state.steady(state.epoch()));
        }
      }
      default -> {}
    }
    if (random.nextInt(8) == 0) {
      SimProxy proxy = proxies.get(random.nextInt(proxies.size()));
      if (!proxy.registration().isEmpty() && store.isRegistered(proxy.registration())) {
        note("the operator has " + proxy + " fenced");
        store.markStruck(proxy.registration());
      }
    }
  }

  private boolean circular(Placement to) {
    return Flows.between(store.latest().from(), to).isCircular();
  }

  private boolean deliverToStore() {
    Runnable write = toStore.poll();
    if (write == null) {
      return false;
    }
    write.run();
    return true;
  }

  // ---------------------------------------------------------------- clients

  private void client() {
    SimProxy proxy = proxies.get(random.nextInt(proxies.size()));
    int most = store.latest().version() == 1 ? FIRST_OPS : MOST_OPS;
    if (ops >= most || !proxy.takes()) {
      return;
    }
    int key = random.nextInt(10) == 0 ? 3 : random.nextInt(3);
    Kind kind;
    if (key == 2) {
      kind = random.nextBoolean() ? Kind.INCR : random.nextBoolean() ? Kind.GET : Kind.DEL;
    } else {
      kind =
          List.of(Kind.GET, Kind.GET, Kind.SET, Kind.SET_EXPIRING, Kind.DEL, Kind.DEL, Kind.RENAME)
              .get(random.nextInt(7));
    }
    boolean removes = kind == Kind.DEL || kind == Kind.RENAME || kind == Kind.SET_EXPIRING;
    if (keepsAll && removes || kind == Kind.RENAME && key > 1) {
      kind = Kind.GET;
    }
    boolean sets = kind == Kind.SET || kind == Kind.SET_EXPIRING;
    Op op = new Op(ops++, kind, key, 1 - key, sets ? "v" + values++ : "");
    note("a client asks " + proxy + " for " + op);
    history.begin(op);
    proxy.take(op);
  }

  List<String> command(Op op) {
    String key = pair.keys().get(op.key);
    return switch (op.kind) {
      case GET -> List.of("GET", key);
      case SET -> List.of("SET", key, op.value);
      case SET_EXPIRING -> List.of("SET", key, op.value, "PX", "100000");
      case DEL -> List.of("DEL", key);
      case INCR -> List.of("INCR", key);
      case RENAME -> List.of("RENAME", key, pair.keys().get(op.second));
    };
  }

  List<String> keys(Op op) {
    return op.kind == Kind.RENAME
        ? List.of(pair.keys().get(op.key), pair.keys().get(op.second))
        : List.of(pair.keys().get(op.key));
  }

  void check(Op op, @Nullable Object reply) {
    if (isTraced()) {
      note("the client of " + op.number + " " + op + " hears " + reply);
    }
    if (!history.returned(op, reply)) {
      throw new Violation(
          op + " was answered with " + reply + ", which no order of the operations explains");
    }
  }

  /** Nobody knows whether it took effect. */
  void lostSightOf(Op op) {
    if (op.kind == Kind.GET) {
      history.cancelled(op); // Whatever it saw, it has changed nothing.
      return;
    }
    unknown++;
    note("the outcome of " + op + " is unknown");
  }

  boolean isFair() {
    return fair;
  }
}
