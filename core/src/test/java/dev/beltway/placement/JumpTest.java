package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.hash.HashFunctions;
import dev.beltway.testing.Vectors;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

class JumpTest {

  private static final JumpRule RULE = new JumpRule(HashFunctions.XXH3_64, false);

  @Test
  void bucketsAreThePublishedOnes() {
    Vectors vectors = Vectors.read("g_jump_hash.json");
    int compared = 0;
    for (JsonNode row : vectors.rows()) {
      long key = Long.parseUnsignedLong(row.get(0).asText());
      for (int column = 1; column < row.size(); column++) {
        String name = vectors.header().get("columns").get(column).asText();
        int buckets = Integer.parseInt(name.substring("n=".length()));
        assertThat(Jump.bucket(key, buckets)).isEqualTo(row.get(column).asInt());
        compared++;
      }
    }
    assertThat(compared).isEqualTo(300 * 14);
  }

  @Test
  void theDivisionComesBeforeTheMultiplication() {
    Vectors vectors = Vectors.read("g_jump_adversarial.json");
    int published = vectors.column("published");
    for (JsonNode row : vectors.rows()) {
      long key = Long.parseUnsignedLong(row.get(0).asText());
      assertThat(Jump.bucket(key, row.get(1).asInt())).isEqualTo(row.get(published).asInt());
    }
  }

  @Test
  void onlyTheEndOfTheListChanges() {
    Topology topology = Topology.of(RULE, List.of("a", "b", "c"));
    Placement three = Placements.of(topology);
    Placement four = Placements.of(topology.plus(Node.of("d")));
    Placement two = Placements.of(topology.minus("c"));
    for (int i = 0; i < 5_000; i++) {
      String owner = three.owner("key-" + i).id();
      assertThat(four.owner("key-" + i).id()).isIn(owner, "d");
      if (!owner.equals("c")) {
        assertThat(two.owner("key-" + i).id()).isEqualTo(owner);
      }
    }
    assertThatThrownBy(() -> topology.minus("b"))
        .hasMessage(
            "jump: node b at position 1 would become c; nodes join and leave at the end of the"
                + " list only");
    assertThatThrownBy(() -> topology.minus("a")).hasMessageContaining("node a at position 0");
    assertThatThrownBy(() -> topology.withNodes(List.of(Node.of("x"), Node.of("a"), Node.of("b"))))
        .hasMessageContaining("at the end of the list only");
    assertThat(topology.with(Node.of("b").withAddress("10.0.0.1:1")).nodes()).hasSize(3);
  }
}
