package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;
import dev.beltway.testing.Seeded;
import dev.beltway.topology.Ability;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.JumpRule;
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
import dev.beltway.topology.SlotTable;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every placement promises, run over every algorithm and hash. An algorithm that can't do
 * something says so by its {@link Ability abilities}, and the test holds it to exactly that.
 */
class PlacementContractTest {

  private static final int KEYS = 3_000;

  static List<PlacementRule> rules() {
    List<PlacementRule> rules = new ArrayList<>();
    HashFunctions.all()
        .values()
        .forEach(h -> rules.add(RingRule.DEFAULT.withHash(h).withVnodes(40)));
    rules.add(new RingRule(HashFunctions.XXH3_64, 1, 1, "#", false, Replication.of(1), 1000));
    rules.add(new RingRule(HashFunctions.XXH64, 30, 5, "/v", true, Replication.of(3), 100_000));
    HashFunctions.all().values().forEach(h -> rules.add(new ModuloRule(h, false)));
    rules.add(new ModuloRule(HashFunctions.CRC32, true));
    rules.add(SlotsRule.REDIS);
    rules.add(new SlotsRule(1000, false));
    rules.add(new SlotsRule(1, true));
    rules.add(new SlotsRule(65_536, true));
    rules.add(SlicesRule.DEFAULT);
    rules.add(SlicesRule.DEFAULT.withTolerance(0.1));
    rules.add(new JumpRule(HashFunctions.XXH3_64, false));
    rules.add(new JumpRule(HashFunctions.MURMUR3_32, true));
    for (KetamaVariant variant : KetamaVariant.values()) {
      rules.add(KetamaRule.of(variant));
    }
    for (HashFunction hash : PeerHashes.ofTwemproxy().values()) {
      rules.add(new KetamaRule(KetamaVariant.TWEMPROXY, hash, true, Replication.of(2)));
    }
    rules.add(NginxRule.DEFAULT);
    for (String function : HaproxyRule.functions()) {
      rules.add(new HaproxyRule(function, true));
      rules.add(new HaproxyRule(function, false));
    }
    rules.add(WorkflowRule.DEFAULT);
    return rules;
  }

  static List<PlacementRule> weightedRules() {
    return rules().stream().filter(rule -> rule.can(Ability.WEIGHTS)).toList();
  }

  static List<PlacementRule> stableRules() {
    return rules().stream()
        .filter(rule -> rule.can(Ability.REMOVAL_ANYWHERE) && rule instanceof RingRule)
        .toList();
  }

  static List<PlacementRule> orderedRules() {
    return rules().stream().filter(rule -> rule.can(Ability.PREFERENCE_LIST)).toList();
  }

  /** Rules that take a node's address for its name, as the systems do that they come from. */
  private static boolean isNamedByAddress(PlacementRule rule) {
    return rule instanceof KetamaRule || rule instanceof NginxRule || rule instanceof WorkflowRule;
  }

  private static Topology topology(PlacementRule rule, int nodes) {
    return Topology.of(rule, IntStream.range(0, nodes).mapToObj(i -> "node-" + i).toList());
  }

  private static List<String> keys(Seeded random) {
    return IntStream.range(0, KEYS)
        .mapToObj(i -> random.oneIn(2) ? "key-" + i : random.nextKey(30))
        .toList();
  }

