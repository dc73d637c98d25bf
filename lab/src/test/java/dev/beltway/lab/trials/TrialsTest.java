package dev.beltway.lab.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.balance.Theory;
import dev.beltway.hash.HashFunctions;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.SlicesRule;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TrialsTest {

  private static Setting ten(int groups) {
    return Setting.equal(10, HashFunctions.XXH3_64, groups);
  }

  @Test
  void balanceSitsOnTheCurveOfTheory() {
    for (int vnodes : new int[] {10, 100, 1000}) {
      BalanceTrial trial = BalanceTrial.run(ten(200), vnodes, done -> {});
      assertThat(trial.tokens()).isEqualTo(10L * vnodes);
      assertThat(trial.theoreticalCv()).isCloseTo(Theory.cv(10, vnodes), within(1e-9));
      assertThat(trial.cv().median() / trial.theoreticalCv()).isBetween(0.85, 1.05);
      assertThat(trial.maxOverFair().p10()).isLessThan(trial.maxOverFair().median());
      assertThat(trial.maxOverFair().median()).isLessThan(trial.maxOverFair().p90());
      assertThat(trial.minOverFair().median()).isLessThan(1);
    }
  }

  @Test
  void aTrialRepeats() {
    assertThat(BalanceTrial.run(ten(20), 50, done -> {}))
        .isEqualTo(BalanceTrial.run(ten(20), 50, done -> {}));
  }

  @Test
  void unequalWeightsCountByFairShare() {
    Setting setting = new Setting(List.of(1.0, 1.0, 4.0), HashFunctions.XXH3_64, 50);
    BalanceTrial trial = BalanceTrial.run(setting, 500, done -> {});
    assertThat(trial.tokens()).isEqualTo(3000);
    assertThat(trial.maxOverFair().median()).isBetween(1.0, 1.12);
  }

  @Test
  void churnMovesTheLeastAndNothingBetweenNodesThatStay() {
    Setting setting = ten(1);
    ChurnTrial ring = ChurnTrial.run(setting, setting.ring(150), 60, 1, done -> {});
    assertThat(ring.betweenStaying()).isZero();
    assertThat(ring.moved() / ring.least()).isBetween(0.95, 1.05);
    ChurnTrial slices = ChurnTrial.run(setting, SlicesRule.DEFAULT, 60, 1, done -> {});
    assertThat(slices.betweenStaying()).isZero();
    assertThat(slices.moved() / slices.least()).isBetween(0.98, 1.02);
    assertThat(slices.maxOverFair()).isCloseTo(1, within(1e-9));
    assertThat(slices.least()).isCloseTo(ring.least(), within(1e-9));
    ChurnTrial modulo =
        ChurnTrial.run(setting, new ModuloRule(HashFunctions.XXH3_64, false), 60, 1, done -> {});
    assertThat(modulo.moved()).isGreaterThan(5 * modulo.least());
    assertThat(modulo.bounced()).isGreaterThan(0.9);
    assertThat(ChurnTrial.run(setting, SlicesRule.DEFAULT, 60, 1, done -> {})).isEqualTo(slices);
    assertThat(ChurnTrial.run(setting, SlicesRule.DEFAULT, 60, 2, done -> {})).isNotEqualTo(slices);
  }

  @Test
  void theRecommendationIsTheSmallestThatWasSeenToDo() {
    Recommendation found = Recommendation.search(ten(100), 1.2, (vnodes, groups) -> {});
    int vnodes = found.vnodes().orElseThrow();
    TreeMap<Integer, Double> evidence = new TreeMap<>(found.evidence());
    assertThat(evidence.get(vnodes)).isGreaterThanOrEqualTo(0.95);
    assertThat(evidence.headMap(vnodes).values()).allMatch(part -> part < 0.95);
    assertThat(evidence).containsKey(vnodes - 1);
    assertThat(vnodes).isBetween(60, 250);
    assertThat(BalanceTrial.metBy(ten(100), vnodes, 1.2, groups -> {}))
        .isEqualTo(evidence.get(vnodes));
  }

  @Test
  void whatCantBeMetIsSaid() {
    Setting large = Setting.equal(5_000, HashFunctions.XXH3_64, 2);
    Recommendation found = Recommendation.search(large, 1.01, (vnodes, groups) -> {});
    assertThat(found.vnodes()).isEmpty();
    assertThat(found.evidence().keySet()).contains(1000); // The most that 5,000,000 tokens allow.
    assertThat(
            Recommendation.search(Setting.equal(1, HashFunctions.MD5, 3), 1.1, (v, g) -> {})
                .vnodes())
        .hasValue(1);
    for (double target : new double[] {1, 0, Double.NaN, 101}) {
      assertThatThrownBy(() -> Recommendation.search(ten(1), target, (v, g) -> {}))
          .hasMessageContaining("is outside 1.005 to 100");
    }
  }

  @Test
  void settingsAreBounded() {
    assertThatThrownBy(() -> Setting.equal(0, HashFunctions.MD5, 1))
        .hasMessage("nodes 0 is outside 1 to 10000");
    assertThatThrownBy(() -> Setting.equal(2_000_000_000, HashFunctions.MD5, 1))
        .hasMessage("nodes 2000000000 is outside 1 to 10000");
    assertThatThrownBy(() -> ten(0)).hasMessage("groups 0 is outside 1 to 10000");
    assertThatThrownBy(() -> ten(1).tokens(600_000))
        .hasMessage("vnodes 600000 on 10 nodes make 6000000 tokens, more than 5000000");
    assertThatThrownBy(() -> ten(10_000).tokens(400_000)).hasMessageContaining("take fewer groups");
    assertThatThrownBy(() -> ChurnTrial.run(ten(1), SlicesRule.DEFAULT, 0, 1, done -> {}))
        .hasMessage("changes 0 is outside 1 to 10000");
  }

  @Test
  void quantilesAreValuesThatOccurred() {
    Quantiles quantiles = Quantiles.of(5, 1, 4, 2, 3);
    assertThat(quantiles.median()).isEqualTo(3);
    assertThat(quantiles.p10()).isEqualTo(2);
    assertThat(quantiles.p95()).isEqualTo(5);
    assertThatThrownBy(Quantiles::of).hasMessage("no values");
  }
}
