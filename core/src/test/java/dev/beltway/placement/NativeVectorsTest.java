package dev.beltway.placement;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.hash.HashFunctions;
import dev.beltway.testing.Vectors;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.Node;
import dev.beltway.topology.NodeId;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The default contract against an independent model: {@code h_native_*}, {@code b_redis_keyslot}.
 */
class NativeVectorsTest {

  private static Topology topology(JsonNode config) {
    List<Node> nodes = new ArrayList<>();
    if (config.isArray()) {
      config.forEach(n -> nodes.add(Node.of(n.get(0).asText()).withVnodes(n.get(1).asInt())));
    } else {
      for (int i = 0; i < 100; i++) {
        nodes.add(Node.of(String.format("n%03d", i)).withVnodes(100));
      }
    }
    return new Topology(0, RingRule.DEFAULT, nodes);
  }

  private static Map<String, ClockwisePlacement> rings(JsonNode configs, String nodesField) {
    Map<String, ClockwisePlacement> rings = new TreeMap<>();
    configs
        .properties()
        .forEach(
            config -> {
              JsonNode nodes =
                  nodesField.isEmpty() ? config.getValue() : config.getValue().get(nodesField);
              rings.put(config.getKey(), Placements.ring(topology(nodes)));
            });
    return rings;
  }

  @Test
  void ownersAndPreferenceLists() {
    Vectors vectors = Vectors.read("h_native_ring.json");
    Map<String, ClockwisePlacement> rings = rings(vectors.header().get("configs"), "nodes");
    int compared = 0;
    for (JsonNode row : vectors.rows()) {
      String key = row.get(0).asText();
      assertThat(HashFunctions.XXH3_64.position(key)).isEqualTo(Vectors.hex(row.get(1)));
      for (Map.Entry<String, ClockwisePlacement> ring : rings.entrySet()) {
        List<String> expected = new ArrayList<>();
        row.get(vectors.column("replicas:" + ring.getKey()))
            .forEach(id -> expected.add(id.asText()));
        long position = ring.getValue().partitioner().position(key);
        assertThat(ring.getValue().preferenceList(position, 3).stream().map(Node::id).toList())
            .as("%s on %s", key, ring.getKey())
            .isEqualTo(expected);
        assertThat(ring.getValue().owner(key).id()).isEqualTo(expected.get(0));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(301 * 8);
  }

  @Test
  void allTokensInRingOrder() throws Exception {
    Vectors vectors = Vectors.read("h_native_ring.json");
    for (Map.Entry<String, ClockwisePlacement> ring :
        rings(vectors.header().get("configs"), "nodes").entrySet()) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      List<Node> owners = ring.getValue().owners();
      ring.getValue()
          .tokenMap()
          .forEachToken(
              (token, owner) ->
                  digest.update(
                      String.format("%016x %s\n", token, owners.get(owner).id())
                          .getBytes(StandardCharsets.UTF_8)));
      assertThat(HexFormat.of().formatHex(digest.digest()))
          .as(ring.getKey())
          .isEqualTo(
              vectors.header().get("configs").get(ring.getKey()).get("ring_sha256").asText());
    }
  }

  @Test
  void tokensOfThreeNodes() {
    Vectors vectors = Vectors.read("h_native_tokens_C3.json");
    List<String> expected = new ArrayList<>();
    vectors.rows().forEach(row -> expected.add(row.get(0).asText() + " " + row.get(1).asText()));
    ClockwisePlacement ring = Placements.ring(Topology.ring("node-a", "node-b", "node-c"));
    List<String> actual = new ArrayList<>();
    ring.tokenMap()
        .forEachToken(
            (token, owner) ->
                actual.add(String.format("%016x %s", token, ring.owners().get(owner).id())));
    assertThat(actual).isEqualTo(expected);
  }

  @Test
  void bulkLoadsAndMigrations() throws Exception {
    Vectors vectors = Vectors.read("h_native_bulk.json");
    Map<String, ClockwisePlacement> rings = rings(vectors.header().get("configs"), "");
    for (JsonNode row : vectors.rows()) {
      ClockwisePlacement ring = requireNonNull(rings.get(row.get(0).asText()));
      StringBuilder owners = new StringBuilder();
      Map<String, Integer> load = new TreeMap<>();
      for (int i = 0; i < 100_000; i++) {
        String owner = ring.owner("key-" + i).id();
        owners.append(i == 0 ? "" : "\n").append(owner);
        load.merge(owner, 1, Integer::sum);
      }
      if (row.get(1).isArray()) {
        List<Integer> expected = new ArrayList<>();
        row.get(1).forEach(n -> expected.add(n.asInt()));
        assertThat(ring.topology().nodes().stream().map(n -> load.get(n.id())).toList())
            .isEqualTo(expected);
      }
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(owners.toString().getBytes(StandardCharsets.UTF_8));
      assertThat(HexFormat.of().formatHex(digest)).isEqualTo(row.get(4).asText());
    }
    for (JsonNode migration : vectors.header().get("migrations")) {
      ClockwisePlacement from = requireNonNull(rings.get(migration.get("from").asText()));
      ClockwisePlacement to = requireNonNull(rings.get(migration.get("to").asText()));
      int moved = 0;
      for (int i = 0; i < 100_000; i++) {
        moved += from.owner("key-" + i).id().equals(to.owner("key-" + i).id()) ? 0 : 1;
      }
      assertThat(moved).isEqualTo(migration.get("moved").asInt());
    }
  }

  @Test
  void ringsOfExplicitTokens() {
    Vectors vectors = Vectors.read("h_native_synthetic.json");
    for (JsonNode row : vectors.rows()) {
      JsonNode points = vectors.header().get("rings").get(row.get(0).asText());
      List<String> ids = new ArrayList<>();
      points.forEach(p -> ids.add(p.get(1).asText()));
      List<String> sorted = ids.stream().distinct().sorted(NodeId.UTF8_ORDER).toList();
      int[] counts = new int[sorted.size()];
      List<Long> tokens = new ArrayList<>();
      for (int owner = 0; owner < sorted.size(); owner++) {
        for (JsonNode point : points) {
          if (point.get(1).asText().equals(sorted.get(owner))) {
            tokens.add(Vectors.hex(point.get(0)));
            counts[owner]++;
          }
        }
      }
      TokenMap map = TokenMap.of(tokens.stream().mapToLong(t -> t).toArray(), counts);
      long position = Vectors.hex(row.get(1));
      assertThat(sorted.get(map.ownerAt(position))).as("%s", row).isEqualTo(row.get(2).asText());
      int[] walk = new int[3];
      int found = map.walk(position, walk);
      List<String> expected = new ArrayList<>();
      row.get(3).forEach(id -> expected.add(id.asText()));
      assertThat(Arrays.stream(walk, 0, found).mapToObj(sorted::get).toList()).isEqualTo(expected);
    }
  }

  @Test
  void redisSlots() {
    Vectors vectors = Vectors.read("b_redis_keyslot.json");
    for (JsonNode row : vectors.rows()) {
      long position = SlotsRule.REDIS.partitioner().position(row.get(0).asText());
      assertThat(position >>> 50).as(row.get(0).asText()).isEqualTo(row.get(1).asLong());
      assertThat(dev.beltway.token.Partitioner.slotAt(position, 16384))
          .isEqualTo(row.get(1).asInt());
    }
  }
}