  private static Map<String, String> owners(Placement placement, List<String> keys) {
    Map<String, String> owners = new HashMap<>();
    keys.forEach(key -> owners.put(key, placement.owner(key).id()));
    return owners;
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theListsOrderMeansNothingWhereTheRuleSaysSo(PlacementRule rule) {
    Seeded.forSeeds(
        5,
        random -> {
          Topology topology = topology(rule, 10);
          Topology shuffled = new Topology(0, rule, random.shuffled(topology.nodes()));
          List<String> keys = keys(random);
          Map<String, String> first = owners(Placements.of(topology), keys);
          Map<String, String> second = owners(Placements.of(shuffled), keys);
          if (rule.can(Ability.ANY_ORDER)) {
            assertThat(second).isEqualTo(first);
            assertThat(shuffled.fingerprint()).isEqualTo(topology.fingerprint());
          } else if (!shuffled.nodes().equals(topology.nodes())) {
            assertThat(shuffled.fingerprint()).isNotEqualTo(topology.fingerprint());
          }
          assertThat(owners(Placements.of(topology), keys)).isEqualTo(first);
        });
  }

  @ParameterizedTest
  @MethodSource("rules")
  void stringsBytesPositionsAndPartsOfArraysAgree(PlacementRule rule) {
    Placement placement = Placements.of(topology(rule, 7));
    Seeded random = new Seeded(1);
    for (String key : keys(random)) {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      byte[] larger = ("{x}" + key + "{y}").getBytes(StandardCharsets.UTF_8);
      Node owner = placement.owner(key);
      assertThat(placement.owner(bytes)).isSameAs(owner);
      assertThat(placement.owner(larger, 3, bytes.length)).isSameAs(owner);
      long position = placement.partitioner().position(key);
      assertThat(placement.ownerAt(position)).isSameAs(owner);
      assertThat(placement.owners().get(placement.ownerIndexAt(position))).isSameAs(owner);
    }
  }

  @ParameterizedTest
  @MethodSource("rules")
  void everyPositionHasAnOwner(PlacementRule rule) {
    Seeded.forSeeds(
        5,
        random -> {
          Placement placement = Placements.of(topology(rule, random.between(1, 9)));
          for (long position : new long[] {0, 1, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(placement.topology().nodes()).contains(placement.ownerAt(position));
          }
          for (int i = 0; i < 1000; i++) {
            assertThat(placement.topology().nodes()).contains(placement.ownerAt(random.nextLong()));
          }
        });
  }

  @ParameterizedTest
  @MethodSource("rules")
  void oneNodeOwnsEverything(PlacementRule rule) {
    Placement placement = Placements.of(topology(rule, 1));
    for (int i = 0; i < 1000; i++) {
      assertThat(placement.owner("key-" + i).id()).isEqualTo("node-0");
    }
    if (placement instanceof RangedPlacement ranged) {
      assertThat(ranged.tokenMap().shares()[0].whole()).isTrue();
    }
    if (placement instanceof OrderedPlacement ring) {
      assertThat(ring.preferenceList(42, 3)).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource("rules")
  void noNodesIsAnErrorWithThatName(PlacementRule rule) {
    Placement empty = Placements.of(topology(rule, 0));
    assertThatThrownBy(() -> empty.owner("hello"))
        .isInstanceOf(NoNodesException.class)
        .hasMessage("no nodes: the topology of epoch 0 is empty");
    if (empty instanceof OrderedPlacement ring) {
      assertThatThrownBy(() -> ring.preferenceList(5, 3)).isInstanceOf(NoNodesException.class);
      assertThat(ring.preferenceList(5, new int[3])).isZero();
    }
    if (rule.can(Ability.WEIGHTS)) {
      Topology drained = new Topology(3, rule, List.of(Node.of("a").withWeight(0)));
      assertThatThrownBy(() -> Placements.of(drained).owner("hello"))
          .hasMessage("no nodes: all 1 nodes of epoch 3 are drained");
    }
  }

  @ParameterizedTest
  @MethodSource("rules")
  void whatTheTypeOffersIsWhatTheRuleCan(PlacementRule rule) {
    Placement placement = Placements.of(topology(rule, 3));
    assertThat(placement instanceof RangedPlacement).isEqualTo(rule.can(Ability.RANGES));
    assertThat(placement instanceof OrderedPlacement).isEqualTo(rule.can(Ability.PREFERENCE_LIST));
    Topology plain = topology(rule, 2);
    if (!rule.can(Ability.WEIGHTS)) {
      for (double weight : new double[] {0, 2}) {
        assertThatThrownBy(() -> plain.with(Node.of("node-1").withWeight(weight)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("node-1")
            .hasMessageContaining("allowed is 1");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("weightedRules")
  void aDrainedNodeOwnsNothingAndWeightComesBack(PlacementRule rule) {
    Topology topology = topology(rule, 4);
    Topology drained = topology.with(Node.of("node-2").withWeight(0));
    List<String> keys = keys(new Seeded(3));
    Map<String, String> before = owners(Placements.of(topology), keys);
    Map<String, String> without = owners(Placements.of(drained), keys);
    assertThat(without.values()).doesNotContain("node-2");
    assertThat(drained.nodes()).hasSize(4);
    if (rule instanceof RingRule) {
      // Only what it had moves, and all of that comes back.
      keys.forEach(
          key -> {
            if (!"node-2".equals(before.get(key))) {
              assertThat(without.get(key)).isEqualTo(before.get(key));
            }
          });
    }
    Topology back = drained.with(Node.of("node-2"));
    if (rule instanceof SlicesRule slices) {
      // Slices follow their history: the share comes back, not the same intervals.
      if (slices.tolerance() == 0) {
        assertThat(back.holdings()).isEqualTo(topology.holdings());
      }
      return;
    }
    assertThat(owners(Placements.of(back), keys)).isEqualTo(before);
    assertThat(back.fingerprint()).isEqualTo(topology.fingerprint());
  }

  @ParameterizedTest
  @MethodSource("stableRules")
  void keysMoveOnlyToWhatJoinsOrGrowsAndFromWhatLeavesOrShrinks(PlacementRule rule) {
    Seeded.forSeeds(
        4,
        random -> {
          RingRule ring = (RingRule) rule;
          List<String> keys = keys(random);
          Topology topology = topology(rule, 5);
          Placement placement = Placements.of(topology);
          for (int step = 0; step < 12; step++) {
            Topology next = randomChange(random, topology, step);
            Placement nextPlacement = Placements.of(next, placement);
            Placement built = Placements.of(next);
            for (String key : keys) {
              Node was = placement.owner(key);
              Node is = nextPlacement.owner(key);
              assertThat(is).isEqualTo(built.owner(key));
              if (!was.id().equals(is.id())) {
                boolean grew =
                    topology.node(is.id()).map(ring::vnodesOf).orElse(0)
                        < next.node(is.id()).map(ring::vnodesOf).orElse(0);
                boolean shrank =
                    next.node(was.id()).map(ring::vnodesOf).orElse(0)
                        < topology.node(was.id()).map(ring::vnodesOf).orElse(0);
                assertThat(grew || shrank).as("%s moves from %s to %s", key, was, is).isTrue();
              }
            }
            if (nextPlacement instanceof RangedPlacement ranged) {
              assertThat(ranged.tokenMap()).isEqualTo(((RangedPlacement) built).tokenMap());
            }
            topology = next;
            placement = nextPlacement;
          }
        });
  }

  private static Topology randomChange(Seeded random, Topology topology, int step) {
    Node any = random.pick(topology.nodes());
    return switch (random.nextInt(5)) {
      case 0 -> topology.plus(Node.of("new-" + step));
      case 1 -> topology.nodes().size() > 2 ? topology.minus(any.id()) : topology;
      case 2 -> topology.with(any.withWeight(random.between(1, 40) / 10.0));
      case 3 -> topology.with(any.withVnodes(random.between(1, 90)));
      default ->
          topology.nodes().stream().filter(n -> !n.isDrained()).count() > 2
              ? topology.with(any.withWeight(0))
              : topology;
    };
  }

  @ParameterizedTest
  @MethodSource("orderedRules")
  void preferenceListsAreDistinctStartAtTheOwnerAndEnd(PlacementRule rule) {
    OrderedPlacement ring = Placements.ordered(topology(rule, 6));
    Seeded random = new Seeded(5);
    for (int i = 0; i < 500; i++) {
      long position = random.nextLong();
      for (int replicas = 1; replicas <= 9; replicas++) {
        List<Node> list = ring.preferenceList(position, replicas);
        assertThat(list).hasSize(Math.min(6, replicas)).doesNotHaveDuplicates();
        assertThat(list.get(0)).isEqualTo(ring.ownerAt(position));
      }
    }
    assertThatThrownBy(() -> ring.preferenceList(0, 0)).hasMessage("replicas 0 is less than 1");
    assertThatThrownBy(() -> ring.preferenceList(0, -1)).hasMessage("replicas -1 is less than 1");
  }

  @ParameterizedTest
  @MethodSource("weightedRules")
  void sharesAddUpToTheWholeRing(PlacementRule rule) {
    RangedPlacement placement = (RangedPlacement) Placements.of(topology(rule, 9));
    java.math.BigInteger sum = java.math.BigInteger.ZERO;
    for (dev.beltway.token.Share share : placement.tokenMap().shares()) {
      sum = sum.add(share.positions());
    }
    assertThat(sum).isEqualTo(java.math.BigInteger.ONE.shiftLeft(64));
  }

  @ParameterizedTest
  @MethodSource("weightedRules")
  void theAddressIsNotTheNode(PlacementRule rule) {
    Topology topology = topology(rule, 4);
    String label =
        rule instanceof KetamaRule ketama ? ketama.variant().label(Node.of("node-1")) : "node-1";
    Node other = Node.of("node-1").withAddress("10.9.9.9:7000").withZone("z9");
    Topology moved =
        topology.with(isNamedByAddress(rule) ? other.withPeer(Peer.named(label)) : other);
    assertThat(moved.fingerprint()).isEqualTo(topology.fingerprint());
    List<String> keys = keys(new Seeded(8));
    assertThat(owners(Placements.of(moved), keys)).isEqualTo(owners(Placements.of(topology), keys));
  }

  @ParameterizedTest
  @MethodSource("weightedRules")
  void slotTablesMoveTheFewestSlots(PlacementRule rule) {
    if (!(rule instanceof SlotsRule slots)) {
      return;
    }
    Seeded.forSeeds(
        30,
        random -> {
          Topology topology = topology(rule, random.between(1, 8));
          SlotTable table = topology.slotTable().orElseThrow();
          for (int step = 0; step < 5; step++) {
            List<Node> nodes = new ArrayList<>(table.nodes());
            switch (random.nextInt(3)) {
              case 0 -> nodes.add(Node.of("new-" + step));
              case 1 -> nodes.remove(nodes.size() > 1 ? random.nextInt(nodes.size()) : 0);
              default -> {
                int at = random.nextInt(nodes.size());
                nodes.set(at, Node.of(nodes.get(at).id()).withWeight(random.between(1, 30) / 10.0));
              }
            }
            if (nodes.isEmpty()) {
              return;
            }
            SlotTable next = table.changedTo(nodes);
            double weights = nodes.stream().mapToDouble(n -> n.weight().value()).sum();
            int gains = 0;
            for (Node node : nodes) {
              int count = next.slotsOf(node.id()).count();
              double quota = slots.slots() * node.weight().value() / weights;
              if (slots.slots() >= 100) {
                assertThat((double) count)
                    .isBetween(Math.floor(quota), Math.max(1, Math.ceil(quota)));
              }
              gains += Math.max(0, count - table.slotsOf(node.id()).count());
            }
            int moved = 0;
            for (int slot = 0; slot < slots.slots(); slot++) {
              assertThat(next.owner(slot)).isPresent();
              moved +=
                  table.owner(slot).orElseThrow().id().equals(next.owner(slot).orElseThrow().id())
                      ? 0
                      : 1;
            }
            assertThat(moved).isEqualTo(gains);
            // Stated in a topology, the same table comes out.
            SlotTable stated = new Topology(1, rule, next.stated()).slotTable().orElseThrow();
            for (int slot = 0; slot < slots.slots(); slot++) {
              assertThat(stated.owner(slot).orElseThrow().id())
                  .isEqualTo(next.owner(slot).orElseThrow().id());
            }
            table = next;
          }
        });
  }
}
