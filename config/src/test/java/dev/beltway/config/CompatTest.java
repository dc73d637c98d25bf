package dev.beltway.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The topologies in examples/compat against what real libmemcached, twemproxy, nginx and HAProxy
 * answered, key by key and point by point. Prints the figures of a run.
 */
class CompatTest {

  private static final Path COMPAT = Path.of("../examples/compat");

  /** One configuration of a file of vectors: its column, and the topology that stands for it. */
  record Case(String folder, String vectors, String column, String file) {

    Path path() {
      return COMPAT.resolve(folder).resolve(file + ".yaml");
    }

    @Override
    public String toString() {
      return folder + "/" + file;
    }
  }

  private static final Map<String, JsonNode> READ = new TreeMap<>();

  private static JsonNode vectors(String name) {
    return READ.computeIfAbsent(
        name,
        file -> {
          try (InputStream in = CompatTest.class.getResourceAsStream("/vectors/" + file)) {
            return new ObjectMapper().readTree(in);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    add(cases, "libmemcached", "c_libmemcached_ketama.json");
    add(cases, "twemproxy", "d_twemproxy_ketama.json");
    add(cases, "nginx", "e_nginx_consistent.json");
    add(cases, "haproxy", "f_haproxy_consistent.json");
    add(cases, "workflow", "a_stdhash_workflow.json");
    return cases;
  }

  private static void add(List<Case> cases, String folder, String vectors) {
    for (JsonNode column : vectors(vectors).get("header").get("columns")) {
      String name = column.asText();
      if (!name.equals("key") && !name.equals("std_hash")) {
        String file = name.replace("/tag{}", "/tags").replace('/', '-').replace(" c=", "-c");
        cases.add(new Case(folder, vectors, name, file));
      }
    }
  }

  @Test
  void eachConfigurationHasATopologyAndEachTopologyAConfiguration() throws IOException {
    try (Stream<Path> files = Files.walk(COMPAT)) {
      assertThat(files.filter(file -> file.toString().endsWith(".yaml")).toList())
          .containsExactlyInAnyOrderElementsOf(cases().stream().map(Case::path).toList());
    }
    assertThat(cases()).hasSize(156);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyKeyHasTheOwnerThatTheOtherSystemGivesIt(Case tested) throws ConfigFileException {
    Topology topology = TopologyFiles.read(tested.path());
    Placement placement = Placements.of(topology);
    JsonNode vectors = vectors(tested.vectors());
    int column = column(vectors, tested.column());
    int differences = 0;
    for (JsonNode row : vectors.get("rows")) {
      Node owner = placement.owner(row.get(0).asText());
      // Most files tell the server's place in the list, the article rings its address.
      String expected =
          row.get(column).isInt()
              ? topology.nodes().get(row.get(column).asInt()).id()
              : topology.nodes().stream()
                  .filter(node -> node.address().orElse("").equals(row.get(column).asText()))
                  .findFirst()
                  .orElseThrow()
                  .id();
      differences += owner.id().equals(expected) ? 0 : 1;
    }
    assertThat(differences).isZero();
    System.out.printf(
        Locale.ROOT, "compat: %s: %d keys, 0 differences%n", tested, vectors.get("rows").size());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void pointsAreThoseOfTheOtherSystem(Case tested)
      throws ConfigFileException, NoSuchAlgorithmException {
    JsonNode header = vectors(tested.vectors()).get("header");
    if (!header.has("configs")
        || !header.get("configs").get(tested.column()).has("points_sha256")) {
      return; // HAProxy's and Workflow's points are not in the vectors.
    }
    Topology topology = TopologyFiles.read(tested.path());
    JsonNode config = header.get("configs").get(tested.column());
    Map<String, Integer> points = topology.holdings();
    boolean anyDrained = topology.nodes().stream().anyMatch(Node::isDrained);
    for (int i = 0; i < topology.nodes().size(); i++) {
      Node node = topology.nodes().get(i);
      // A server that nginx has as down keeps its points there; here it is drained.
      assertThat(points.get(node.id()))
          .isEqualTo(node.isDrained() ? 0 : config.get("points_per_server").get(i).asInt());
    }
    RangedPlacement placement = (RangedPlacement) Placements.of(topology);
    List<String> listed = topology.nodes().stream().map(Node::id).toList();
    StringBuilder continuum = new StringBuilder();
    placement
        .tokenMap()
        .forEachToken(
            (token, owner) ->
                continuum.append(
                    String.format(
                        Locale.ROOT,
                        "%08x %d\n",
                        token >>> 32,
                        listed.indexOf(placement.owners().get(owner).id()))));
    byte[] digest =
        MessageDigest.getInstance("SHA-256")
            .digest(continuum.toString().getBytes(StandardCharsets.US_ASCII));
    if (!anyDrained) {
      assertThat(HexFormat.of().formatHex(digest)).isEqualTo(config.get("points_sha256").asText());
    }
  }

  private static int column(JsonNode vectors, String name) {
    JsonNode columns = vectors.get("header").get("columns");
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).asText().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no column " + name);
  }
}
