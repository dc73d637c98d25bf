package dev.beltway.simulation;

import dev.beltway.handover.ClusterView;
import dev.beltway.handover.Conductor;
import dev.beltway.handover.Conductor.Action;
import dev.beltway.handover.Names;
import dev.beltway.handover.Orders;
import dev.beltway.handover.Pace;
import dev.beltway.handover.Step;
import dev.beltway.handover.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A leader: the real conductor and orders, at model connections and the model store. */
final class SimControl {

  private static final Orders.Limits LIMITS = new Orders.Limits(10, 2, 200);

  private static final int PATIENCE = 12;

  private final World world;
  private final long term;
  private final Conductor conductor = new Conductor();
  private final Pace pace;
  private final Set<Running> running = new LinkedHashSet<>();
  private final List<Runnable> slow = new ArrayList<>();
  private final Deque<Conductor.Change> writes = new ArrayDeque<>();
  private @Nullable ClusterView read;
  private boolean ended;
  private boolean stale;
  private long seenChanges = -1;
  private int secrets;

  SimControl(World world) {
    this.world = world;
    this.term = world.store.nextTerm();
    this.pace = new Pace(() -> 0);
    world.note("leader of term " + term + " begins");
  }

  Set<String> blockers() {
    return conductor.blockers();
  }

  /** The process is killed; what it has sent may still be done. */
  void crash() {
    ended = true;
    running.forEach(each -> each.links.values().forEach(link -> link.lost = true));
  }

  /** Time passes, the store is read, or a write is made; whether anything was left to do. */
  boolean turn(long time) {
    if (ended) {
      return false;
    }
    if (!writes.isEmpty()) {
      write(writes.poll());
      return true;
    }
    boolean news = stale || seenChanges != world.store.changes();
    if (news) {
      stale = false;
      seenChanges = world.store.changes();
      ClusterView latest = world.store.view();
      read = latest;
      pace.obey(latest.routing().state());
      act(conductor.learned(latest));
    }
    act(conductor.tick(time));
    if (!slow.isEmpty() && (world.isFair() || world.random.nextInt(PATIENCE) == 0)) {
      slow.remove(0).run();
    }
    return news || running.stream().anyMatch(each -> !(each.task instanceof Task.Probe));
  }

  private void act(List<Action> actions) {
    for (Action action : actions) {
      if (action instanceof Action.Run run) {
        start(run.task());
      } else if (action instanceof Action.Write write) {
        writes.add(write.change());
      } else if (action instanceof Action.Report report) {
        world.note("report: " + report.text());
      } else if (action instanceof Action.StepDown down) {
        world.note("leader of term " + term + " steps down: " + down.reason());
        ended = true;
      }
    }
  }

  private void write(Conductor.Change change) {
    ClusterView seen = read;
    if (seen == null) {
      return;
    }
    boolean leads = world.store.term() == term || world.flaws.has(Flaw.NO_COMPARE_AND_SET);
    if (change instanceof Conductor.Change.State state) {
      boolean put = leads && world.store.put(seen.revision(), state.next());
      world.note(
          "leader "
              + term
              + " writes version "
              + state.next().version()
              + " "
              + state.next().phase()
              + " ("
              + state.event()
              + ")"
              + (put ? "" : ": refused"));
    } else if (leads && change instanceof Conductor.Change.Admit admit) {
      world.note("leader " + term + " admits " + admit.registration());
      world.store.admit(admit.registration());
    } else if (leads && change instanceof Conductor.Change.Strike strike) {
      world.note("leader " + term + " strikes off " + strike.registration());
      world.store.strike(strike.registration());
    } else if (leads && change instanceof Conductor.Change.Run run) {
      world.note("leader " + term + " admits process " + run.run());
      world.store.run(run.node(), run.run());
    }
    stale = true;
  }

  // ---------------------------------------------------------------- tasks

  private void start(Task task) {
    ClusterView seen = read;
    if (seen == null) {
      return;
    }
    Running each = new Running(task);
    running.add(each);
    ClusterView known = seen;
    if (world.flaws.has(Flaw.PASS_OF_ANY_RUN) && task instanceof Task.AskRun run) {
      var token = known.routing().state().tokens().get(run.node());
      each.finish(token == null ? world.node(run.node()).run() : token.run());
      return;
    }
    if (isLeftOut(task)) {
      each.finish(leftOutResult(task));
      return;
    }
    Orders orders =
        new Orders(
            term, World.CONTROL, seen.routing(), () -> "x" + term + "-" + secrets++, LIMITS, pace);
    if (world.flaws.has(Flaw.DROP_BEFORE_CLOSE) && task instanceof Task.CloseToken close) {
      // The users go first; the token is closed a moment later.
      each.follow = () -> orders.begin(close);
      each.advance(orders.begin(new Task.DropUsers(close.node(), keep(seen), close.stamp())));
      return;
    }
    if (task instanceof Task.Move) {
      slow.add(() -> each.advance(orders.begin(task))); // A walk over much takes its time.
      return;
    }
    each.advance(orders.begin(task));
  }

  private static Set<String> keep(ClusterView seen) {
    Set<String> users = new LinkedHashSet<>();
    seen.registrations().forEach(each -> users.add(each.user()));
    return users;
  }

