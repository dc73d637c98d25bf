package dev.beltway.balance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.balance.Finding.Severity;
import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.topology.Machine;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotRanges;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Each rule fires on its mistake, with the right severity, and stays silent without it. */
class LintTest {

  private static final Topology SOUND = Topology.ring("a", "b", "c", "d", "e", "f", "g", "h");

  private static void assertFinding(
      Topology topology, String rule, Severity severity, String said) {
    assertThat(Lint.check(topology))
        .filteredOn(finding -> finding.rule().equals(rule))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(severity);
              assertThat(finding.reason()).contains(said);
              assertThat(finding.remedy()).isNotBlank();
            });
    assertThat(Lint.check(SOUND)).noneMatch(finding -> finding.rule().equals(rule));
  }

  private static RingRule ring(HashFunction hash, int vnodes, int minVnodes, int replicas) {
    return new RingRule(hash, vnodes, minVnodes, "#", false, Replication.of(replicas), 10_000_000);
  }

  private static Topology of(RingRule rule, int nodes) {
    return Topology.of(rule, IntStream.range(0, nodes).mapToObj(i -> "n" + i).toList());
  }

  @Test
  void aSoundTopologyHasNothingButTheNoteOnBounds() {
    assertThat(Lint.check(SOUND)).extracting(Finding::rule).containsExactly("no-load-bound");
    assertThat(Lint.check(SOUND)).allMatch(finding -> finding.severity() == Severity.NOTE);
  }

  @Test
  void nothingOwned() {
    assertFinding(Topology.ring(), "nothing-owned", Severity.ERROR, "No node owns anything");
    Topology drained = new Topology(0, RingRule.DEFAULT, List.of(Node.of("a").withWeight(0)));
    assertFinding(drained, "nothing-owned", Severity.ERROR, "drained");
  }

  @Test
  void oneNode() {
    assertFinding(Topology.ring("a"), "one-node", Severity.NOTE, "a owns every key");
  }

  @Test
  void oneTokenPerNode() {
    Topology single = of(ring(HashFunctions.XXH3_64, 1, 1, 1), 6);
    assertFinding(single, "one-token", Severity.ERROR, "times its fair share");
    assertThat(Lint.check(single)).noneMatch(finding -> finding.rule().equals("few-vnodes"));
    assertFinding(SOUND.plus(Node.of("x").withVnodes(1)), "one-token", Severity.WARNING, "x is");
  }

  @Test
  void tooFewVnodes() {
    assertFinding(
        of(ring(HashFunctions.XXH3_64, 50, 1, 1), 10), "few-vnodes", Severity.WARNING, "13.4 %");
    assertFinding(
        of(ring(HashFunctions.XXH3_64, 10, 1, 1), 10), "few-vnodes", Severity.ERROR, "29.9 %");
  }

  @Test
  void weakHash() {
    for (HashFunction hash :
        List.of(HashFunctions.FNV1A_32, HashFunctions.FNV1A_64, HashFunctions.CRC32)) {
      assertFinding(of(ring(hash, 150, 10, 1), 8), "weak-hash", Severity.ERROR, hash.name());
    }
  }

  @Test
  void tokenCollisions() {
    assertFinding(
        of(ring(HashFunctions.CRC16, 500, 10, 1), 10),
        "token-collisions",
        Severity.WARNING,
        "of 5000");
  }

  @Test
  void manyTokens() {
    assertFinding(
        of(ring(HashFunctions.XXH3_64, 1000, 10, 1), 20),
        "many-tokens",
        Severity.WARNING,
        "20,000");
    assertThat(Lint.check(of(ring(HashFunctions.XXH3_64, 999, 10, 1), 20)))
        .noneMatch(finding -> finding.rule().equals("many-tokens"));
  }

  @Test
  void modulo() {
    Topology topology =
        Topology.of(new ModuloRule(HashFunctions.CRC32, false), List.of("a", "b", "c"));
    assertFinding(topology, "modulo", Severity.WARNING, "75.0 %");
  }

  @Test
  void addressAsIdentity() {
    assertFinding(
        SOUND.plus(Node.of("10.0.0.7:6379")),
        "address-as-id",
        Severity.WARNING,
        "10.0.0.7:6379 is");
    assertFinding(SOUND.plus(Node.of("10.0.0.7")), "address-as-id", Severity.WARNING, "10.0.0.7");
  }

  @Test
  void sharedAddress() {
    Topology topology =
        SOUND
            .with(Node.of("a").withAddress("10.0.0.1:6379"))
            .with(Node.of("b").withAddress("10.0.0.1:6379"));
    assertFinding(topology, "shared-address", Severity.ERROR, "a and b");
  }

  @Test
  void equalWeightsOnUnequalMachines() {
    Topology topology =
        Topology.of(RingRule.DEFAULT.withVnodes(400), List.of("a", "b"))
            .with(Node.of("a").withMachine(Machine.of(8, 64)))
            .with(Node.of("b").withMachine(Machine.of(8, 16)));
    assertFinding(topology, "unequal-machines", Severity.WARNING, "b has a weight for 50.0 %");
    Topology right = topology.with(Node.of("b").withMachine(Machine.of(8, 16)).withWeight(0.4));
    assertThat(Lint.check(right)).noneMatch(finding -> finding.rule().equals("unequal-machines"));
  }

  @Test
  void shareOff() {
    Topology topology =
        new Topology(
            0,
            SlotsRule.REDIS,
            List.of(
                Node.of("a").withSlots(SlotRanges.parse("0-11999")),
                Node.of("b").withSlots(SlotRanges.parse("12000-16383"))));
    assertThat(Lint.check(topology))
        .filteredOn(finding -> finding.rule().equals("share-off"))
        .extracting(Finding::severity)
        .containsOnly(Severity.WARNING);
  }

  @Test
  void ownsNothing() {
    Topology topology =
        new Topology(
            0,
            SlotsRule.REDIS,
            List.of(Node.of("a").withSlots(SlotRanges.parse("0-16383")), Node.of("b")));
    assertFinding(topology, "owns-nothing", Severity.ERROR, "b is");
  }

  @Test
  void moreReplicasThanNodesOrZones() {
    Topology two = of(ring(HashFunctions.XXH3_64, 150, 10, 3), 2);
    assertFinding(two, "more-replicas-than-nodes", Severity.ERROR, "3 replicas on 2 nodes");
    Topology zoned =
        new Topology(
            0,
            ring(HashFunctions.XXH3_64, 300, 10, 3),
            List.of(
                Node.of("a").withZone("z1"),
                Node.of("b").withZone("z1"),
                Node.of("c").withZone("z2")));
    assertFinding(zoned, "fewer-zones-than-replicas", Severity.ERROR, "3 replicas over 2 zones");
    assertFinding(zoned.plus(Node.of("d")), "zone-missing", Severity.WARNING, "d is");
  }

  @Test
  void drained() {
    assertFinding(SOUND.with(Node.of("a").withWeight(0)), "drained", Severity.NOTE, "a is");
  }

  @Test
  void reducibleCounts() {
    Topology topology =
        new Topology(
            0,
            RingRule.DEFAULT,
            List.of(Node.of("a").withVnodes(15_000), Node.of("b").withVnodes(30_000)));
    assertFinding(topology, "reducible-counts", Severity.NOTE, "15000");
  }
}
