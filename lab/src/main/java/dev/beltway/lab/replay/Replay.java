package dev.beltway.lab.replay;

import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Request;
import dev.beltway.placement.Placement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Runs a log against simulated caches whose topology changes at one of its requests, for several
 * strategies at once, each without the change and in each {@link Mode}.
 *
 * <p>A read that no cache answers goes to the backend, and the owner keeps what comes back. A write
 * stores, a delete removes. TTLs hold where the log has them and its times: a read without one of
 * its own keeps the TTL that the key was stored with. The time is that of the request. Nothing is
 * left to chance: the same log gives the same figures. Memory grows with what the caches hold. Not
 * thread-safe.
 */
public final class Replay {

  /** The most windows that a log may have. */
  public static final int MOST_WINDOWS = Windows.MOST;

  private final List<Run> runs = new ArrayList<>();
  private final CacheSize size;
  private final long at;
  private final long window;
  private long requests;
  private long other;
  private long now;
  private boolean changed;

  /**
   * A replay without any request so far.
   *
   * @param at how many requests come before the change, 0 or more
   * @param window how many requests a window has, 1 or more
   */
  public Replay(List<Strategy> strategies, CacheSize size, long at, long window) {
    if (at < 0 || window < 1) {
      throw new IllegalArgumentException(
          "a change at " + at + ", windows of " + window + ": allowed are 0 and 1 or more");
    }
    strategies.forEach(strategy -> runs.add(new Run(strategy, size, window)));
    this.size = size;
    this.at = at;
    this.window = window;
  }

  /** One strategy in all its modes. */
  private static final class Run {

    private final Strategy strategy;
    private final Fleet fleet;
    private final Map<Mode, Course> courses = new EnumMap<>(Mode.class);

    Run(Strategy strategy, CacheSize size, long window) {
      this.strategy = strategy;
      this.fleet = new Fleet(strategy, size);
      courses.put(Mode.UNCHANGED, new Course(fleet.empty(), window));
    }

    private Course unchanged() {
      return Objects.requireNonNull(courses.get(Mode.UNCHANGED));
    }

    void change(long now) {
      for (Mode mode : List.of(Mode.COLD, Mode.WARM, Mode.LIVE)) {
        courses.put(mode, unchanged().fork(mode, fleet, now));
      }
    }

    private void add(Course.Asked asked, long number, long at) {
      Course.Answer undisturbed = unchanged().ask(asked);
      long wanted = number >= 0 ? undisturbed.hits() : 0;
      boolean hit = number >= 0 && undisturbed.stampBefore() != LruCache.ABSENT;
      boolean first = hit && undisturbed.stampBefore() < at;
      courses.forEach(
          (mode, course) -> {
            Course.Answer answer = mode == Mode.UNCHANGED ? undisturbed : course.ask(asked);
            course.note(number, asked, answer, wanted, first);
          });
    }

    private int owner(Placement placement, Request request) {
      return placement.ownerIndexAt(
          placement.partitioner().position(request.bytes(), request.offset(), request.length()));
    }

    /** Runs {@code count} of a request's count. */
    void add(Request request, long key, long count, long stamp, long now, long at) {
      int before = fleet.ownerBefore(owner(strategy.before(), request));
      boolean timed = request.time() != Request.NO_TIME;
      Course.Asked asked =
          new Course.Asked(
              key,
              request.operation(),
              count,
              request.length() + request.size(),
              timed ? request.ttl() : 0,
              unchanged().ttl(key, before),
              now,
              stamp,
              before,
              fleet.ownerAfter(owner(strategy.after(), request)));
      add(asked, stamp - at, at);
    }
  }

  /**
   * Runs one request.
   *
   * @throws TooManyWindowsException if the windows are too small for the log
   */
  public void add(Request request) {
    if (request.time() != Request.NO_TIME) {
      now = request.time();
    }
    long key = HashFunctions.XXH3_64.hash(request.bytes(), request.offset(), request.length());
    // What stands for many requests may stand on both sides of the change, and in many windows.
    for (long left = request.count(); left > 0; ) {
      if (!changed && requests >= at) {
        changed = true;
        runs.forEach(run -> run.change(now));
      }
      long count = Math.min(left, Windows.left(requests - at, window));
      for (Run run : runs) {
        run.add(request, key, count, requests, now, at);
      }
      requests += count;
      left -= count;
    }
    other += request.operation() == Operation.OTHER ? request.count() : 0;
  }

  /** What has come of it; empty if the log ended before the change. */
  public Optional<ReplayResult> result() {
    if (!changed) {
      return Optional.empty();
    }
    List<ReplayResult.Comparison> comparisons = new ArrayList<>();
    for (Run run : runs) {
      List<Outcome> outcomes = new ArrayList<>();
      run.courses.values().forEach(course -> outcomes.add(course.outcome(run.strategy.name())));
      comparisons.add(
          new ReplayResult.Comparison(
              run.strategy, outcomes.get(0), outcomes.subList(1, outcomes.size())));
    }
    return Optional.of(new ReplayResult(size, requests, at, window, other, comparisons));
  }
}
