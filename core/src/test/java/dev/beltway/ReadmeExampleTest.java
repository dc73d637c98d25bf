package dev.beltway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.placement.BoundedLoads;
import dev.beltway.placement.ClockwisePlacement;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.Replicas;
import dev.beltway.plan.Difference;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.Node;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The library example of README.md, word for word between the two marks; a test compares them. */
class ReadmeExampleTest {

  @Test
  void theExampleOfTheReadmeWorks() {
    // README begin
    Topology topology = Topology.ring("cache-a", "cache-b", "cache-c");
    ClockwisePlacement ring = Placements.ring(topology);

    Node owner = ring.owner("user:42");
    List<Node> three = ring.preferenceList(ring.partitioner().position("user:42"), 3);

    Topology grown = topology.plus(Node.of("cache-d").withWeight(2));
    ClockwisePlacement next = (ClockwisePlacement) Placements.of(grown, ring);
    double moved = Difference.between(ring, next).moved();
    // README end
    assertThat(owner.id()).isEqualTo("cache-b");
    assertThat(three).hasSize(3).startsWith(owner);
    assertThat(moved).isBetween(0.35, 0.45);
  }

  @Test
  void theExampleOfDecoratorsWorks() {
    // README begin
    OrderedPlacement slices =
        Placements.ordered(Topology.of(SlicesRule.DEFAULT, List.of("a", "b", "c")));

    List<Node> copies =
        Replicas.of(slices, 2, FailureDomain.ZONE).list("user:42"); // different zones first
    Node standIn =
        slices.ownerAmong("user:42", node -> !node.id().equals("b")); // the next that is up

    BoundedLoads sessions = BoundedLoads.of(slices, 1.25); // nobody above 1.25 times its share
    Node server = sessions.acquire("session-7");
    sessions.release(server);
    // README end
    assertThat(copies).hasSize(2).doesNotHaveDuplicates();
    assertThat(standIn.id()).isNotEqualTo("b");
    assertThat(sessions.total()).isZero();
  }
}
