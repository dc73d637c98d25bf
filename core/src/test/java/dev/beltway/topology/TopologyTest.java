package dev.beltway.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.hash.HashFunctions;
import dev.beltway.testing.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {

  @Test
  void theFingerprintNamesTheMappingAndNothingElse() {
    Topology topology = Topology.ring("a", "b", "c");
    Fingerprint fingerprint = topology.fingerprint();
    assertThat(new Topology(99, topology.rule(), topology.nodes()).fingerprint())
        .isEqualTo(fingerprint);
    assertThat(
            topology
                .with(Node.of("b").withAddress("h:1").withZone("z").withMachine(Machine.of(1, 1)))
                .fingerprint())
        .isEqualTo(fingerprint);
    assertThat(topology.plus(Node.of("d").withWeight(0)).fingerprint()).isEqualTo(fingerprint);
    assertThat(topology.with(Node.of("b").withVnodes(150)).fingerprint()).isEqualTo(fingerprint);
    RingRule otherFloor =
        new RingRule(HashFunctions.XXH3_64, 150, 20, "#", false, Replication.of(2), 5_000);
    assertThat(Topology.of(otherFloor, List.of("a", "b", "c")).fingerprint())
        .isEqualTo(fingerprint);

    List<Topology> others = new ArrayList<>();
    others.add(topology.plus(Node.of("d")));
    others.add(topology.minus("b"));
    others.add(topology.with(Node.of("b").withVnodes(151)));
    others.add(Topology.ring("a", "b", "C"));
    others.add(Topology.of(RingRule.DEFAULT.withHash(HashFunctions.XXH64), List.of("a", "b", "c")));
    others.add(
        Topology.of(
            new RingRule(HashFunctions.XXH3_64, 150, 10, "-", false, Replication.of(1), 9_999),
            List.of("a", "b", "c")));
    others.add(
        Topology.of(
            new RingRule(HashFunctions.XXH3_64, 150, 10, "#", true, Replication.of(1), 9_999),
            List.of("a", "b", "c")));
    others.add(Topology.of(SlotsRule.REDIS, List.of("a", "b", "c")));
    others.add(Topology.of(new ModuloRule(HashFunctions.XXH3_64, false), List.of("a", "b", "c")));
    assertThat(others.stream().map(Topology::fingerprint))
        .doesNotHaveDuplicates()
        .doesNotContain(fingerprint);
  }

  @Test
  void theCanonicalFormIsTheOneOfTheContract() {
    Topology topology =
        new Topology(
            7,
            RingRule.DEFAULT,
            List.of(
                Node.of("cache-b").withVnodes(47), Node.of("cache-a"), Node.of("z").withWeight(0)));
    assertThat(topology.canonicalForm())
        .isEqualTo(
            """
            beltway 1
            algorithm ring
            hash xxh3_64
            separator #
            hashTags false
            node 150 cache-a
            node 47 cache-b
            """);
    assertThat(topology.fingerprint().hex()).isEqualTo("69996475153c41b569d4ddc710a88b57");
  }

  @Test
  void slotsByWeightAndTheSameSlotsStatedAreOneMapping() {
    Topology dealt = Topology.of(SlotsRule.REDIS, List.of("a", "b", "c"));
    assertThat(dealt.canonicalForm())
        .isEqualTo(
            """
            beltway 1
            algorithm slots
            slots 16384
            hashTags true
            node 0-5461 a
            node 5462-10922 b
            node 10923-16383 c
            """);
    Topology stated = new Topology(3, SlotsRule.REDIS, dealt.slotTable().orElseThrow().stated());
    assertThat(stated.fingerprint()).isEqualTo(dealt.fingerprint());
  }

  @Test
  void idsSortByTheirUtf8Bytes() {
    List<String> ids =
        new ArrayList<>(List.of("\ud83d\ude80", "\uffee", "z", "\u00e9", "Z", "aa", "a"));
    ids.sort(NodeId.UTF8_ORDER);
    assertThat(ids).containsExactly("Z", "a", "aa", "z", "\u00e9", "\uffee", "\ud83d\ude80");
  }

  @Test
  void theOrderOfIdsIsTheOneOfTheirBytes() {
    Seeded random = new Seeded(11);
    for (int i = 0; i < 20_000; i++) {
      String a = random.nextKey(3) + (random.oneIn(3) ? "\uffee" : "");
      String b = random.oneIn(2) ? a + random.nextKey(2) : random.nextKey(4);
      int byBytes =
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
      assertThat(Integer.signum(NodeId.UTF8_ORDER.compare(a, b)))
          .as("%s and %s", a, b)
          .isEqualTo(Integer.signum(byBytes));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " a", "a ", "a\tb", "a\nb", "\u0000", "\ud800", "a\u2028b", "\u007f"})
  void idsThatCouldNotBeToldApartAreRefused(String id) {
    assertThatThrownBy(() -> Node.of(id))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("id ");
  }

  @Test
  void idsAreBounded() {
    assertThat(Node.of("\u8282".repeat(85)).id()).hasSize(85);
    assertThatThrownBy(() -> Node.of("\u8282".repeat(86)))
        .hasMessage("id of 258 bytes is outside 1 to 255");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1:6379", "cache:1", "[::1]:65535", "a.b-c_d:80"})
  void addresses(String address) {
    assertThat(Node.of("a").withAddress(address).address()).hasValue(address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "host",
        ":1",
        "host:",
        "host:0",
        "host:65536",
        "host:1x",
        "a b:1",
        "::1:5",
        "[]:1",
        "h:-1",
        "h:123456"
      })
  void addressesThatAreNotHostAndPortAreRefused(String address) {
    assertThatThrownBy(() -> Node.of("a").withAddress(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not host:port with a port from 1 to 65535");
  }

  @Test
  void tokensAreBounded() {
    RingRule rule = RingRule.DEFAULT.withMaxTokens(300);
    assertThat(Topology.of(rule, List.of("a", "b")).tokens()).isEqualTo(300);
    assertThatThrownBy(() -> Topology.of(rule, List.of("a", "b", "c")))
        .hasMessage("450 tokens are more than maxTokens 300");
    assertThatThrownBy(() -> Topology.ring("a").with(Node.of("a").withWeight(1_000_000)))
        .hasMessageContaining("150000000 tokens are more than maxTokens 1000000");
  }

  @Test
  void weightAndCountTogetherAreRefused() {
    assertThatThrownBy(
            () ->
                new Node(
                    "a",
                    java.util.Optional.empty(),
                    new Weight(2),
                    java.util.OptionalInt.of(5),
                    java.util.Optional.empty(),
                    Machine.UNKNOWN,
                    java.util.Optional.empty(),
                    Peer.SAME))
        .hasMessage("vnodes 5 beside weight 2: state one of the two");
  }

  @Test
  void fairSharesFollowWeightsAndCountsAlike() {
    Topology topology =
        new Topology(
            0,
            RingRule.DEFAULT,
            List.of(
                Node.of("a").withWeight(2),
                Node.of("b").withVnodes(150),
                Node.of("c").withWeight(0)));
    assertThat(topology.fairShares().get("a")).isCloseTo(2 / 3.0, within(1e-12));
    assertThat(topology.fairShares().get("b")).isCloseTo(1 / 3.0, within(1e-12));
    assertThat(topology.fairShares().get("c")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "'0-5,9', '0-5,9'",
    "'9,0-5', '0-5,9'",
    "'1,2,3', '1-3'",
    "'', ''",
    "' 4 - 6 , 1', '1,4-6'"
  })
  void slotRangesInTheirWrittenForm(String read, String written) {
    assertThat(SlotRanges.parse(read).toString()).isEqualTo(written);
    assertThat(SlotRanges.parse(written)).isEqualTo(SlotRanges.parse(read));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "1-",
        "-1",
        "5-3",
        "1,,2",
        "1-2-3",
        "70000",
        "0-65536",
        "1,1",
        "1-5,5",
        "99999999999"
      })
  void slotRangesThatAreNoneAreRefused(String text) {
    assertThatThrownBy(() -> SlotRanges.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void slotsThatOverlapOrAreMissingAreRefused() {
    Node a = Node.of("a").withSlots(SlotRanges.parse("0-9"));
    assertThatThrownBy(() -> slots(10, a, Node.of("b").withSlots(SlotRanges.parse("9"))))
        .hasMessage("slots of node b: 9 is stated by node a too");
    assertThatThrownBy(() -> slots(12, a, Node.of("b").withSlots(SlotRanges.parse("11"))))
        .hasMessage("1 slots have no owner, the first is 10: all nodes state their slots");
    assertThatThrownBy(() -> slots(9, a)).hasMessage("slots of node a: 9 is outside 0 to 8");
    assertThatThrownBy(() -> slots(10, a.withWeight(0).withSlots(SlotRanges.parse("1"))))
        .hasMessage("slots of node a: a node of weight 0 can't own slots");
    assertThat(slots(20, a, Node.of("b")).holdings()).containsEntry("a", 10).containsEntry("b", 10);
  }

  @ParameterizedTest
  @CsvSource({"27, 0.7, 1.1, 11", "6, 0.3, 0.9, 2", "22, 0.3, 0.1, 17"})
  void equalRemaindersGoByIdWhateverTheRounding(int slots, double a, double b, int expected) {
    Topology topology = slots(slots, Node.of("b").withWeight(b), Node.of("a").withWeight(a));
    assertThat(topology.holdings()).containsEntry("a", expected);
  }

  private static Topology slots(int slots, Node... nodes) {
    return new Topology(0, new SlotsRule(slots, true), List.of(nodes));
  }

  @Test
  void machinesBecomeWeights() {
    List<Machine> machines = List.of(Machine.of(4, 64), Machine.of(12, 64));
    assertThat(MachineWeights.byCoresTimesMemory(machines))
        .containsExactly(new Weight(0.5), new Weight(1.5));
    assertThat(MachineWeights.byScarcestResource(machines))
        .containsExactly(new Weight(0.5), new Weight(1));
    assertThat(MachineWeights.byMemory(machines)).containsExactly(Weight.ONE, Weight.ONE);
    assertThat(MachineWeights.reducedByGcd(List.of(5, 10, 15))).containsExactly(1, 2, 3);
    assertThat(MachineWeights.reducedByGcd(List.of(0, 0))).containsExactly(0, 0);
    assertThat(MachineWeights.vnodesByCapacity(32, 128, 400, 10)).isEqualTo(100);
    assertThat(MachineWeights.vnodesByCapacity(Long.MAX_VALUE, Long.MAX_VALUE, 400, 10))
        .isEqualTo(400);
    assertThat(MachineWeights.UsualVnodes.forNodes(9))
        .isEqualTo(new MachineWeights.UsualVnodes(100, 200));
    assertThat(MachineWeights.UsualVnodes.forNodes(10))
        .isEqualTo(new MachineWeights.UsualVnodes(100, 500));
    assertThat(MachineWeights.UsualVnodes.forNodes(101))
        .isEqualTo(new MachineWeights.UsualVnodes(50, 200));
    assertThatThrownBy(() -> MachineWeights.byMemory(List.of(Machine.UNKNOWN)))
        .hasMessage("memoryGib is unknown");
  }
}
