package dev.beltway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.placement.ClockwisePlacement;
import dev.beltway.placement.Placements;
import dev.beltway.plan.Difference;
import dev.beltway.topology.Node;
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
}
