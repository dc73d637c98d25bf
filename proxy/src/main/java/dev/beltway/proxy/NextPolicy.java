package dev.beltway.proxy;

import dev.beltway.placement.Failover;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.proxy.failover.StandIns;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.token.Partitioner;
import dev.beltway.topology.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what {@link StandIns} says, in a thread of its own: tells the workers whom to route around,
 * empties nodes before they serve again, and sweeps copies away that were made in a node's stead.
 *
 * <p>A node is emptied by FLUSHALL, after every connection of this proxy that it still has was
 * killed: nothing that was sent before can be done after it. Stand-ins are searched by SCAN in all
 * databases once everything sent by the old routing is answered.
 */
final class NextPolicy implements Health.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(NextPolicy.class);

  private static final String PREFIX = "beltway-";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);
  private static final int SCAN_COUNT = 500;
  private static final int RETRY_MILLIS = 500;
  private static final int LOOK_MILLIS = 5_000;
  private static final int GRACE_TRIES = 4;
  private static final Pattern CLIENT =
      Pattern.compile("^id=(\\d+) .*? name=(\\S*) ", Pattern.MULTILINE);

  private final Proxy proxy;
  private final BlockingQueue<UnaryOperator<StandIns>> events = new LinkedBlockingQueue<>();
  private final Thread thread;
  private final @Nullable Owed owed;
  private volatile StandIns state;
  private volatile boolean ended;
  private @Nullable StandIns published;

  /** The workers must be told though nothing has changed but the routing. */
  private boolean again;

  private volatile Set<String> aroundAtWorkers = Set.of();
  private final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
  private long lookedAt;

  NextPolicy(Proxy proxy, @Nullable Owed owed) {
    this.proxy = proxy;
    this.owed = owed;
    List<String> ids = proxy.routing().nodes().stream().map(Node::id).toList();
    this.state = StandIns.atStart(owed == null ? Set.of() : owed.of(ids));
    this.thread = new Thread(this::run, "beltway-failover");
    thread.setDaemon(true);
  }

  /**
   * Refuses what can't be done safely.
   *
   * @throws IllegalArgumentException if the algorithm has no second owner of a key
   */
  static void check(Routing routing) {
    if (!(routing.placement() instanceof OrderedPlacement)) {
      throw new IllegalArgumentException(
          "policy next: algorithm "
              + routing.topology().rule().algorithm()
              + " has no second owner of a key");
    }
  }

  /**
   * Begins.
   *
   * @throws IllegalArgumentException if another proxy uses these nodes
   */
  void start() {
    Optional<String> other = otherProxy();
    for (int i = 0; other.isPresent() && i < GRACE_TRIES; i++) {
      try { // An earlier proxy that has just ended may still be seen for a moment.
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
      other = otherProxy();
    }
    if (other.isPresent()) {
      throw new IllegalArgumentException("policy next: " + other.get());
    }
    lookedAt = System.nanoTime();
    if (!publish()) { // Before any client is there: what is owed must not be served.
      throw new IllegalStateException("the event loops do not answer");
    }
    thread.start();
  }

  void close() {
    ended = true;
    thread.interrupt();
  }

  @Override
  public void out(String node, String reason) {
    events.add(now -> now.out(node));
  }

  @Override
  public void back(String node) {
    events.add(now -> now.back(node));
  }

  @Override
  public Health.State state(String node) {
    StandIns now = state;
    return now.serves(node) || now.down().contains(node) ? Health.State.UP : Health.State.RETURNING;
  }

  /**
   * Obeys a routing of the same mapping. Nodes at other addresses are other servers: they are
   * emptied before they serve.
   *
   * @return completes when the workers obey it
   */
  CompletableFuture<Boolean> obey(Routing next) {
    CompletableFuture<Boolean> obeyed = new CompletableFuture<>();
    events.add(
        now -> {
          Set<String> moved = new TreeSet<>();
          for (Node node : next.nodes()) {
            Optional<Node> old = proxy.routing().topology().node(node.id());
            if (old.isEmpty() || !old.get().address().equals(node.address())) {
              moved.add(node.id());
            }
          }
          proxy.setRouting(next);
          again = true;
          waiting.add(obeyed);
          return now.unknown(moved);
        });
    return obeyed;
  }

  /** What the workers route around now. */
  Set<String> around() {
    return aroundAtWorkers;
  }

  StandIns standIns() {
    return state;
  }

  private void run() {
    while (!ended) {
      try {
        boolean busy =
            state.dirty() || !state.toEmpty().isEmpty() || again || !state.equals(published);
        UnaryOperator<StandIns> event =
            events.poll(busy ? RETRY_MILLIS : LOOK_MILLIS, TimeUnit.MILLISECONDS);
        while (event != null) {
          state = event.apply(state);
          event = events.poll();
        }
        if (publish()) {
          work();
        } else {
          TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
        look();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("a fault of this program in the failure policy", e);
        proxy.countFault();
      }
    }
  }

  /** Whether somebody else appeared or went. */
  private void look() {
    if (System.nanoTime() - lookedAt < TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
      return;
    }
    String reason = otherProxy().orElse("");
    lookedAt = System.nanoTime();
    if (!reason.equals(state.barred())) {
      LOG.atWarn().addKeyValue("reason", reason).log("routing around nodes is barred or allowed");
      state = state.barred(reason); // Published in the next round.
    }
  }

  private void work() throws InterruptedException {
    for (String node : state.toEmpty()) {
      if (empty(node)) {
        state = state.emptied(node);
        if (!publish()) {
          return;
        }
        LOG.atInfo().addKeyValue("node", node).log("node was emptied and serves again");
      }
    }
    if (state.dirty() && events.isEmpty()) {
      sweep();
    }
  }

  // ---------------------------------------------------------------- effects

  /**
   * Tells all workers, and waits until each obeys; whether they do. With several workers in two
   * steps: first nobody sends anything for the keys in question, then everybody sends them to the
   * same node. What is owed is written down before.
   */
  private boolean publish() {
    StandIns now = state;
    StandIns before = published;
    if (now.equals(before) && !again) {
      return true;
    }
    if (owed != null && !owed.write(now.owed())) {
      return false;
    }
    Routing routing = proxy.routing();
    Set<String> common = new TreeSet<>(now.around());
    common.retainAll(aroundAtWorkers);
    if (proxy.workers() > 1 && !tell(routing, common, now, before)) {
      return false;
    }
    if (!tell(routing, now.around(), now, now)) {
      return false;
    }
    boolean returns = !now.around().containsAll(aroundAtWorkers);
    aroundAtWorkers = now.around();
    if (returns) {
      // What waits at a stand-in would go on waiting where nothing comes any more.
      Proxy.await(
          proxy.eachWorker(
              worker -> {
                worker.links().values().forEach(NodeLink::closeLeased);
                return true;
              }));
    }
    published = now;
    again = false;
    waiting.forEach(each -> each.complete(true));
    waiting.clear();
    return true;
  }

  /** Nodes serve that do so both before and after. */
  private boolean tell(
      Routing routing, Set<String> around, StandIns after, @Nullable StandIns before) {
    Placement placement = placement(routing, around);
    return Proxy.await(
        proxy.eachWorker(
            worker -> {
              worker.adopt(routing, placement);
              for (Node node : routing.nodes()) {
                NodeLink link = worker.links().get(node.id());
                if (link != null) {
                  boolean serves =
                      after.serves(node.id()) && (before == null || before.serves(node.id()));
                  setOut(link, serves, after.down().contains(node.id()));
                }
              }
              return true;
            }));
  }

  private static Placement placement(Routing routing, Set<String> around) {
    // With nobody left they all count as down, each for its own keys.
    return around.isEmpty() || around.size() >= routing.nodes().size()
        ? routing.placement()
        : Failover.of((OrderedPlacement) routing.placement(), around);
  }

  private static void setOut(NodeLink link, boolean serves, boolean down) {
    if (serves) {
      link.setOut(null);
    } else if (link.out() == null) {
      String text = down ? "it does not answer" : "it is being emptied";
      link.setOut(new CallFailure(CallFailure.Kind.DOWN, text));
    }
  }

  private PlainClient connect(Node node, Duration timeout) throws IOException {
    NodeSettings settings = proxy.settings().nodes();
    return PlainClient.login(Routing.address(node), settings, timeout);
  }

  private boolean empty(String id) {
    Node node = proxy.routing().topology().node(id).orElseThrow();
    try (PlainClient client = connect(node, TIMEOUT)) {
      kill(client, node, name -> name.startsWith(PREFIX));
      client.ask("FLUSHALL");
      return true;
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue("node", id)
          .addKeyValue("reason", String.valueOf(e.getMessage()))
          .log("node could not be emptied");
      return false;
    }
  }

  /** Kills connections with such names that the node still has and this proxy hasn't. */
  private void kill(PlainClient client, Node node, Predicate<String> names) throws IOException {
    Object own = client.ask("CLIENT", "ID");
    Matcher clients = CLIENT.matcher(RespReader.text(client.ask("CLIENT", "LIST")));
    Set<Long> alive = proxy.connectionIds(node.id()); // After the list: none of these is new in it.
    while (clients.find()) {
      long id = Long.parseLong(clients.group(1));
      if (names.test(clients.group(2)) && !alive.contains(id) && !Long.valueOf(id).equals(own)) {
        client.tell("CLIENT", "KILL", "ID", Long.toString(id)); // It may have gone by itself.
      }
    }
  }

  /** Whether this proxy, or the one whose record it has taken over, calls itself so. */
  private boolean isMine(String name) {
    return name.equals(proxy.settings().nodes().clientName())
        || owed != null && name.equals(owed.predecessor());
  }

  private void sweep() {
    StandIns by = state;
    Routing routing = proxy.routing();
    Placement placement = placement(routing, by.around());
    if (!Proxy.await(drained())) {
      return; // Something still waits, longer than it may: again later.
    }
    Set<String> skipped = new TreeSet<>();
    long removed = 0;
    for (Node node : routing.nodes()) {
      if (!events.isEmpty()) {
        return; // Something has happened: from the beginning, by the new state.
      }
      if (!by.serves(node.id())) {
        skipped.add(node.id());
        continue;
      }
      try (PlainClient client = connect(node, TIMEOUT)) {
        kill(client, node, this::isMine);
        removed += sweep(client, node, placement);
      } catch (IOException e) {
        LOG.atWarn()
            .addKeyValue("node", node.id())
            .addKeyValue("reason", String.valueOf(e.getMessage()))
            .log("node could not be swept");
        return; // Again later; until then nobody is routed around.
      }
    }
    state = state.swept(skipped); // Meanwhile only whether it is barred can have changed.
    if (!publish()) {
      return;
    }
    LOG.atInfo().addKeyValue("removed", removed).log("stand-in copies are swept away");
  }

  /** Deletes what the node holds and doesn't own. */
  private long sweep(PlainClient client, Node node, Placement placement) throws IOException {
    Partitioner partitioner = placement.partitioner();
    long removed = 0;
    for (int database = 0; database < proxy.settings().databases(); database++) {
      Object selected = client.tell("SELECT", Integer.toString(database));
      if (selected instanceof RespReader.Failed failed) {
        if (database == 0 || failed.text().matches("(NOAUTH|NOPERM|LOADING|MASTERDOWN) .*")) {
          throw new IOException("SELECT was answered with " + failed.text());
        }
        break; // The node has fewer, or only this one.
      }
      look();
      String cursor = "0";
      do {
        if (!events.isEmpty()) {
          throw new IOException("something else has happened");
        }
        Object reply = client.ask("SCAN", cursor, "COUNT", Integer.toString(SCAN_COUNT));
        List<?> both = (List<?>) reply;
        if (both == null) {
          throw new IOException("SCAN was answered with nothing");
        }
        cursor = RespReader.text(both.get(0));
        List<byte[]> strays = new ArrayList<>();
        strays.add("UNLINK".getBytes(StandardCharsets.US_ASCII));
        for (Object key : (List<?>) both.get(1)) {
          byte[] bytes = (byte[]) key;
          if (!placement.ownerAt(partitioner.position(bytes)).id().equals(node.id())) {
            strays.add(bytes);
          }
        }
        if (strays.size() > 1) {
          Object done = client.tell(strays.toArray(new byte[0][]));
          if (done instanceof RespReader.Failed failed) {
            throw new IOException("UNLINK was answered with " + failed.text());
          }
          removed += strays.size() - 1;
        }
      } while (!cursor.equals("0"));
    }
    return removed;
  }

  /** All that was sent by now is answered, or its connection is gone. */
  private CompletableFuture<?> drained() {
    return proxy
        .eachWorker(Worker::barrier)
        .thenCompose(waits -> CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0])));
  }

  /** Another proxy at a node, in words; empty if there is none. */
  private Optional<String> otherProxy() {
    Set<String> seen = new HashSet<>();
    for (Node node : proxy.routing().nodes()) {
      if (!state.serves(node.id())) {
        continue;
      }
      if (!events.isEmpty()) {
        return state.barred().isEmpty() ? Optional.empty() : Optional.of(state.barred()); // Later.
      }
      try (PlainClient client = connect(node, LOOK_TIMEOUT)) {
        Matcher clients = CLIENT.matcher(RespReader.text(client.ask("CLIENT", "LIST")));
        while (clients.find()) {
          String found = clients.group(2);
          if (found.startsWith(PREFIX) && !isMine(found) && seen.add(found)) {
            return Optional.of(
                "another proxy, "
                    + found
                    + ", uses node "
                    + node.id()
                    + "; with several proxies only the policy error is safe");
          }
        }
      } catch (IOException e) {
        LOG.atDebug().addKeyValue("node", node.id()).log("can't look for other proxies");
      }
    }
    return Optional.empty();
  }

  static @Nullable NextPolicy of(Proxy proxy, @Nullable Owed owed) {
    return proxy.settings().policy() == FailurePolicy.NEXT ? new NextPolicy(proxy, owed) : null;
  }
}
