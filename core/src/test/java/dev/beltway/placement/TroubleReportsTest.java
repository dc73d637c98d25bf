package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.balance.Finding;
import dev.beltway.balance.Lint;
import dev.beltway.balance.LoadReport;
import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;
import dev.beltway.plan.Difference;
import dev.beltway.plan.Limits;
import dev.beltway.plan.Plan;
import dev.beltway.plan.Planner;
import dev.beltway.plan.Sizing;
import dev.beltway.plan.StepSize;
import dev.beltway.testing.RingModel;
import dev.beltway.testing.Seeded;
import dev.beltway.token.HashTag;
import dev.beltway.token.Partitioner;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Peer;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of similar products ran into, each case widened to its kind. Named by case. */
class TroubleReportsTest {

  static List<PlacementRule> rules() {
    return List.of(
        RingRule.DEFAULT,
        RingRule.DEFAULT.withHash(HashFunctions.MURMUR3_32),
        SlotsRule.REDIS,
        new ModuloRule(HashFunctions.XXH3_64, false));
  }

  // C01: the order of the node list changes the mapping.

  @Test
  void c01AnyOrderOfTheListGivesTheSameOwnersAndReplicas() {
    List<String> forward = IntStream.range(0, 10).mapToObj(i -> "node-" + i).toList();
    List<String> backward = new ArrayList<>(forward);
    Collections.reverse(backward);
    List<String> shuffled = new Seeded(1).shuffled(forward);
    List<String> copied = forward.stream().map(id -> id.substring(0, 1) + id.substring(1)).toList();
    ClockwisePlacement first = Placements.ring(Topology.of(RingRule.DEFAULT, forward));
    for (List<String> order : List.of(backward, shuffled, copied)) {
      ClockwisePlacement other = Placements.ring(Topology.of(RingRule.DEFAULT, order));
      assertThat(Difference.between(first, other).moved()).isZero();
      Seeded random = new Seeded(2);
      for (int i = 0; i < 3_000; i++) {
        long position = first.partitioner().position(i == 0 ? "foo" : random.nextKey(30));
        assertThat(other.preferenceList(position, 3)).isEqualTo(first.preferenceList(position, 3));
      }
    }
  }

  @Test
  void c01WhereOrderMattersReorderingIsAMoveOfData() {
    ModuloRule rule = new ModuloRule(HashFunctions.CRC32, false);
    Topology topology = Topology.of(rule, List.of("a", "b", "c"));
    Topology reordered = Topology.of(rule, List.of("b", "a", "c"));
    double moved = Difference.between(Placements.of(topology), Placements.of(reordered)).moved();
    assertThat(moved).isBetween(0.65, 0.68);
    assertThat(reordered.fingerprint()).isNotEqualTo(topology.fingerprint());
  }

