package dev.beltway.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The protocol in made-up worlds: as it is, and with each safeguard taken out. */
class SimulationTest {

  private static final int SCHEDULES = Integer.getInteger("beltway.schedules", 1_500);
  private static final long SEED = Long.getLong("beltway.seed", 1);

  @Test
  void noScheduleBreaksThePromises() {
    Simulate.Report report = Simulate.explore(SEED, SCHEDULES, Flaws.NONE);
    assertThat(report.violation())
        .as(
            "seed %d; replay: tests/simulate trace %d; shrink: tests/simulate shrink %d",
            report.seed(), report.seed(), report.seed())
        .isEmpty();
    assertThat(report.changes()).isGreaterThan(SCHEDULES / 2);
  }

  @Test
  void sameSeedGivesTheSameTrace() {
    Schedule schedule = new Schedule(77, Flaws.NONE, Schedule.USUAL_STEPS, true);
    assertThat(new World(schedule).run()).isEqualTo(new World(schedule).run());
  }

  /**
   * Each safeguard taken out is noticed. The seed is the first at which it was; where a change of
   * the code moves it, {@code tests/simulate 60000 1 FLAW} finds another.
   */
  @ParameterizedTest
  @CsvSource({"NO_BARRIER,1"})
  void lossOfASafeguardIsNoticed(Flaw flaw, long seed) {
    Simulate.Report report = Simulate.explore(seed, 1, Flaws.of(flaw));
    assertThat(report.violation())
        .as("with %s; tests/simulate 60000 1 %s finds another seed", flaw, flaw)
        .isNotEmpty();
  }

  @Test
  void everySafeguardIsTakenOutSomewhere() {
    Set<Flaw> covered = EnumSet.noneOf(Flaw.class);
    for (String row : new String[] {"NO_BARRIER,1"}) {
      covered.add(Flaw.valueOf(row.substring(0, row.indexOf(','))));
    }
    assertThat(covered).isEqualTo(EnumSet.allOf(Flaw.class));
  }

  /** The leader is killed at every single step of a change, and another one finishes it. */
  @Test
  void leaderKilledAtEveryStepIsFollowedByOneThatFinishes() {
    int step = 0;
    int finished = 0;
    while (true) {
      World world = new World(new Schedule(5, Flaws.NONE, 1, false));
      int done = world.changeWithLeaderKilledAt(step);
      if (done == 0) {
        break; // The change was over before.
      }
      finished++;
      step++;
    }
    assertThat(finished).isGreaterThan(100);
  }
}
