package dev.beltway.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** How fast keys leave, with a clock of our own. */
@NullUnmarked
class PaceTest {

  private static final TransferToken TOKEN = new TransferToken(3, 0, "run");

  private long now = 1_000_000_000L;
  private final Pace pace = new Pace(() -> now);

  private static ClusterState moving(MoveOptions options) {
    Change change = new Change("add", "me", "", false, options);
    return ClusterState.first(1)
        .preparing(2, Way.STRAIGHT, change, Optional.empty())
        .fencing(Map.of())
        .moving(Map.of("a", TOKEN));
  }

  /** Sends batches of keys as a walk would, for so long; how many have left. */
  private long send(double seconds, long keysABatch, long bytesAKey, SplittableRandom random) {
    long end = now + (long) (seconds * 1e9);
    long keys = 0;
    while (now < end) {
      long rest = pace.delay();
      if (rest > 0) {
        now += rest * 1_000_000;
        continue;
      }
      long since = pace.begin();
      now += 200_000 + random.nextInt(300_000);
      keys += 1 + random.nextLong(keysABatch); // Those that clients have asked for are in it.
      pace.moved("a", "t", keys, keys * bytesAKey, since);
    }
    return keys;
  }

  @Test
  void keysAndBytesLeaveAtTheStatedRates() {
    SplittableRandom random = new SplittableRandom(1);
    pace.obey(moving(new MoveOptions(20_000, 0, false)));
    pace.track(3, "a", "run");
    assertThat(send(10, 100, 100, random)).isBetween(195_000L, 204_000L);
    pace.obey(moving(new MoveOptions(0, 1_000_000, false)));
    long before = pace.tracks().get(0).allKeys();
    assertThat(before).isPositive();
    Pace other = pace;
    other.obey(ClusterState.first(1));
    pace.obey(moving(new MoveOptions(0, 1_000_000, false)));
    pace.track(3, "a", "run");
    assertThat(send(10, 20, 500, random)).isBetween(19_500L, 20_500L);
  }

  @Test
  void whatWasNotMovedWhileNothingMovedIsNotMadeUpFor() {
    pace.obey(moving(new MoveOptions(1_000, 0, false)));
    pace.track(3, "a", "run");
    send(1, 10, 1, new SplittableRandom(2));
    now += 60_000_000_000L;
    long keys = send(1, 10, 1, new SplittableRandom(3));
    assertThat(keys).isLessThan(1_100);
  }

  @Test
  void aPauseHoldsUntilItIsLiftedAndAnotherVersionEndsTheWalk() {
    ClusterState state = moving(MoveOptions.USUAL);
    pace.obey(state);
    assertThat(pace.delay()).isZero();
    pace.obey(state.withPause("lunch"));
    assertThat(pace.delay()).isPositive();
    assertThat(pace.isPaused()).isTrue();
    pace.obey(state.withPause(""));
    assertThat(pace.delay()).isZero();
    assertThat(pace.isOver(state.version())).isFalse();
    pace.obey(state.steady(2));
    assertThat(pace.isOver(state.version())).isTrue();
  }

  @Test
  void batchesGetSmallerWhereTheyTakeLongAndLargerAgain() {
    pace.obey(moving(MoveOptions.USUAL));
    pace.track(3, "a", "run");
    assertThat(pace.batchBytes("a")).isEqualTo(Pace.MOST_BYTES);
    for (int i = 1; i <= 20; i++) {
      long since = pace.begin();
      now += 5_000_000;
      pace.moved("a", "t", i, i, since);
    }
    int small = pace.batchBytes("a");
    assertThat(small).isEqualTo(8 << 10);
    for (int i = 21; i <= 200; i++) {
      long since = pace.begin();
      now += 100_000;
      pace.moved("a", "t", i, i, since);
    }
    assertThat(pace.batchBytes("a")).isEqualTo(Pace.MOST_BYTES);
  }

  @Test
  void aSourceThatAnswersLateIsLeftAlone() {
    pace.obey(moving(MoveOptions.USUAL));
    pace.track(3, "a", "run");
    long since = pace.begin();
    now += 200_000;
    pace.answered("a", since);
    assertThat(pace.rest("a")).isZero();
    for (int i = 0; i < 20; i++) {
      since = pace.begin();
      now += 4_000_000;
      pace.answered("a", since);
    }
    assertThat(pace.rest("a")).isBetween(25L, 40L);
  }

  @Test
  void oneSourceAtATimeSendsToATarget() {
    assertThat(pace.enter("a", "t")).isTrue();
    assertThat(pace.enter("b", "t")).isFalse();
    assertThat(pace.enter("b", "u")).isTrue();
    pace.leave("b", "t"); // It is not there.
    assertThat(pace.enter("b", "t")).isFalse();
    pace.leave("a");
    assertThat(pace.enter("b", "t")).isTrue();
  }

  /** A walk of another version, or of another process, begins anew. */
  @Test
  void whereAWalkWasCountsForTheSameVersionAndProcessAlone() {
    pace.obey(moving(MoveOptions.USUAL));
    pace.set(pace.track(3, "a", "run").at(new Pace.Position(2, "77", 1, true, 0.5)));
    assertThat(pace.track(3, "a", "run").at().cursor()).isEqualTo("77");
    List<Pace.Track> kept = pace.tracks();
    assertThat(pace.track(3, "a", "run2").at().cursor()).isEqualTo("0");
    Pace next = new Pace(() -> now);
    next.recall(kept); // Before the state is known it says nothing.
    assertThat(next.tracks()).isEmpty();
    next.obey(moving(MoveOptions.USUAL));
    next.recall(kept);
    assertThat(next.track(3, "a", "run").at().cursor()).isEqualTo("77");
    next.obey(ClusterState.first(1));
    next.set(kept.get(0)); // A late word of an ended walk.
    assertThat(next.tracks()).isEmpty();
  }

  @Test
  void cursorsReadBackwardsSayHowMuchIsDone() {
    // A table of eight is walked in the order 0, 4, 2, 6, 1, 5, 3, 7.
    assertThat(Orders.covered("4")).isGreaterThan(Orders.covered("8"));
    double last = 0;
    for (String cursor : List.of("4", "2", "6", "1", "5", "3", "7")) {
      double covered = Orders.covered(cursor);
      assertThat(covered).isGreaterThanOrEqualTo(0).isLessThan(1);
      assertThat(covered == 0 || covered > last).isTrue();
      last = covered;
    }
  }
}
