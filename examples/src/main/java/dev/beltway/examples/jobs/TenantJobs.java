package dev.beltway.examples.jobs;

import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs the jobs of some thousand tenants for an hour (of made-up time): every tenant's job is due
 * every five minutes. Meanwhile a worker joins and one leaves, at the change of a minute: all see
 * the new topology before the next one. The topology's epoch belongs in the record of each run, so
 * that one by an old topology could be told and refused.
 */
public final class TenantJobs {

  private static final int TENANTS = 3_000;
  private static final int MINUTES = 60;

  private TenantJobs() {}

  /**
   * What was seen.
   *
   * @param runs jobs that were done
   * @param missed jobs that were due and nobody did
   * @param twice jobs that two workers did
   * @param movedByJoin share of the tenants with another worker when one joined
   * @param movedByLeave share of the tenants with another worker when one left
   */
  public record Seen(long runs, long missed, long twice, double movedByJoin, double movedByLeave) {}

  /** Runs it. */
  public static void main(String[] arguments) {
    Seen seen = run();
    System.out.printf(
        "%,d jobs in an hour: %d missed, %d done twice%n",
        seen.runs(), seen.missed(), seen.twice());
    System.out.printf(
        "a sixth worker joins: %.1f %% of the tenants move (a sixth is 16.7 %%); one leaves: %.1f %%%n",
        100 * seen.movedByJoin(), 100 * seen.movedByLeave());
  }

  /** Runs it. */
  public static Seen run() {
    List<String> tenants = new ArrayList<>();
    for (int i = 0; i < TENANTS; i++) {
      tenants.add("tenant-" + i);
    }
    Topology topology = Topology.ring("worker-a", "worker-b", "worker-c", "worker-d", "worker-e");
    Placement placement = Placements.of(topology);
    double[] moved = new double[2];
    long runs = 0;
    long missed = 0;
    long twice = 0;
    Map<String, Long> last = new HashMap<>();
    for (long minute = 0; minute < MINUTES; minute++) {
      if (minute == 20 || minute == 40) {
        topology = minute == 20 ? topology.plus(Node.of("worker-f")) : topology.minus("worker-c");
        Placement next = Placements.of(topology);
        moved[minute == 20 ? 0 : 1] = moved(tenants, placement, next);
        placement = next;
      }
      Set<String> done = new HashSet<>();
      for (Node node : topology.nodes()) {
        for (String tenant : new Worker(node.id(), placement).due(tenants, minute)) {
          runs++;
          twice += done.add(tenant) ? 0 : 1;
          Long before = last.put(tenant, minute);
          missed += before == null || minute - before <= 5 ? 0 : 1;
        }
      }
    }
    long due = (long) TENANTS * MINUTES / 5;
    return new Seen(runs, Math.max(missed, due - runs), twice, moved[0], moved[1]);
  }

  private static double moved(List<String> tenants, Placement before, Placement after) {
    return tenants.stream()
            .filter(each -> !before.owner(each).id().equals(after.owner(each).id()))
            .count()
        / (double) tenants.size();
  }
}