  private boolean isLeftOut(Task task) {
    return world.flaws.has(Flaw.NO_CLEARING) && task instanceof Task.Clear
        || world.flaws.has(Flaw.NO_SEARCH) && task instanceof Task.Search
        || world.flaws.has(Flaw.NO_CLOSING)
            && (task instanceof Task.CloseToken || task instanceof Task.DropUsers)
        || world.flaws.has(Flaw.TIMEOUT_INSTEAD_OF_FENCE) && task instanceof Task.Logout
        || world.flaws.has(Flaw.RESTART_KEEPS_ALL)
            && (task instanceof Task.DropArrived || task instanceof Task.Purge);
  }

  private static Object leftOutResult(Task task) {
    return task instanceof Task.Search ? "" : (Object) 0L;
  }

  /** A task at work. */
  private final class Running {

    private final Task task;
    private final Map<String, Link> links = new TreeMap<>();
    private java.util.function.@Nullable Supplier<Step> follow;
    private int scans;
    private String asked = "";
    private String broken = "";
    private boolean over;

    Running(Task task) {
      this.task = task;
    }

    void advance(Step first) {
      Step step = first;
      asked = "";
      if (ended || over) {
        return;
      }
      if (!broken.isEmpty()) {
        fail(broken, false);
        return;
      }
      if (step instanceof Step.Scan scan) {
        step = new Step.Ask(scan.node(), scan.command(), scan::answered);
      }
      if (step instanceof Step.Ask ask) {
        if (world.flaws.has(Flaw.ONE_PASS)
            && task instanceof Task.Move
            && ask.command().get(0).equals("SCAN")
            && ++scans > 1) {
          // The walk is made to believe that nothing is left.
          advance(ask.then().apply(List.of("0", List.of())));
          return;
        }
        if (isLateFinish(ask)) {
          slow.add(() -> ask(ask));
          return;
        }
        ask(ask);
      } else if (step instanceof Step.Wait wait) {
        slow.add(() -> advance(wait.then().get()));
      } else if (step instanceof Step.Done done) {
        Supplier<Step> next = follow;
        if (next != null) {
          follow = null;
          advance(next.get());
        } else {
          finish(done.result());
        }
      } else if (step instanceof Step.Failed failed) {
        fail(failed.reason(), failed.deposed());
      }
    }

    /** A big key's copy takes its place some time later, so that there is time for trouble. */
    private boolean isLateFinish(Step.Ask ask) {
      boolean meant =
          world.flaws.has(Flaw.UNLINK_BEFORE_RENAME)
              || world.flaws.has(Flaw.NO_SEAL)
              || world.flaws.has(Flaw.SEALED_KEY_LEAVES);
      return meant && ask.command().size() > 3 && ask.command().get(3).equals("finish");
    }

    private void ask(Step.Ask ask) {
      Link link = links.get(ask.node());
      if (link == null) {
        String node = ask.node();
        String hash = ModelRedis.sha256(ModelRedis.ADMIN_PASSWORD);
        link = world.connect(node, "leader " + term, "default", hash, () -> lost(node));
        if (link == null) {
          fail("node " + node + " refuses the login", false);
          return;
        }
        link.server.database = World.CONTROL;
        links.put(node, link);
      }
      asked = ask.node();
      world.send(
          link,
          ask.command(),
          reply -> {
            Object seen = reply;
            if (world.flaws.has(Flaw.NO_TERM) && ask.command().equals(List.of("GET", Names.TERM))) {
              seen = Long.toString(term);
            }
            advance(ask.then().apply(seen));
          });
    }

    /** Before the task counts as failed, what it has sent must not be able to happen any more. */
    private void lost(String node) {
      Link link = links.remove(node);
      if (link == null || ended || over) {
        return;
      }
      if (!asked.equals(node)) {
        broken = "the connection to node " + node + " was lost"; // Told when the answer is there.
        return;
      }
      if (!link.isWaiting() || !link.node.run().equals(link.run)) {
        fail("the connection to node " + node + " was lost", false);
        return;
      }
      kill(node, link);
    }

    private void kill(String node, Link gone) {
      if (!gone.node.run().equals(gone.run)) {
        fail("the connection to node " + node + " was lost", false);
        return;
      }
      Link killer =
          world.connect(
              node,
              "leader " + term,
              "default",
              ModelRedis.sha256(ModelRedis.ADMIN_PASSWORD),
              () -> {
                if (!ended) {
                  kill(node, gone);
                }
              });
      if (killer == null) {
        throw new IllegalStateException("the administrator can't log in");
      }
      world.send(
          killer,
          List.of("CLIENT", "KILL", "ID", Long.toString(gone.server.id)),
          reply -> {
            world.close(killer);
            fail("the connection to node " + node + " was lost", false);
          });
    }

    private void finish(Object result) {
      over = true;
      running.remove(this);
      closeAll();
      if (!ended) {
        act(conductor.finished(task, result));
      }
    }

    private void fail(String reason, boolean deposed) {
      over = true;
      running.remove(this);
      closeAll();
      if (!ended) {
        act(conductor.failed(task, reason, deposed));
      }
    }

    private void closeAll() {
      new ArrayList<>(links.values()).forEach(world::close);
      links.clear();
    }
  }
}
