package dev.beltway.simulation;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Runs schedules: {@code Simulate SCHEDULES [SEED [FLAW]]}, or {@code Simulate trace SEED [FLAW]},
 * or {@code Simulate shrink SEED [FLAW]}.
 */
public final class Simulate {

  private Simulate() {}

  /** The command. */
  public static void main(String[] words) {
    PrintStream out = System.out;
    if (words.length > 1 && (words[0].equals("trace") || words[0].equals("shrink"))) {
      long seed = Long.parseLong(words[1]);
      Flaws flaws = flaws(words, 2);
      int most = Schedule.USUAL_STEPS;
      if (words[0].equals("shrink")) {
        most = shortest(seed, flaws);
      }
      Verdict verdict = new World(new Schedule(seed, flaws, most, true)).run();
      verdict.trace().forEach(out::println);
      out.println(verdict.isGood() ? "no violation" : "VIOLATION " + verdict.violation());
      return;
    }
    long schedules = words.length > 0 ? Long.parseLong(words[0]) : 10_000;
    long first = words.length > 1 ? Long.parseLong(words[1]) : 1;
    Flaws flaws = flaws(words, 2);
    Report report = explore(first, schedules, flaws);
    out.printf(
        Locale.ROOT,
        "%d schedules from seed %d, %d steps, %d changes asked for, %.0f schedules a second: %s%n",
        report.schedules(),
        first,
        report.steps(),
        report.changes(),
        report.schedules() / report.seconds(),
        report.violation().isEmpty()
            ? "no violation"
            : "seed "
                + report.seed()
                + ": "
                + report.violation()
                + "\n  replay: tests/simulate trace "
                + report.seed()
                + "\n  shrink: tests/simulate shrink "
                + report.seed());
    if (!report.violation().isEmpty()) {
      System.exit(1);
    }
  }

  private static Flaws flaws(String[] words, int at) {
    return words.length > at
        ? Flaws.of(Flaw.valueOf(words[at].toUpperCase(Locale.ROOT)))
        : Flaws.NONE;
  }

  /** What came of many schedules, up to the first violation. */
  record Report(
      long schedules, long steps, long changes, double seconds, long seed, String violation) {}

  static Report explore(long first, long schedules, Flaws flaws) {
    long begun = System.nanoTime();
    long steps = 0;
    long changes = 0;
    for (long i = 0; i < schedules; i++) {
      Verdict verdict = new World(Schedule.of(first + i, flaws)).run();
      steps += verdict.steps();
      changes += verdict.changes();
      if (!verdict.isGood()) {
        return new Report(i + 1, steps, changes, seconds(begun), first + i, verdict.violation());
      }
    }
    return new Report(schedules, steps, changes, seconds(begun), 0, "");
  }

  private static double seconds(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }

  /** With how few steps before everything settles the same seed still fails. */
  static int shortest(long seed, Flaws flaws) {
    int most = Schedule.USUAL_STEPS;
    for (int tried = 1; tried < most; tried++) {
      if (!new World(new Schedule(seed, flaws, tried, false)).run().isGood()) {
        return tried;
      }
    }
    return most;
  }
}
