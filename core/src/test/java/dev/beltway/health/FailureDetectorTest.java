package dev.beltway.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.testing.Seeded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailureDetectorTest {

  private static final HealthRules RULES = new HealthRules(3, 100, 2_000, 60_000, 300_000, 3, 0.5);

  private static FailureDetector failing(FailureDetector from, String node, long at, int times) {
    FailureDetector detector = from;
    for (int i = 0; i < times; i++) {
      detector = detector.failed(node, at + i * 200L);
    }
    return detector;
  }

  @Test
  void severalFailuresInARowPutANodeOutAndNotFewer() {
    FailureDetector fresh = FailureDetector.of(RULES, List.of("a", "b", "c"));
    assertThat(failing(fresh, "a", 0, 2).isOut("a")).isFalse();
    assertThat(failing(fresh, "a", 0, 3).isOut("a")).isTrue();
    FailureDetector between = failing(fresh, "a", 0, 2).succeeded("a", 500);
    assertThat(failing(between, "a", 600, 2).isOut("a")).isFalse();
  }

  /** Three of twenty sockets close at once: that is one thing that happened. */
  @Test
  void whatHappensAtOnceCountsOnce() {
    FailureDetector detector = FailureDetector.of(RULES, List.of("a", "b"));
    for (int i = 0; i < 20; i++) {
      detector = detector.failed("a", 1_000 + i);
    }
    assertThat(detector.isOut("a")).isFalse();
  }

  @Test
  void aNodeStaysOutLongerEachTimeAndComesBackAfterSeveralSuccesses() {
    FailureDetector detector = FailureDetector.of(RULES, List.of("a", "b"));
    long now = 0;
    for (long least : new long[] {2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000}) {
      detector = failing(detector, "a", now, 3);
      long out = now + 400;
      assertThat(detector.isOut("a")).isTrue();
      long at = out;
      while (detector.isOut("a")) {
        at += 500;
        detector = detector.succeeded("a", at);
      }
      assertThat(at - out).isBetween(least, least + 500);
      now = at + 1_000;
    }
    // After a calm time it begins anew.
    now += 400_000;
    detector = failing(detector, "a", now, 3);
    detector = detector.succeeded("a", now + 2_400).succeeded("a", now + 2_401);
    assertThat(detector.isOut("a")).isTrue();
    assertThat(detector.succeeded("a", now + 2_402).isOut("a")).isFalse();
  }

  @Test
  void neverAreTooManyOut() {
    FailureDetector detector = FailureDetector.of(RULES, List.of("a", "b", "c"));
    for (String node : List.of("a", "b", "c")) {
      detector = failing(detector, node, 0, 5);
    }
    assertThat(detector.out()).isEqualTo(1);
    detector = FailureDetector.of(RULES, List.of("a", "b", "c", "d"));
    for (String node : List.of("a", "b", "c", "d")) {
      detector = failing(detector, node, 0, 5);
    }
    assertThat(detector.out()).isEqualTo(2);
    assertThat(detector.isOut("d")).isFalse();
    assertThat(detector.isFailing("d")).isTrue();
    assertThat(detector.succeeded("d", 9_999).isFailing("d")).isFalse();
    detector = failing(FailureDetector.of(RULES, List.of("only")), "only", 0, 9);
    assertThat(detector.isOut("only")).isFalse();
  }

  /** Trouble shorter than the limit never changes anything, however often. */
  @Test
  void shortTroubleFlapsNothing() {
    Seeded.forSeeds(
        50,
        random -> {
          FailureDetector detector = FailureDetector.of(RULES, List.of("a", "b"));
          long now = 0;
          for (int i = 0; i < 500; i++) {
            int failures = random.nextInt(3);
            for (int f = 0; f < failures; f++) {
              now += random.between(100, 1_000);
              detector = detector.failed("a", now);
            }
            now += random.between(1, 1_000);
            detector = detector.succeeded("a", now);
            assertThat(detector.isOut("a")).isFalse();
          }
        });
  }

  /** A node that comes and goes every second moves its keys seldom: less and less often. */
  @Test
  void aFlappingNodeIsMovedSeldom() {
    FailureDetector detector = FailureDetector.of(RULES, List.of("a", "b", "c"));
    int changes = 0;
    boolean out = false;
    for (long now = 0; now < 60_000; now += 250) {
      boolean up = now / 1_000 % 2 == 0;
      detector = up ? detector.succeeded("a", now) : detector.failed("a", now);
      if (detector.isOut("a") != out) {
        out = !out;
        changes++;
      }
    }
    assertThat(changes).isLessThanOrEqualTo(10);
  }

  @Test
  void whatIsOutWasSeenFailingAndWhatIsBackWasSeenWorking() {
    Seeded.forSeeds(
        200,
        random -> {
          List<String> nodes = List.of("a", "b", "c", "d", "e");
          FailureDetector detector = FailureDetector.of(RULES, nodes);
          Map<String, Integer> bad = new HashMap<>();
          Map<String, Integer> good = new HashMap<>();
          long now = 0;
          for (int i = 0; i < 400; i++) {
            now += random.between(100, 2_000);
            String node = nodes.get(random.nextInt(nodes.size()));
            boolean before = detector.isOut(node);
            if (random.oneIn(2)) {
              detector = detector.failed(node, now);
              bad.merge(node, 1, Integer::sum);
              good.put(node, 0);
              if (!before && detector.isOut(node)) {
                assertThat(bad.get(node)).isGreaterThanOrEqualTo(3);
              }
            } else {
              detector = detector.succeeded(node, now);
              good.merge(node, 1, Integer::sum);
              bad.put(node, 0);
              if (before && !detector.isOut(node)) {
                assertThat(good.get(node)).isGreaterThanOrEqualTo(3);
              }
            }
            assertThat(detector.out()).isLessThanOrEqualTo(2);
          }
        });
  }

  @Test
  void rulesNameTheValueAndTheRange() {
    assertThatThrownBy(() -> new HealthRules(0, 100, 1, 1, 1, 1, 0.5))
        .hasMessage("failures 0 is outside 1 to 1000");
    assertThatThrownBy(() -> new HealthRules(1, 100, 10, 5, 1, 1, 0.5))
        .hasMessage("mostOutMillis 5 is outside 10 to 86400000");
    assertThatThrownBy(() -> new HealthRules(1, 1, 1, 1, 1, 1, Double.NaN))
        .hasMessage("mostShareOut NaN is outside 0 to 1");
    assertThatThrownBy(() -> FailureDetector.of(RULES, List.of("a")).isOut("b"))
        .hasMessage("node b is not watched");
  }
}
