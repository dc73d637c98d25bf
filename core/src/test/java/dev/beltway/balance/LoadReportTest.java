package dev.beltway.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placements;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LoadReportTest {

  private static final int GROUPS = 200;

  private static Topology ring(HashFunction hash, int vnodes, int nodes, String prefix) {
    RingRule rule = new RingRule(hash, vnodes, 1, "#", false, Replication.of(1), 1_000_000);
    return Topology.of(rule, IntStream.range(0, nodes).mapToObj(i -> prefix + i).toList());
  }

  /** Root mean square of the CV over groups of names: what theory's standard deviation is about. */
  private static double cv(HashFunction hash, int vnodes, int nodes) {
    double squares = 0;
    for (int group = 0; group < GROUPS; group++) {
      Topology topology = ring(hash, vnodes, nodes, "g" + group + "-");
      double cv = LoadReport.of(Placements.of(topology)).cv();
      squares += cv * cv / GROUPS;
    }
    return Math.sqrt(squares);
  }

  static List<HashFunction> wellMixed() {
    return HashFunctions.all().values().stream().filter(h -> !HashFunctions.isWeak(h)).toList();
  }

  @ParameterizedTest
  @MethodSource("wellMixed")
  void measuredDeviationSitsOnTheCurveOfTheory(HashFunction hash) {
    for (int vnodes : new int[] {1, 10, 100}) {
      double theory = Theory.cv(8, vnodes);
      assertThat(cv(hash, vnodes, 8)).isCloseTo(theory, within(0.1 * theory));
    }
  }

  @Test
  void aWeakHashIsFarOffTheCurve() {
    assertThat(cv(HashFunctions.FNV1A_32, 100, 8)).isGreaterThan(2 * Theory.cv(8, 100));
    assertThat(cv(HashFunctions.FNV1A_64, 100, 8)).isGreaterThan(2 * Theory.cv(8, 100));
  }

  @Test
  void movementByJoiningAndVnodesNeeded() {
    assertThat(Theory.movedByJoining(8, 2)).isEqualTo(0.2);
    assertThat(Theory.cv(1, 100)).isZero();
    for (int nodes : new int[] {2, 10, 1000}) {
      for (double cv : new double[] {0.01, 0.07, 0.3}) {
        long vnodes = Theory.vnodesFor(nodes, cv);
        assertThat(Theory.cv(nodes, (double) vnodes)).isLessThanOrEqualTo(cv);
        assertThat(vnodes == 1 || Theory.cv(nodes, (double) (vnodes - 1)) > cv).isTrue();
      }
    }
    assertThatThrownBy(() -> Theory.cv(0, 1)).hasMessageContaining("0 nodes");
    assertThatThrownBy(() -> Theory.cv(3, Double.NaN)).hasMessageContaining("NaN vnodes");
    assertThatThrownBy(() -> Theory.vnodesFor(3, 0)).hasMessageContaining("CV of 0");
  }

  @Test
  void weightedDeviationIsTheOneOfEqualNodesWhereWeightsAreEqual() {
    Topology topology = ring(HashFunctions.XXH3_64, 150, 8, "n");
    assertThat(LoadReport.theoreticalCv(topology))
        .hasValueCloseTo(Theory.cv(8, 150), within(1e-12));
    assertThat(LoadReport.theoreticalCv(Topology.of(SlotsRule.REDIS, List.of("a")))).isEmpty();
  }

  @Test
  void unequalWeightsThatAreMetCountAsEven() {
    Topology topology =
        new Topology(
            0,
            SlotsRule.REDIS,
            List.of(Node.of("a").withWeight(3), Node.of("b"), Node.of("c").withWeight(0)));
    LoadReport load = LoadReport.of(Placements.of(topology));
    assertThat(load.maxOverMean()).isCloseTo(1, within(1e-3));
    assertThat(load.maxOverMin()).isCloseTo(1, within(1e-3));
    assertThat(load.node("a").orElseThrow().fair()).isEqualTo(0.75);
    assertThat(load.node("c").orElseThrow().overFair()).isZero();
    assertThat(load.exact()).isTrue();
  }

  @Test
  void sampledLoadsSayThatTheyAreNotExact() {
    Topology topology =
        Topology.of(new ModuloRule(HashFunctions.XXH3_64, false), List.of("a", "b", "c", "d"));
    LoadReport load = LoadReport.of(Placements.of(topology));
    assertThat(load.exact()).isFalse();
    assertThat(load.maxOverMean()).isCloseTo(1, within(0.01));
  }

  @Test
  void countsBecomeShares() {
    Topology topology = Topology.ring("a", "b");
    LoadReport load = LoadReport.ofCounts(topology, Map.of("a", 30L, "b", 10L));
    assertThat(load.node("a").orElseThrow().share()).isEqualTo(0.75);
    assertThat(load.maxOverMean()).isEqualTo(1.5);
    assertThat(load.maxOverMin()).isEqualTo(3);
    assertThat(load.cv()).isCloseTo(0.5, within(1e-12));
    assertThat(LoadReport.ofCounts(topology, Map.of()).maxOverMean()).isZero();
    assertThat(LoadReport.ofCounts(topology, Map.of("a", 5L)).maxOverMin()).isInfinite();
  }

  @ParameterizedTest
  @CsvSource({"'1,1,1', 1, 1, 1, 0", "'2,4', 3, 4, 2, 0.3333", "'0,0', 0, 0, 0, 0"})
  void spreadOfLoads(String loads, double mean, double largest, double smallest, double cv) {
    double[] values =
        java.util.Arrays.stream(loads.split(",")).mapToDouble(Double::parseDouble).toArray();
    Spread spread = Spread.of(values);
    assertThat(spread.mean()).isEqualTo(mean);
    assertThat(spread.largest()).isEqualTo(largest);
    assertThat(spread.smallest()).isEqualTo(smallest);
    assertThat(spread.cv()).isCloseTo(cv, within(1e-3));
    assertThat(Spread.of().maxOverMean()).isZero();
  }
}