  // C02: wrap-around at both ends.

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, -1, -2, -3, Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE + 1})
  void c02EveryTokenOwnsItselfAndWhatLiesBeforeIt(long lowest) {
    Seeded random = new Seeded(lowest);
    for (int round = 0; round < 200; round++) {
      long other = random.oneIn(2) ? random.nextLong() : lowest + random.between(-3, 3);
      if (other == lowest) {
        continue;
      }
      TokenMap map = TokenMap.of(new long[] {lowest, other}, new int[] {1, 1});
      assertThat(map.ownerAt(lowest)).isZero();
      assertThat(map.ownerAt(other)).isEqualTo(1);
      assertThat(map.ownerAt(lowest + 1)).isEqualTo(1);
      assertThat(map.ownerAt(other + 1)).isZero();
    }
  }

  @Test
  void c02KeysPastBothEndsAndKeysThatEqualALabelBelongWhereTheModelPutsThem() {
    Map<String, Integer> vnodes = new HashMap<>();
    List<String> ids = List.of("192.168.1.101:11210", "b", "c");
    ids.forEach(id -> vnodes.put(id, 5));
    ClockwisePlacement ring =
        Placements.ring(
            Topology.of(RingRule.DEFAULT, ids)
                .with(Node.of("b").withVnodes(5))
                .with(Node.of("c").withVnodes(5))
                .with(Node.of("192.168.1.101:11210").withVnodes(5)));
    RingModel model = new RingModel(vnodes);
    for (String id : ids) {
      for (int i = 0; i < 5; i++) {
        assertThat(ring.owner(id + "#" + i).id()).isEqualTo(id);
      }
    }
    // With 15 tokens, 1 key in 16 lies past an end of the ring.
    for (int i = 0; i < 5_000; i++) {
      assertThat(ring.owner("wrap-" + i).id()).isEqualTo(model.owner("wrap-" + i));
    }
  }

  // C03: empty, one node, removal of the last and of unknown nodes.

  @ParameterizedTest
  @MethodSource("rules")
  void c03NodesComeAndGoWithoutSurprise(PlacementRule rule) {
    assertThatThrownBy(() -> Placements.of(Topology.of(rule, List.of())).owner("hello"))
        .isInstanceOf(NoNodesException.class);

    Placement one = Placements.of(Topology.of(rule, List.of("n1")));
    for (int i = 0; i < 1_000; i++) {
      assertThat(one.owner("key-" + i).id()).isEqualTo("n1");
    }

    Topology five =
        Topology.of(rule, List.of("shard-1", "shard-2", "shard-3"))
            .plus(Node.of("shard-4"))
            .plus(Node.of("shard-5"));
    Map<String, String> first = owners(five);
    Topology topology = five.minus("shard-4").minus("shard-5");
    Map<String, String> three = owners(topology);
    assertThatThrownBy(() -> topology.minus("nope"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("node \"nope\" is not in the topology of epoch 4");
    assertThat(owners(topology)).isEqualTo(three);
    assertThatThrownBy(() -> topology.plus(Node.of("shard-1")))
        .hasMessage("id shard-1 stands twice");

    Topology none = topology.minus("shard-1").minus("shard-2").minus("shard-3");
    Placement empty = Placements.of(none, Placements.of(topology));
    assertThatThrownBy(() -> empty.owner("hello")).isInstanceOf(NoNodesException.class);
    Topology again = none;
    Placement placement = empty;
    for (int i = 1; i <= 5; i++) {
      again = again.plus(Node.of("shard-" + i));
      placement = Placements.of(again, placement);
    }
    assertThat(owners(again)).isEqualTo(first);
    assertThat(Difference.between(placement, Placements.of(five)).moved()).isZero();
  }

  private static Map<String, String> owners(Topology topology) {
    Placement placement = Placements.of(topology);
    Map<String, String> owners = new HashMap<>();
    for (int i = 0; i < 500; i++) {
      owners.put("key-" + i, placement.owner("key-" + i).id());
    }
    return owners;
  }

  // C04: name and point number run together.

  @Test
  void c04NoNodeLosesPointsToANodeWithASimilarName() {
    for (List<String> ids :
        List.of(
            List.of("s1:1", "s1:11", "s2:2", "s2:5"),
            List.of("a", "a-1", "a-1-1"),
            List.of("a", "a#1", "a#1#1", "a#"),
            List.of("1", "11", "111", "#1"))) {
      ClockwisePlacement ring = Placements.ring(Topology.of(RingRule.DEFAULT.withVnodes(100), ids));
      assertThat(ring.tokenMap().counts()).containsOnly(100);
      assertThat(ring.tokenMap().collisions()).isZero();
      Map<String, Integer> load = new HashMap<>();
      for (int key = 20_000_000; key < 21_000_000; key += 10) {
        load.merge(ring.owner("" + key).id(), 1, Integer::sum);
      }
      double fair = 100_000.0 / ids.size();
      load.values().forEach(count -> assertThat(count / fair).isBetween(0.70, 1.30));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "#1", "-0", "\u0661", "#\n", "\ud800", "\u2028"})
  void c04SeparatorsThatCouldMakeLabelsCoincideAreRefused(String separator) {
    assertThatThrownBy(
            () -> new RingRule(HashFunctions.XXH3_64, 1, 1, separator, false, Replication.of(1), 9))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("separator");
  }

  // C08: hash tags.

  @ParameterizedTest
  @CsvSource({
    "123456789, 12739",
    "foo, 12182",
    "bar, 5061",
    "foo{bar}zap, 5061",
    "foo{bar}{zap}, 5061",
    "foo{{bar}}zap, 4015",
    "foo{}{bar}, 8363",
    "user:{42}:profile, 8000",
    "user:{42}:orders, 8000",
    "'', 0"
  })
  void c08SlotsOfHashTags(String key, int slot) {
    Partitioner slots = SlotsRule.REDIS.partitioner();
    assertThat(Partitioner.slotAt(slots.position(key), 16_384)).isEqualTo(slot);
    byte[] inside = ("xx" + key + "}").getBytes(StandardCharsets.UTF_8);
    int length = key.getBytes(StandardCharsets.UTF_8).length;
    assertThat(Partitioner.slotAt(slots.position(inside, 2, length), 16_384)).isEqualTo(slot);
  }

  @ParameterizedTest
  @CsvSource({
    "a{b}c, b",
    "{b}, b",
    "a}{b}, b",
    "}{b, }{b",
    "{}, {}",
    "{}{b}, {}{b}",
    "a{{b}}, {b",
    "a{b, a{b",
    "{{}, {",
    "{}}, {}}",
    "{ }, ' '",
    "x{节点}y, 节点",
    "{a}{b}, a"
  })
  void c08TheTagIsTheSameForStringsAndBytesInEveryAlgorithm(String key, String tag) {
    assertThat(HashTag.of(key)).isEqualTo(tag);
    assertThat(HashTag.of(key.getBytes(StandardCharsets.UTF_8))).isEqualTo(tag);
    for (Partitioner partitioner :
        List.of(Partitioner.of(HashFunctions.XXH3_64, true), Partitioner.slots(1000, true))) {
      Partitioner without = new Partitioner(partitioner.hash(), false, partitioner.slots());
      assertThat(partitioner.position(key)).isEqualTo(without.position(tag));
    }
  }

  @Test
  void c08TagsOfStringsAndBytesAgreeWhateverTheBraces() {
    Seeded random = new Seeded(8);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder key = new StringBuilder();
      for (int n = random.nextInt(10); n > 0; n--) {
        key.append("{}ab\u00e9\u8282".charAt(random.nextInt(6)));
      }
      byte[] bytes = key.toString().getBytes(StandardCharsets.UTF_8);
      assertThat(HashTag.of(bytes)).isEqualTo(HashTag.of(key.toString()));
    }
  }

  // C12: a very light node.

  @Test
  void c12AVeryLightNodeHasPointsAndReplicasAreStillThreeNodes() {
    for (double scale : new double[] {1, 1 / 1024.0}) {
      Topology topology =
          new Topology(
              0,
              new RingRule(HashFunctions.XXH3_64, 200, 1, "#", false, Replication.of(3), 1_000_000),
              List.of(
                  Node.of("big-1").withWeight(1024 * scale),
                  Node.of("big-2").withWeight(1024 * scale),
                  Node.of("small").withWeight(5 * scale)));
      ClockwisePlacement ring = Placements.ring(topology);
      double share = LoadReport.of(ring).node("small").orElseThrow().share();
      assertThat(share).isGreaterThan(0).isLessThan(0.012);
      for (int i = 0; i < 20_000; i++) {
        assertThat(ring.preferenceList(ring.partitioner().position("item:" + i), 3))
            .hasSize(3)
            .doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void c12AFloorThatRaisesALightNodeIsNamed() {
    Topology topology =
        Topology.ring("big-1", "big-2").plus(Node.of("small").withWeight(5 / 1024.0));
    assertThat(Lint.check(topology))
        .filteredOn(f -> f.rule().equals("raised-by-floor"))
        .singleElement()
        .extracting(Finding::reason)
        .asString()
        .contains("small")
        .contains("10 tokens");
  }

  @Test
  void c12ASlotTableGivesEveryNodeWithAWeightASlot() {
    Topology topology =
        new Topology(
            0,
            SlotsRule.REDIS,
            List.of(
                Node.of("big-1").withWeight(1_000_000),
                Node.of("big-2").withWeight(1_000_000),
                Node.of("small").withWeight(0.001)));
    assertThat(topology.holdings().get("small")).isEqualTo(1);
  }

  // C13: weight zero, all zero, nonsense.

  @Test
  void c13WeightZeroOwnsNothingAndOnlyItsKeysMoveWhenItComesBack() {
    for (PlacementRule rule : List.of(RingRule.DEFAULT, SlotsRule.REDIS)) {
      Topology without =
          new Topology(0, rule, List.of(Node.of("a").withWeight(100), Node.of("b").withWeight(0)));
      Placement before = Placements.of(without);
      for (int i = 0; i < 2_000; i++) {
        assertThat(before.owner("key-" + i).id()).isEqualTo("a");
      }
      Difference difference =
          Difference.between(before, Placements.of(without.with(Node.of("b").withWeight(100))));
      assertThat(difference.moved()).isBetween(0.45, 0.55);
      assertThat(difference.flows()).allMatch(flow -> flow.to().equals("b"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {
        -1,
        -0.5,
        1e308,
        2147483648.0,
        1_000_000.1,
        1e-7,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.MIN_VALUE
      })
  void c13NonsenseWeightsAreRefusedWithTheRange(double weight) {
    assertThatThrownBy(() -> Node.of("a").withWeight(weight))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("weight ")
        .hasMessageContaining("0, or a number from 0.000001 to 1000000");
  }

  @Test
  void c13AFractionalWeightWorksInProportion() {
    RingRule rule = RingRule.DEFAULT;
    assertThat(rule.vnodesOf(Node.of("a").withWeight(1.5))).isEqualTo(225);
    assertThat(rule.vnodesOf(Node.of("a").withWeight(0.99))).isEqualTo(149);
    assertThat(rule.vnodesOf(Node.of("a").withWeight(0.01))).isEqualTo(10);
    assertThat(rule.vnodesOf(Node.of("a").withWeight(-0.0))).isZero();
    assertThat(rule.vnodesOf(Node.of("a").withVnodes(3))).isEqualTo(3);
  }

  // C05 and its kind: points that are equal.

  @ParameterizedTest
  @MethodSource("rulesWithEqualPoints")
  void c05OfEqualPointsOneOwnsAndWhichOneIsSaid(PlacementRule rule) {
    // Two servers of the same name make the same points: nothing is lost, nothing is split.
    Node first = Node.of("first").withPeer(Peer.named("same"));
    Node second = Node.of("second").withPeer(Peer.named("same"));
    String winner =
        rule instanceof KetamaRule ketama && ketama.variant() == KetamaVariant.SPYMEMCACHED_JAVA
            ? "second" // A sorted map keeps what is put last.
            : "first";
    Placement placement = Placements.of(new Topology(0, rule, List.of(first, second)));
    for (int i = 0; i < 2_000; i++) {
      assertThat(placement.owner("key-" + i).id()).isEqualTo(winner);
    }
    if (placement instanceof OrderedPlacement ordered) {
      // Whoever owns nothing doesn't count where loads are bounded.
      BoundedAssignment all = BoundedAssignment.of(ordered, 1, 1, 2, 3, 4, 5);
      for (int i = 0; i < 5; i++) {
        assertThat(all.node(i).id()).isIn(winner, ordered.owners().size() == 1 ? winner : "second");
      }
    }
    String other = winner.equals("first") ? "second" : "first";
    assertThat(Lint.check(placement.topology()))
        .filteredOn(finding -> finding.rule().equals("owns-nothing"))
        .singleElement()
        .extracting(Finding::reason)
        .asString()
        .contains(other);
  }

  static List<PlacementRule> rulesWithEqualPoints() {
    List<PlacementRule> rules = new ArrayList<>();
    for (KetamaVariant variant : KetamaVariant.values()) {
      rules.add(KetamaRule.of(variant));
    }
    rules.add(NginxRule.DEFAULT);
    rules.add(WorkflowRule.DEFAULT);
    return rules;
  }

  @Test
  void c05TheSixHundredAndFortyPointsOfFourServers() throws java.io.IOException {
    Topology topology =
        ketama(
            KetamaVariant.LIBMEMCACHED_WEIGHTED,
            "md5",
            "192.168.1.101:11210",
            "192.168.1.102:11210",
            "192.168.1.103:11210",
            "192.168.1.104:11210");
    RangedPlacement placement = (RangedPlacement) Placements.of(topology);
    List<String> points = new ArrayList<>();
    placement
        .tokenMap()
        .forEachToken(
            (token, owner) ->
                points.add(
                    (token >>> 32) + "\t" + placement.owners().get(owner).address().orElseThrow()));
    try (var in = TroubleReportsTest.class.getResourceAsStream("/vectors/ketama_640_points.tsv")) {
      assertThat(points)
          .isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
    JsonNode lookups = shares().get("ketama_md5_equal").get("lookups");
    lookups
        .properties()
        .forEach(
            entry ->
                assertThat(placement.owner(entry.getKey()).address().orElseThrow())
                    .isEqualTo(entry.getValue().get("owner").asText()));
    // A key that equals a label hashes exactly onto that label's first point.
    for (Node node : topology.nodes()) {
      for (int i = 0; i < 40; i++) {
        assertThat(placement.owner(node.address().orElseThrow() + "-" + i)).isEqualTo(node);
      }
    }
  }

  private static JsonNode shares() throws java.io.IOException {
    try (var in = TroubleReportsTest.class.getResourceAsStream("/vectors/share_vectors.json")) {
      return new ObjectMapper().readTree(in);
    }
  }

  private static Topology ketama(KetamaVariant variant, String keyHash, String... addresses) {
    List<Node> nodes = new ArrayList<>();
    for (String address : addresses) {
      Node node = Node.of("node-" + nodes.size());
      nodes.add(
          address.contains(":") ? node.withAddress(address) : node.withPeer(Peer.named(address)));
    }
    HashFunction hash = variant.keyHashes().getOrDefault(keyHash, variant.defaultKeyHash());
    assertThat(PeerHashes.shortName(hash)).isEqualTo(keyHash);
    return new Topology(0, new KetamaRule(variant, hash, false, Replication.NONE), nodes);
  }

  // C07: short keys on one server; a 15-bit hash starves the pool.

  @Test
  void c07ShortKeysAllOnOneServer() {
    Placement pool =
        Placements.of(
            ketama(KetamaVariant.TWEMPROXY, "fnv1a_64", "127.0.0.1:11212", "127.0.0.1:11213"));
    for (String key : List.of("a", "b", "c", "d", "e", "f", "1", "2")) {
      assertThat(pool.owner(key).address()).contains("127.0.0.1:11212");
    }
  }

  @Test
  void c07AFifteenBitHashGivesEverythingToOneServerAndThatIsSaid() {
    Topology topology =
        ketama(KetamaVariant.TWEMPROXY, "crc32", "server1", "server2", "server3", "server4");
    Placement pool = Placements.of(topology);
    Placement whole =
        Placements.of(
            ketama(KetamaVariant.TWEMPROXY, "crc32a", "server1", "server2", "server3", "server4"));
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      assertThat(pool.owner("key-" + i).peer().name()).contains("server3");
      counts.merge(whole.owner("key-" + i).id(), 1, Integer::sum);
    }
    assertThat(counts.values()).allMatch(count -> count >= 24_033 && count <= 26_138);
    assertThat(counts.values()).contains(24_033, 26_138);
    // The report must not believe the ring, which is even.
    LoadReport load = LoadReport.of(pool);
    assertThat(load.exact()).isFalse();
    assertThat(load.node("node-2").orElseThrow().share()).isEqualTo(1);
    assertThat(Lint.check(topology))
        .filteredOn(finding -> finding.rule().equals("starving-hash"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.reason()).contains("node-2 gets 100.0 %"))
        .satisfies(finding -> assertThat(finding.remedy()).contains("crc32a"));
    Plan plan =
        new Planner(topology, topology)
            .plan(
                Sizing.UNKNOWN, StepSize.DEFAULT, Limits.NONE, Optional.empty(), Optional.empty());
    assertThat(plan.warnings()).anyMatch(w -> w.contains("leaves most of the ring empty"));
    assertThat(plan.warnings()).anyMatch(w -> w.contains("node-0 owns nothing"));
  }

  // C12 in ketama: a light server has no points at all.

  @Test
  void c12KetamaGivesAVeryLightServerNothingAndThatIsSaid() throws java.io.IOException {
    shares()
        .get("ketama_points_by_weight")
        .properties()
        .forEach(
            entry -> {
              String[] weights = entry.getKey().replaceAll("[\\[\\] ]", "").split(",");
              List<Node> nodes = new ArrayList<>();
              for (String weight : weights) {
                nodes.add(Node.of("node-" + nodes.size()).withWeight(Integer.parseInt(weight)));
              }
              Map<String, Integer> points = KetamaRule.of(KetamaVariant.TWEMPROXY).holdings(nodes);
              for (int i = 0; i < weights.length; i++) {
                assertThat(points).containsEntry("node-" + i, entry.getValue().get(i).asInt());
              }
            });
    Topology topology =
        new Topology(
            0,
            KetamaRule.of(KetamaVariant.TWEMPROXY),
            List.of(
                Node.of("big-1").withWeight(1024),
                Node.of("big-2").withWeight(1024),
                Node.of("small").withWeight(5)));
    OrderedPlacement pool = Placements.ordered(topology);
    assertThat(pool.owners()).hasSize(2);
    assertThat(Lint.check(topology))
        .anyMatch(f -> f.rule().equals("owns-nothing") && f.reason().contains("small"));
    Plan plan =
        new Planner(topology, topology)
            .plan(
                Sizing.UNKNOWN, StepSize.DEFAULT, Limits.NONE, Optional.empty(), Optional.empty());
    assertThat(plan.warnings()).contains("small owns nothing, though its weight is above 0.");
    Replicas three = Replicas.of(pool, 3, FailureDomain.NODE);
    assertThat(three.fewerNodes()).isTrue();
    for (int i = 0; i < 1_000; i++) {
      assertThat(three.list("item:" + i)).hasSize(2).doesNotHaveDuplicates();
    }
    BoundedLoads loads = BoundedLoads.of(pool, 1);
    for (int i = 0; i < 1_000; i++) {
      assertThat(loads.acquire("item:" + i).id()).startsWith("big");
    }
  }

  // C16: tiny bounded-load set-ups that panicked.

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1.0, 1",
    "5, 2, 1.5, 4",
    "5, 2, 1.0, 3",
    "7, 3, 1.0, 3",
    "0, 2, 1.0, 0",
    "6, 3, 1.0, 2",
    "10, 1, 1.1, 11",
    "100, 10, 1.25, 13",
    "3, 10, 1.0, 1"
  })
  void c16TinyBoundedSetUpsAlwaysHaveRoom(int things, int nodes, double factor, int cap) {
    for (PlacementRule rule :
        List.of(RingRule.DEFAULT, RingRule.DEFAULT.withVnodes(1), SlicesRule.DEFAULT)) {
      OrderedPlacement placement =
          Placements.ordered(
              Topology.of(rule, IntStream.range(0, nodes).mapToObj(i -> "node-" + i).toList()));
      Seeded.forSeeds(
          20,
          random -> {
            long[] positions =
                IntStream.range(0, things).mapToLong(i -> random.nextLong()).toArray();
            BoundedAssignment assignment = BoundedAssignment.of(placement, factor, positions);
            BoundedLoads live = BoundedLoads.of(placement, factor);
            long sum = 0;
            for (int owner = 0; owner < nodes; owner++) {
              assertThat(assignment.cap(owner)).isEqualTo(cap);
              assertThat(assignment.load(owner)).isLessThanOrEqualTo(cap);
              sum += assignment.load(owner);
            }
            assertThat(sum).isEqualTo(things);
            for (long position : positions) {
              live.acquire(position);
            }
            for (Node node : placement.owners()) {
              assertThat(live.load(node.id())).isLessThanOrEqualTo(cap);
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.99, -1, Double.NaN, Double.POSITIVE_INFINITY, 1001})
  void c16NonsenseFactorsAreRefused(double factor) {
    OrderedPlacement placement = Placements.ordered(Topology.ring("a"));
    assertThatThrownBy(() -> BoundedAssignment.of(placement, factor, 1))
        .hasMessageContaining("load factor " + factor + " is outside 1 to 1000");
    assertThatThrownBy(() -> BoundedLoads.of(placement, factor))
        .hasMessageContaining("is outside 1 to 1000");
  }

  @Test
  void c16TheFirstNodeOfAnEmptySet() {
    OrderedPlacement empty = Placements.ordered(Topology.ring());
    assertThatThrownBy(() -> BoundedAssignment.of(empty, 1, 5))
        .isInstanceOf(NoNodesException.class);
    assertThatThrownBy(() -> BoundedLoads.of(empty, 1).acquire("k"))
        .isInstanceOf(NoNodesException.class);
    assertThat(BoundedLoads.of(empty, 1).total()).isZero();
    BoundedLoads first = BoundedLoads.of(empty, 1).with(Placements.ordered(Topology.ring("a")));
    assertThat(first.acquire("k").id()).isEqualTo("a");
  }

  // C20: replicas on one host; more replicas than nodes.

  @Test
  void c20ReplicasAreNeverOnTheSameHostWhereThatIsTheFailureDomain() throws java.io.IOException {
    List<Node> nodes = new ArrayList<>();
    for (int host = 1; host <= 3; host++) {
      for (int port : new int[] {2003, 2103, 2203}) {
        nodes.add(Node.of("host" + host + "-" + port).withAddress("host" + host + ":" + port));
      }
    }
    List<String> keys =
        java.nio.file.Files.readAllLines(
            java.nio.file.Path.of("../examples/data/wiki_edits_keys.txt"));
    assertThat(keys).hasSize(31_548);
    for (PlacementRule rule : List.of(RingRule.DEFAULT, SlicesRule.DEFAULT, NginxRule.DEFAULT)) {
      OrderedPlacement placement = Placements.ordered(new Topology(0, rule, nodes));
      Replicas apart = Replicas.of(placement, 2, FailureDomain.HOST);
      Replicas anyhow = Replicas.of(placement, 2, FailureDomain.NODE);
      int together = 0;
      for (String key : keys) {
        List<Node> list = apart.list(key);
        assertThat(list).hasSize(2);
        assertThat(list.get(0)).isEqualTo(placement.owner(key));
        assertThat(FailureDomain.HOST.of(list.get(0)))
            .isNotEqualTo(FailureDomain.HOST.of(list.get(1)));
        List<Node> either = anyhow.list(key);
        together +=
            FailureDomain.HOST.of(either.get(0)).equals(FailureDomain.HOST.of(either.get(1)))
                ? 1
                : 0;
      }
      assertThat(together).isGreaterThan(0); // So the domain does something.
    }
    Topology unaware = new Topology(0, RingRule.DEFAULT.withReplication(Replication.of(2)), nodes);
    assertThat(Lint.check(unaware)).anyMatch(f -> f.rule().equals("replicas-on-one-host"));
    Topology aware =
        new Topology(
            0, RingRule.DEFAULT.withReplication(new Replication(2, FailureDomain.HOST)), nodes);
    assertThat(Lint.check(aware)).noneMatch(f -> f.rule().contains("host"));
  }

  @Test
  void c20MoreReplicasThanNodesIsAShorterListAndAWarning() {
    for (PlacementRule rule :
        List.of(
            RingRule.DEFAULT.withReplication(Replication.of(3)),
            KetamaRule.of(KetamaVariant.TWEMPROXY),
            SlicesRule.DEFAULT)) {
      for (int nodes = 1; nodes <= 2; nodes++) {
        Topology topology = Topology.of(rule, List.of("a", "b").subList(0, nodes));
        for (FailureDomain domain : FailureDomain.values()) {
          Replicas three = Replicas.of(Placements.ordered(topology), 3, domain);
          assertThat(three.fewerNodes()).isTrue();
          assertThat(three.list("k")).hasSize(nodes).doesNotHaveDuplicates();
        }
        if (rule.replication().replicas() > 1) {
          assertThat(Lint.check(topology))
              .anyMatch(f -> f.rule().equals("more-replicas-than-nodes"));
        }
      }
    }
    OrderedPlacement ring = Placements.ordered(Topology.ring("a"));
    for (int wrong : new int[] {0, -1}) {
      assertThatThrownBy(() -> Replicas.of(ring, wrong, FailureDomain.NODE))
          .hasMessage("replicas " + wrong + " is less than 1");
      assertThatThrownBy(() -> Replication.of(wrong))
          .hasMessage("replicas " + wrong + " is outside 1 to 16");
    }
  }
}
