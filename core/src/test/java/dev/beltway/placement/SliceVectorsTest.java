package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.hash.HashFunctions;
import dev.beltway.testing.Vectors;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.SliceTable;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Histories of slices as an implementation in another language computes them from docs/contract.md:
 * tables, fingerprints, owners, replicas, failover and bounded loads.
 */
class SliceVectorsTest {

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static List<String> ids(List<Node> nodes) {
    return nodes.stream().map(Node::id).toList();
  }

  @Test
  void anotherLanguageComputesTheSame() {
    Vectors vectors = Vectors.read("i_slices.json");
    List<String> keys = texts(vectors.header().get("keys"));
    Optional<SliceTable> table = Optional.empty();
    for (JsonNode row : vectors.rows()) {
      table = row.get(1).asInt() == 0 ? Optional.empty() : table;
      List<Node> nodes = new ArrayList<>();
      for (JsonNode node : row.get(3)) {
        nodes.add(
            Node.of(node.get(0).asText())
                .withWeight(node.get(1).asDouble())
                .withZone(node.get(2).asText()));
      }
      SlicesRule rule =
          new SlicesRule(HashFunctions.MD5, false, row.get(2).asDouble(), Replication.of(3), table);
      Topology topology = new Topology(0, rule, nodes);
      String where = "history " + row.get(0) + ", step " + row.get(1);
      SliceTable next = rule.tableFor(nodes);
      assertThat(next.encoded()).as(where).isEqualTo(row.get(4).asText());
      assertThat(topology.fingerprint().hex()).as(where).isEqualTo(row.get(5).asText());
      check(Placements.ordered(topology), keys, row, where);
      table = Optional.of(next);
    }
  }

  private static void check(
      OrderedPlacement placement, List<String> keys, JsonNode row, String where) {
    Replicas replicas = Replicas.of(placement);
    List<String> owners = ids(placement.owners());
    List<String> down = owners.size() > 1 ? owners.subList(0, 1) : List.of();
    long[] positions =
        keys.stream()
            .mapToLong(k -> placement.partitioner().position(k.getBytes(StandardCharsets.UTF_8)))
            .toArray();
    BoundedAssignment bounded = BoundedAssignment.of(placement, 1.25, positions);
    for (int i = 0; i < positions.length; i++) {
      String which = where + ", key " + keys.get(i);
      assertThat(placement.ownerAt(positions[i]).id())
          .as(which)
          .isEqualTo(row.get(6).get(i).asText());
      assertThat(ids(replicas.list(positions[i]))).as(which).isEqualTo(texts(row.get(7).get(i)));
      assertThat(placement.ownerAmong(positions[i], node -> !down.contains(node.id())).id())
          .as(which)
          .isEqualTo(row.get(8).get(i).asText());
      assertThat(bounded.node(i).id()).as(which).isEqualTo(row.get(9).get(i).asText());
    }
  }
}
