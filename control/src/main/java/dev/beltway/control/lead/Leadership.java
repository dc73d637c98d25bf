package dev.beltway.control.lead;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.store.AuditEntry;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.Codec;
import dev.beltway.handover.Change;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.ClusterView;
import dev.beltway.handover.Conductor;
import dev.beltway.handover.NodeFacts;
import dev.beltway.handover.Orders;
import dev.beltway.handover.Pace;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Scrub;
import dev.beltway.handover.Step;
import dev.beltway.handover.Task;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election, and while it leads, drives the conductor in one thread: reads the
 * store, has tasks done at nodes, and writes what the conductor decides. All writes depend on the
 * term, so that a leader who has lost the election without knowing it does nothing.
 */
public final class Leadership implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  private static final long TICK_MILLIS = 50;
  private static final int WORKERS = 24;
  private static final int PROBERS = 16;
  private static final int WALKERS = 256;
  private static final int MOST_REPORTS = 50;
  private static final long PUBLISH_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final int SECRET_BYTES = 18;

  private final ClusterStore store;
  private final NodeDriver driver;
  private final Orders.Limits limits;
  private final int control;
  private final Keeper keeper;
  private final LeaderLatch latch;
  private final ExecutorService workers = pool("beltway-work", WORKERS);
  private final ExecutorService walkers = pool("beltway-walk", WALKERS);
  private final ExecutorService probers = pool("beltway-probe", PROBERS);
  private final Thread thread = new Thread(this::run, "beltway-leader");
  private final SecureRandom random = new SecureRandom();
  private final Deque<String> reports = new ArrayDeque<>();
  private volatile boolean ended;
  private volatile boolean leading;

  /** The store is older than what nodes know: to go on could undo what was done since (rule 1). */
  private volatile boolean alarmed;

  private String published = "";

  /**
   * Begins to take part.
   *
   * @param keeper keeps what is removed from nodes
   * @param id of this process, for people
   */
  public Leadership(
      ClusterStore store,
      NodeDriver driver,
      Orders.Limits limits,
      int control,
      Keeper keeper,
      String id)
      throws IOException {
    this.keeper = keeper;
    this.store = store;
    this.driver = driver;
    this.limits = limits;
    this.control = control;
    this.latch = store.election(id);
    thread.setDaemon(true);
    thread.start();
  }

  private static ExecutorService pool(String name, int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Whether this process leads. */
  public boolean isLeading() {
    return leading;
  }

  private void run() {
    while (!ended) {
      try {
        latch.await();
        if (!ended && !alarmed && latch.hasLeadership()) {
          new Reign(store.nextTerm()).lead();
        }
        TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        return;
      } catch (IOException e) {
        LOG.atWarn().addKeyValue("reason", e.getMessage()).log("the store can't be asked");
        pause();
      } catch (Exception e) { // The latch declares nothing more exact; and a fault must be seen.
        LOG.error("a fault of this program in the leader", e);
        pause();
      } catch (Error e) { // Such as no memory: this thread ends, and another process must lead.
        LOG.error("the leader can't go on", e);
        resign();
        throw e;
      } finally {
        leading = false;
      }
    }
  }

  private void resign() {
    try {
      latch.close();
    } catch (IOException e) {
      LOG.warn("the latch could not be closed", e);
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(TICK_MILLIS * 10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One term as the leader. */
  private final class Reign {

    private final ClusterStore.Term term;
    private final Conductor conductor = new Conductor();
    private final Pace pace = new Pace(System::nanoTime);
    private final MoveStatus moves = new MoveStatus();
    private Optional<Conductor.ScrubRequest> scrub = Optional.empty();
    private long publishedAt = Long.MIN_VALUE / 2;
    private boolean recalled;

    /** The version whose move was reported last. */
    private long reported = -1;

    /** What an earlier leader has found. */
    private @Nullable ObjectNode endedScrub;

    /** How long the last look at each node took. */
    private final Map<String, Long> probeMicros = new ConcurrentHashMap<>();

    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private @Nullable ClusterView view;
    private boolean over;

    /** Whether what is stored is to be read again. */
    private boolean stale;

    Reign(ClusterStore.Term term) {
      this.term = term;
    }

    void lead() throws InterruptedException, IOException {
      LOG.atInfo().addKeyValue("term", term.number()).log("this process leads");
      leading = true;
      try (AutoCloseable watch = store.watch(() -> events.add(this::look))) {
        LOG.trace("watches by {}", watch);
        long ticked = 0;
        look();
        while (!ended && !over && latch.hasLeadership()) {
          Runnable event = events.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
          while (event != null) { // What is stored is read once, however much has changed.
            event.run();
            event = events.poll();
          }
          if (stale) {
            stale = false;
            read();
          }
          long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
          if (now - ticked >= TICK_MILLIS) {
            ticked = now;
            act(conductor.tick(now));
            publish();
          }
        }
      } catch (InterruptedException | IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) { // From closing the watch.
        LOG.debug("a watch could not be closed", e);
      } finally {
        pace.end();
      }
      LOG.atInfo().addKeyValue("term", term.number()).log("this process leads no longer");
    }

    /** Whether another leader was elected since, so that the node is right. */
    private boolean isLater() throws IOException {
      return store.term() > term.number();
    }

    private void look() {
      stale = true;
    }

    private void read() throws IOException {
      ClusterView read = store.view().orElse(null);
      if (read != null) {
        ClusterView before = view;
        view = read;
        ClusterState state = read.routing().state();
        if (before != null) {
          reportMove(before.routing().state(), state);
        }
        pace.obey(state);
        if (!recalled) {
          recalled = true;
          recall();
        }
        act(conductor.learned(read));
        if (state.phase()
            == Phase.STEADY) { // At other times nothing is asked for, and time counts.
          Optional<Conductor.ScrubRequest> asked = store.scrub();
          if (!asked.equals(scrub)) {
            scrub = asked;
            act(conductor.scrub(asked.orElse(null)));
          }
        }
      }
    }

    /** Goes on where an earlier leader was. */
    private void recall() throws IOException {
      String text = store.status();
      if (!text.isEmpty()) {
        JsonNode status = Codec.read(Codec.bytes(text));
        JsonNode move = status.path("move");
        pace.recall(moves.tracks(move));
        conductor.recall(MoveStatus.surveys(move));
        JsonNode looked = status.path("scrub");
        if (looked.path("ended").asBoolean()) { // Nobody has asked for it a second time.
          scrub = store.scrub().filter(each -> each.number() == looked.path("number").asLong());
          endedScrub = looked.isObject() ? (ObjectNode) looked : null;
        }
      }
    }

    /** Where the report is; empty if there is none to be made, or it can't be. */
    private String reportMove(ClusterState before, ClusterState after) {
      boolean over = before.phase() == Phase.MOVING && before.version() != after.version();
      if (!over || before.version() == reported) {
        return "";
      }
      try {
        String made =
            store.addMove(
                moves.report(before, after, pace.tracks(), conductor.surveys()).toString());
        reported = before.version();
        return made;
      } catch (IOException e) { // It is for people; keys need not wait for it.
        LOG.atWarn().addKeyValue("reason", e.getMessage()).log("a report could not be written");
        return "";
      }
    }

    private void act(List<Conductor.Action> actions) throws IOException {
      for (Conductor.Action action : actions) {
        if (action instanceof Conductor.Action.Run run) {
          start(run.task());
        } else if (action instanceof Conductor.Action.Write write) {
          write(write.change());
          stale = true;
        } else if (action instanceof Conductor.Action.Report report) {
          report(report.text());
        } else if (action instanceof Conductor.Action.StepDown down) {
          LOG.atError()
              .addKeyValue("reason", down.reason())
              .log("ALARM: a node obeys a later term than the store has given");
          report(
              "ALARM: "
                  + down.reason()
                  + "; is the store an old copy? Nothing is done until"
                  + " this process is started again");
          publish();
          alarmed = !isLater();
          over = true;
        }
      }
    }

    private void start(Task task) {
      ClusterView seen = view;
      if (seen == null) {
        return;
      }
      RoutingState routing = seen.routing();
      Orders orders =
          new Orders(term.number(), control, routing, Leadership.this::secret, limits, pace);
      ExecutorService pool =
          task instanceof Task.Probe ? probers : isLong(task) ? walkers : workers;
      pool.execute(
          () -> {
            Step end;
            long began = System.nanoTime();
            try {
              end = driver.drive(orders.begin(task), routing, !isReading(task), keeper.of(task));
            } catch (RuntimeException e) {
              LOG.error("a fault of this program in {}", task.getClass().getSimpleName(), e);
              end = Step.failed("a fault of this program: " + e);
            }
            if (task instanceof Task.Probe && end instanceof Step.Done) {
              probeMicros.put(
                  task.node(), TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began));
            }
            Step result = end;
            events.add(() -> ended(task, result));
          });
    }

    /** Whether it may take hours, and must not stand in the way of what is short. */
    private static boolean isLong(Task task) {
      return task instanceof Task.Move
          || task instanceof Task.Survey
          || task instanceof Task.Search
          || task instanceof Task.Scrub;
    }

    private static boolean isReading(Task task) {
      return task instanceof Task.Probe
          || task instanceof Task.AskRun
          || task instanceof Task.Preflight
          || task instanceof Task.Survey
          || task instanceof Task.Search;
    }

    private void ended(Task task, Step end) {
      if (task instanceof Task.Move) {
        pace.leave(task.node());
      }
      try {
        if (end instanceof Step.Done done) {
          act(conductor.finished(task, done.result()));
        } else if (end instanceof Step.Failed failed) {
          act(conductor.failed(task, failed.reason(), failed.deposed()));
        }
      } catch (IOException e) {
        LOG.atWarn().addKeyValue("reason", e.getMessage()).log("the store can't be asked");
        stale = true;
      }
    }

    private void write(Conductor.Change change) throws IOException {
      ClusterView seen = view;
      if (seen == null) {
        return;
      }
      if (change instanceof Conductor.Change.State state) {
        // Before it can be seen that the move is over, so that whoever waits for that finds it.
        String report = reportMove(seen.routing().state(), state.next());
        boolean put =
            store.put(
                seen.revision(),
                state.next(),
                List.of(),
                entry(seen.routing(), state.next(), state.event()),
                term.version());
        if (!put && !report.isEmpty()) {
          reported = -1;
          store.removeMove(report);
        }
        LOG.atInfo()
            .addKeyValue("version", state.next().version())
            .addKeyValue("phase", state.next().phase())
            .addKeyValue("event", state.event())
            .addKeyValue("written", put)
            .log("state");
      } else if (change instanceof Conductor.Change.Admit admit) {
        store.admit(admit.registration(), term);
      } else if (change instanceof Conductor.Change.Strike strike) {
        store.strike(strike.registration(), term);
      } else if (change instanceof Conductor.Change.Run run) {
        store.run(run.node(), run.run(), term);
      }
    }

    private AuditEntry entry(RoutingState before, ClusterState after, String event)
        throws IOException {
      Change change = after.change().or(() -> before.state().change()).orElse(null);
      long next = after.next().orElse(after.epoch());
      return new AuditEntry(
          Instant.now(),
          change == null ? "beltway" : change.who(),
          event + (change == null ? "" : ": " + change.what()),
          change == null ? "" : change.why(),
          after.version(),
          after.phase().name(),
          before.state().epoch(),
          before.from().topology().fingerprint().hex(),
          next,
          store.topology(next).fingerprint().hex());
    }

    private void report(String text) {
      LOG.atInfo().addKeyValue("report", text).log("report");
      synchronized (reports) {
        reports.addLast(Instant.now() + " " + text);
        while (reports.size() > MOST_REPORTS) {
          reports.removeFirst();
        }
      }
    }

    /** Tells other control processes what this one knows; often, but not all the time. */
    private void publish() throws IOException {
      long nanos = System.nanoTime();
      ClusterView seen = view;
      if (over || nanos - publishedAt >= PUBLISH_NANOS) {
        publishedAt = nanos;
        publish(seen, nanos);
      }
    }

    private void publish(@Nullable ClusterView seen, long nanos) throws IOException {
      ObjectNode status = Codec.object();
      status.put("term", term.number());
      status.put("leader", latch.getId());
      ArrayNode blockers = status.putArray("blockers");
      conductor.blockers().stream().sorted().forEach(blockers::add);
      ObjectNode nodes = status.putObject("nodes");
      Map<String, NodeFacts> facts = new TreeMap<>(conductor.facts());
      facts.forEach(
          (id, each) ->
              nodes
                  .putObject(id)
                  .put("run", each.run())
                  .put("role", each.role())
                  .put("version", each.version())
                  .put("keys", each.keys())
                  .put("durable", each.durable())
                  .put("openDefault", each.openDefault())
                  .put("memory", each.load().memory())
                  .put("maxMemory", each.load().maxMemory())
                  .put("requests", each.load().requests())
                  .put("probeMicros", probeMicros.getOrDefault(id, 0L))
                  .put("late", conductor.isLate(id)));
      if (seen != null && seen.routing().phase() != Phase.STEADY) {
        status.set(
            "move", moves.write(seen.routing().state(), pace.tracks(), conductor.surveys(), nanos));
      }
      status.set("deviation", MoveStatus.deviation(conductor.deviation()));
      if (endedScrub != null) {
        status.set("scrub", endedScrub);
      }
      scrub.ifPresent(
          asked -> {
            Map<String, Scrub.Result> found = conductor.scrubbed();
            if (seen != null && (!found.isEmpty() || endedScrub == null)) {
              boolean ended = conductor.hasScrubbed();
              status.set(
                  "scrub", MoveStatus.scrubbed(asked.number(), asked.repairs(), found, ended));
            }
          });
      ArrayNode told = status.putArray("reports");
      synchronized (reports) {
        reports.forEach(told::add);
      }
      String text = status.toString();
      if (!text.equals(published)) {
        published = text;
        try {
          store.publish(text);
        } catch (IOException e) { // It is for people; keys need not wait for it.
          LOG.atWarn().addKeyValue("reason", e.getMessage()).log("the status can't be published");
        }
      }
    }
  }

  private String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void close() {
    ended = true;
    thread.interrupt();
    resign();
    workers.shutdownNow();
    walkers.shutdownNow();
    probers.shutdownNow();
    driver.close();
  }
}
