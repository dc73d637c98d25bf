package dev.beltway.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Scenarios as text: a line that begins with {@code >} is a command to the leader's machine, what
 * follows is what it answers. Run with {@code -Dbeltway.write=true} they are written anew, to be
 * read as a difference.
 *
 * <p>Commands: {@code tick N}; {@code done TASK NODE}; {@code fail TASK NODE reason}; {@code all}
 * (every task is done, also those that follow; only what isn't a task is shown); {@code register
 * NAME}; {@code ack ID}; {@code forget ID}; {@code change}; {@code abort}; {@code resume}; {@code
 * restart NODE}; {@code tasks}; {@code blockers}; {@code newleader}.
 */
@NullUnmarked
class ScenarioTest {

  private static final Path FOLDER = Path.of("src/test/resources/scenarios");

  @TestFactory
  Stream<DynamicTest> scenarios() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(FOLDER)) {
      files = all.sorted().toList();
    }
    assertThat(files).hasSizeGreaterThan(3);
    return files.stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check(file)));
  }

  private static void check(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    Run run = new Run();
    List<String> written = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("> ")) {
        written.add(line);
        written.addAll(run.command(line.substring(2)));
      } else if (line.isEmpty() || line.startsWith("#")) {
        written.add(line);
      }
    }
    if (Boolean.getBoolean("beltway.write")) {
      Files.write(file, written);
    } else {
      assertThat(String.join("\n", written))
          .as("%s; -Dbeltway.write=true writes it anew", file.getFileName())
          .isEqualTo(String.join("\n", lines));
    }
  }

  /** A leader with a store that it is told of at once. */
  private static final class Run {

    private final Map<Long, Placement> epochs = new TreeMap<>();
    private final Map<String, Registration> registrations = new TreeMap<>();
    private final Map<String, String> admitted = new TreeMap<>();
    private final Map<String, Integer> starts = new TreeMap<>();
    private final Set<Task> tasks = new LinkedHashSet<>();
    private Conductor conductor = new Conductor();
    private ClusterState state = ClusterState.first(1);
    private long revision;
    private long now;

    Run() {
      epochs.put(1L, ring("a", "b"));
    }

    private static Placement ring(String... ids) {
      List<Node> nodes = new ArrayList<>();
      for (String id : ids) {
        nodes.add(Node.of(id).withAddress(id + ":1"));
      }
      return Placements.of(new Topology(1, RingRule.DEFAULT, nodes));
    }

    private ClusterView view() {
      Placement from = epochs.get(state.epoch());
      RoutingState routing =
          state.next().isPresent()
              ? RoutingState.of(state, from, epochs.get(state.next().getAsLong()))
              : RoutingState.steady(state, from);
      return new ClusterView(
          routing, revision, new ArrayList<>(registrations.values()), admitted, Map.of());
    }

    private String run(String node) {
      return node + starts.computeIfAbsent(node, n -> 1);
    }

    List<String> command(String text) {
      String[] words = text.split(" ", 4);
      List<String> out = new ArrayList<>();
      switch (words[0]) {
        case "tick" -> {
          now += Long.parseLong(words[1]);
          show(conductor.tick(now), out, true);
        }
        case "done" -> {
          Task task = task(words[1], words[2]);
          tasks.remove(task);
          show(conductor.finished(task, result(task)), out, true);
        }
        case "fail" -> {
          Task task = task(words[1], words[2]);
          tasks.remove(task);
          show(conductor.failed(task, words[3], false), out, true);
        }
        case "all" -> all(out);
        case "register" -> {
          String id = "r" + (registrations.size() + 1);
          registrations.put(id, new Registration(id, words[1], "h", false, false, 0));
          out.add(id);
          learn(out);
        }
        case "ack" -> {
          Registration old = registrations.get(words[1]);
          registrations.put(
              words[1],
              new Registration(
                  old.id(), old.name(), "h", old.admitted(), old.struck(), state.version()));
          learn(out);
        }
        case "forget" -> {
          Registration old = registrations.get(words[1]);
          registrations.put(
              words[1],
              new Registration(old.id(), old.name(), "h", true, true, old.acknowledged()));
          learn(out);
        }
        case "change" -> {
          long epoch = epochs.size() + 1L;
          epochs.put(epoch, ring("a", "b", "c"));
          put(
              state.preparing(epoch, Way.STRAIGHT, new Change("add c", "me", ""), Optional.empty()),
              out);
        }
        case "abort" -> {
          if (state.phase() == Phase.FENCING) {
            put(state.unfenced(), out);
          } else {
            long epoch = epochs.size() + 1L;
            epochs.put(epoch, epochs.get(state.epoch()));
            put(state.reversing(epoch, new Change("back", "me", ""), Optional.empty()), out);
          }
        }
        case "resume" -> put(state.withPause(""), out);
        case "restart" -> starts.merge(words[1], 2, (old, one) -> old + 1);
        case "tasks" -> tasks.forEach(task -> out.add(shown(task)));
        case "blockers" -> conductor.blockers().stream().sorted().forEach(out::add);
        case "newleader" -> {
          conductor = new Conductor();
          tasks.clear();
          conductor.tick(now);
          learn(out);
        }
        default -> throw new IllegalArgumentException(text);
      }
      return out;
    }

    private void all(List<String> out) {
      for (int i = 0; i < 500 && !tasks.isEmpty(); i++) {
        Task task = tasks.iterator().next();
        tasks.remove(task);
        show(conductor.finished(task, result(task)), out, false);
      }
    }

    private void learn(List<String> out) {
      show(conductor.learned(view()), out, false);
    }

    private void put(ClusterState next, List<String> out) {
      state = next;
      revision++;
      learn(out);
    }

    private Task task(String kind, String node) {
      return tasks.stream()
          .filter(task -> task.getClass().getSimpleName().equals(kind))
          .filter(task -> task.node().equals(node))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + kind + " of " + node + " in " + tasks));
    }

    private Object result(Task task) {
      if (task instanceof Task.Probe) {
        return new NodeFacts(
            run(task.node()), "master", "7.0.15", 0, true, false, NodeFacts.Load.UNKNOWN);
      } else if (task instanceof Task.Survey) {
        return new Survey.Result(Map.of(), Map.of(), 1, List.of());
      } else if (task instanceof Task.AskRun) {
        return run(task.node());
      } else if (task instanceof Task.Move) {
        return new Walk.Result(run(task.node()), 0, List.of());
      } else if (task instanceof Task.Clear
          || task instanceof Task.Purge
          || task instanceof Task.DropArrived) {
        return 0L;
      }
      return "";
    }

    private static String shown(Task task) {
      String text = "run " + task.getClass().getSimpleName() + " " + task.node();
      if (task instanceof Task.Login login) {
        return text + " " + login.registration().id();
      } else if (task instanceof Task.OpenToken open) {
        return text + " " + open.token().text();
      } else if (task instanceof Task.TryOut tryOut) {
        return text + " " + tryOut.target();
      } else if (task instanceof Task.DropTransfers drop) {
        return text + " of " + drop.source();
      }
      return text;
    }

    private void show(List<Conductor.Action> actions, List<String> out, boolean withTasks) {
      for (Conductor.Action action : actions) {
        if (action instanceof Conductor.Action.Run each) {
          tasks.add(each.task());
          if (withTasks) {
            out.add(shown(each.task()));
          }
        } else if (action instanceof Conductor.Action.Report report) {
          out.add("report " + report.text());
        } else if (action instanceof Conductor.Action.StepDown down) {
          out.add("step down: " + down.reason());
        } else if (action instanceof Conductor.Action.Write write) {
          write(write.change(), out, withTasks);
        }
      }
    }

    private void write(Conductor.Change change, List<String> out, boolean withTasks) {
      if (change instanceof Conductor.Change.State next) {
        state = next.next();
        revision++;
        out.add(
            "write "
                + state.phase()
                + " "
                + state.version()
                + ", epoch "
                + state.epoch()
                + ": "
                + next.event()
                + (state.pause().isEmpty() ? "" : " (" + state.pause() + ")"));
      } else if (change instanceof Conductor.Change.Admit admit) {
        Registration old = Objects.requireNonNull(registrations.get(admit.registration()));
        registrations.put(
            old.id(),
            new Registration(old.id(), old.name(), "h", true, old.struck(), old.acknowledged()));
        out.add("admit " + old.id());
      } else if (change instanceof Conductor.Change.Strike strike) {
        registrations.remove(strike.registration());
        out.add("strike " + strike.registration());
      } else if (change instanceof Conductor.Change.Run admits) {
        admitted.put(admits.node(), admits.run());
        out.add("admit process " + admits.run());
      }
      show(conductor.learned(view()), out, withTasks);
    }
  }
}
