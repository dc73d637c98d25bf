package dev.beltway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the clients of other languages must read alike and must refuse, the library does too. */
class ClientVectorsTest {

  private static final Path VECTORS =
      Path.of(System.getProperty("beltway.root", "..")).resolve("clients/vectors.json");

  /** Two that the clients refuse because they know one algorithm with one hash. */
  private static boolean isBeyondTheClients(JsonNode topology) {
    JsonNode rule = topology.path("placement");
    return !rule.path("algorithm").asText().equals("ring") || rule.has("hash");
  }

  @Test
  void theLibraryReadsThemLikeTheClients() throws Exception {
    JsonNode all = new ObjectMapper().readTree(VECTORS.toFile());
    assertThat(all.path("good")).hasSizeGreaterThanOrEqualTo(3);
    for (JsonNode each : all.path("good")) {
      Topology topology = TopologyFiles.parse("vectors.json", bytes(each.path("topology")));
      assertThat(topology.fingerprint().hex()).isEqualTo(each.path("fingerprint").asText());
      Placement placement = Placements.of(topology);
      for (Map.Entry<String, JsonNode> owner : each.path("owners").properties()) {
        assertThat(placement.owner(owner.getKey()).id()).isEqualTo(owner.getValue().asText());
      }
    }
    assertThat(all.path("bad")).hasSizeGreaterThanOrEqualTo(10);
    for (JsonNode each : all.path("bad")) {
      if (!isBeyondTheClients(each)) {
        assertThatThrownBy(() -> TopologyFiles.parse("vectors.json", bytes(each)))
            .as(each.toString())
            .isInstanceOf(ConfigFileException.class);
      }
    }
  }

  private static byte[] bytes(JsonNode node) {
    return node.toString().getBytes(StandardCharsets.UTF_8);
  }
}
