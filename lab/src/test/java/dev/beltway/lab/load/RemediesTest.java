package dev.beltway.lab.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.balance.LoadReport;
import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Requests;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RemediesTest {

  private static final List<String> IDS = List.of("a", "b", "c", "d");

  /** One key with half of 2,000 requests, of which one in five writes, and 100 others. */
  private static LoadFindings findings(Placement placement, String hot) {
    LoadSurvey survey = LoadSurvey.sketched(placement, Optional.empty(), LogFormat.twitter());
    for (int i = 0; i < 1_000; i++) {
      survey.add(Requests.request(hot, i % 5 == 0 ? Operation.WRITE : Operation.READ, 1, 10));
      survey.add(Requests.read("other:" + i % 100));
    }
    return survey.findings(10);
  }

  private static double share(LoadReport report, String id) {
    return report.node(id).orElseThrow().share();
  }

  @Test
  void theHottestKeyIsFoundAndTakenAway() {
    Placement placement = Placements.of(Topology.of(RingRule.DEFAULT, IDS));
    LoadFindings findings = findings(placement, "hot");
    HotKey hot = findings.hottest().keys().get(0);
    assertThat(hot.key()).isEqualTo(Key.of("hot"));
    assertThat(hot.amount()).isEqualTo(Count.exactly(1_000));
    assertThat(hot.reads()).isEqualTo(0.8);
    assertThat(hot.owner()).isEqualTo(placement.owner("hot").id());
    // Half of all on one of four equal nodes: twice the fair share, whatever the vnodes.
    assertThat(findings.leastMaxOverFair()).isEqualTo(2.0);
    LoadReport without = new Remedies(placement, findings).withoutHottest();
    Map<String, Double> expected = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      expected.merge(placement.owner("other:" + i).id(), 0.005, Double::sum);
    }
    IDS.forEach(
        id ->
            assertThat(share(without, id)).isCloseTo(expected.getOrDefault(id, 0.0), within(1e-9)));
  }

  /** Each part gets its part of the reads and every write. */
  @Test
  void saltedPartsGoWhereTheirNamesGo() {
    Placement placement = Placements.of(Topology.of(RingRule.DEFAULT, IDS));
    LoadFindings findings = findings(placement, "hot");
    Remedy remedy = new Remedies(placement, findings).salt(4, 1);
    Map<String, Double> expected = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      expected.merge(placement.owner("other:" + i).id(), 10.0, Double::sum);
    }
    for (int part = 0; part < 4; part++) {
      expected.merge(placement.owner("hot#" + part).id(), 200.0 + 200.0, Double::sum);
    }
    double total = 1_000 + 4 * 400;
    assertThat(remedy.total()).isCloseTo(total, within(1e-6));
    assertThat(remedy.overBefore()).isCloseTo(total / 2_000, within(1e-9));
    IDS.forEach(
        id ->
            assertThat(share(remedy.requests(), id))
                .isCloseTo(expected.getOrDefault(id, 0.0) / 2_000, within(1e-9)));
    assertThat(remedy.describe()).isEqualTo("hottest key in 4 parts each");
  }

  /** A mark behind a hash tag would change nothing. */
  @Test
  void theMarkStandsInsideTheHashTag() {
    RingRule tagged =
        new RingRule(
            HashFunctions.XXH3_64,
            RingRule.DEFAULT_VNODES,
            RingRule.DEFAULT_MIN_VNODES,
            RingRule.DEFAULT_SEPARATOR,
            true,
            RingRule.DEFAULT.replication(),
            RingRule.DEFAULT_MAX_TOKENS);
    Placement placement = Placements.of(Topology.of(tagged, IDS));
    Remedy remedy = new Remedies(placement, findings(placement, "x{hot}y")).salt(50, 1);
    Map<String, Double> expected = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      expected.merge(placement.owner("other:" + i).id(), 10.0, Double::sum);
    }
    for (int part = 0; part < 50; part++) {
      expected.merge(placement.owner("x{hot#" + part + "}y").id(), 16.0 + 200.0, Double::sum);
    }
    IDS.forEach(
        id ->
            assertThat(share(remedy.requests(), id))
                .isCloseTo(expected.getOrDefault(id, 0.0) / 2_000, within(1e-4)));
  }

  @Test
  void replicasAreThePreferenceList() {
    Placement placement = Placements.of(Topology.of(RingRule.DEFAULT, IDS));
    Remedies remedies = new Remedies(placement, findings(placement, "hot"));
    Remedy remedy = remedies.replicate(3, 1).orElseThrow();
    List<String> list =
        ((OrderedPlacement) placement)
            .preferenceList(placement.partitioner().position("hot"), 3).stream()
                .map(Node::id)
                .toList();
    Map<String, Double> expected = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      expected.merge(placement.owner("other:" + i).id(), 10.0, Double::sum);
    }
    list.forEach(id -> expected.merge(id, 800.0 / 3 + 200, Double::sum));
    IDS.forEach(
        id ->
            assertThat(share(remedy.requests(), id))
                .isCloseTo(expected.getOrDefault(id, 0.0) / 2_000, within(1e-3)));
    assertThat(remedies.replicate(9, 1).orElseThrow().amount()).isEqualTo(4);
    Placement jump = Placements.of(Topology.of(new JumpRule(HashFunctions.XXH3_64, false), IDS));
    assertThat(new Remedies(jump, findings(jump, "hot")).replicate(3, 1)).isEmpty();
  }

  @Test
  void aNearCacheTakesReadsOnly() {
    Placement placement = Placements.of(Topology.of(RingRule.DEFAULT, IDS));
    Remedy remedy = new Remedies(placement, findings(placement, "hot")).nearCache(1);
    assertThat(remedy.total()).isCloseTo(1_200, within(1e-6));
    assertThat(remedy.keys()).isOne();
    Remedy all = new Remedies(placement, findings(placement, "hot")).nearCache(1_000);
    assertThat(all.keys()).isEqualTo(10); // No more than are known.
    assertThat(all.total()).isCloseTo(1_200 - 9 * 10, within(1e-6));
  }

  @Test
  void partsAreChecked() {
    Placement placement = Placements.of(Topology.of(RingRule.DEFAULT, IDS));
    Remedies remedies = new Remedies(placement, findings(placement, "hot"));
    for (int parts : new int[] {0, -1, Remedies.MOST_PARTS + 1}) {
      assertThatThrownBy(() -> remedies.salt(parts, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("outside 1 to 10000");
    }
  }
}
