package dev.beltway.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** What is measured beside what was planned, and what follows between two steps. */
@NullUnmarked
class DeviationTest {

  private static final Map<String, Double> PLANNED = Map.of("a", 0.5, "b", 0.5);
  private static final Placement TWO = Placements.of(Topology.ring("a", "b"));

  private static NodeFacts facts(String run, long keys, long requests) {
    return new NodeFacts(
        run, "master", "7.0.15", keys, true, false, new NodeFacts.Load(0, 0, "", requests));
  }

  @Test
  void nothingIsSaidBeforeThreeWindowsAndAHundredThousandRequests() {
    Deviation deviation = new Deviation();
    for (int window = 0; window <= 10; window++) {
      long done = window * 3_000L;
      deviation.observe(
          window * 5_000L,
          Map.of("a", facts("a1", 600, done), "b", facts("b1", 400, done)),
          PLANNED);
    }
    assertThat(deviation.isKnown()).isFalse(); // 60,000 requests.
    assertThat(deviation.byKeys()).isEmpty();
    assertThat(deviation.missing()).contains("60000 of 100000");
    deviation.observe(
        55_000, Map.of("a", facts("a1", 600, 80_000), "b", facts("b1", 400, 40_000)), PLANNED);
    assertThat(deviation.isKnown()).isTrue();
    assertThat(deviation.byKeys().get("a")).isBetween(0.199, 0.201);
    assertThat(deviation.byRequests().get("a")).isBetween(0.33, 0.34);
    deviation.observe(
        60_000, Map.of("a", facts("a2", 600, 10), "b", facts("b1", 400, 40_000)), PLANNED);
    assertThat(deviation.isKnown()).isFalse(); // A node that restarts counts from 0.
  }

  /** A conductor in the midst of a change in steps, whose nodes have these keys and requests. */
  private static List<Conductor.Change> after(long keysOfA, long requestsOfA, long requestsOfB) {
    dev.beltway.handover.Change change = new dev.beltway.handover.Change("weight", "me", "");
    Gradual gradual = new Gradual(9, List.of(3L), false, true, change);
    ClusterState state = ClusterState.first(2).withGradual(Optional.of(gradual));
    ClusterView view =
        new ClusterView(
            RoutingState.steady(state, TWO), 1, List.of(), Map.of("a", "a1", "b", "b1"), PLANNED);
    Conductor conductor = new Conductor();
    List<Conductor.Change> written = new ArrayList<>();
    List<Task> tasks = new ArrayList<>();
    take(conductor.learned(view), written, tasks);
    for (int window = 0; window < 12 && written.isEmpty(); window++) {
      take(conductor.tick((window + 1) * 5_000L), written, tasks);
      for (int i = 0; i < 40 && !tasks.isEmpty(); i++) {
        Task task = tasks.remove(0);
        long requests = window * (task.node().equals("a") ? requestsOfA : requestsOfB);
        Object result =
            task instanceof Task.Probe
                ? facts(task.node() + "1", task.node().equals("a") ? keysOfA : 1_000, requests)
                : "";
        take(conductor.finished(task, result), written, tasks);
      }
    }
    return written;
  }

  private static void take(
      List<Conductor.Action> actions, List<Conductor.Change> written, List<Task> tasks) {
    for (Conductor.Action action : actions) {
      if (action instanceof Conductor.Action.Write write) {
        written.add(write.change());
      } else if (action instanceof Conductor.Action.Run run) {
        tasks.add(run.task());
      }
    }
  }

  private static ClusterState state(List<Conductor.Change> written) {
    assertThat(written).hasSize(1);
    return ((Conductor.Change.State) written.get(0)).next();
  }

  @Test
  void keysAsPlannedLetTheNextStepBegin() {
    ClusterState next = state(after(1_050, 20_000, 20_000));
    assertThat(next.phase()).isEqualTo(Phase.PREPARING);
    assertThat(next.next().getAsLong()).isEqualTo(3);
    assertThat(next.gradual().orElseThrow().epochs()).isEmpty();
  }

  @Test
  void keysFarOffThePlanSendAllStepsBack() {
    ClusterState next = state(after(1_500, 20_000, 20_000));
    assertThat(next.next().getAsLong()).isEqualTo(9);
    assertThat(next.gradual()).isEmpty();
    assertThat(next.change().orElseThrow().what()).contains("go back").contains("+20.0 %");
  }

  @Test
  void requestsAloneNeverSendAChangeBack() {
    ClusterState next = state(after(1_000, 200_000, 20_000));
    assertThat(next.next().getAsLong()).isEqualTo(3);
  }

  @Test
  void withoutRequestsTheNextStepWaits() {
    assertThat(after(1_000, 10, 10)).isEmpty();
  }

  @Test
  void plannedSharesOfARingAreNoDeviation() {
    Deviation deviation = new Deviation();
    Map<String, Double> planned = new TreeMap<>(Map.of("a", 0.7, "b", 0.3));
    for (int window = 0; window < 5; window++) {
      Map<String, NodeFacts> facts = new HashMap<>();
      facts.put("a", facts("a1", 700, window * 70_000L));
      facts.put("b", facts("b1", 300, window * 30_000L));
      deviation.observe(window * 5_000L, facts, planned);
    }
    assertThat(deviation.byKeys().get("a")).isBetween(-0.001, 0.001);
    assertThat(deviation.byRequests().get("b")).isBetween(-0.001, 0.001);
  }
}
