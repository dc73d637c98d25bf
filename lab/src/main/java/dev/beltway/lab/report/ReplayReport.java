package dev.beltway.lab.report;

import dev.beltway.lab.replay.Mode;
import dev.beltway.lab.replay.Outcome;
import dev.beltway.lab.replay.ReplayResult;
import dev.beltway.lab.replay.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What came of a replay, as a page. */
public final class ReplayReport {

  private static final int MOST_POINTS = 500;

  private final Page page;
  private final List<String> reading;
  private final ReplayResult result;
  private final String command;

  /**
   * A report.
   *
   * @param reading what was run, a sentence each; one that begins with {@code PARTIAL} is an alarm
   * @param command that made it
   */
  public ReplayReport(String title, List<String> reading, ReplayResult result, String command) {
    this.page = new Page(title);
    this.reading = List.copyOf(reading);
    this.result = result;
    this.command = command;
  }

  /** The page. */
  public String html() {
    page.reading(reading);
    page.inShort(inShort());
    accident();
    strategies();
    tables();
    parameters();
    return page.html();
  }

  private List<String> inShort() {
    List<String> sentences = new ArrayList<>();
    String requests = Amounts.plural(result.firstRequests(), "request");
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      for (Outcome outcome : comparison.changed()) {
        if (outcome.mode() == Mode.COLD) {
          Window first = outcome.first();
          long usual = comparison.unchanged().first().backend();
          sentences.add(
              String.format(
                  Locale.ROOT,
                  "%s, just switched: in the first %s the hit ratio is %s instead of %s, and the"
                      + " database gets %s requests instead of %s. Of the keys that the caches had,"
                      + " %s are not found when they are first asked for.",
                  capital(outcome.strategy()),
                  requests,
                  ReplayCells.hitRatio(first),
                  ReplayCells.hitRatio(comparison.unchanged().first()),
                  Amounts.count(first.backend()),
                  Amounts.count(usual),
                  Amounts.percent(first.firstLostPart())));
        }
      }
    }
    double worst =
        result.comparisons().stream()
            .flatMap(comparison -> comparison.changed().stream())
            .filter(outcome -> outcome.mode() == Mode.LIVE)
            .mapToDouble(outcome -> outcome.after().lostPart())
            .max()
            .orElse(0);
    sentences.add(
        worst == 0
            ? "With the keys moved before the switch nothing is lost, whatever the strategy; they"
                + " differ in how much must be moved."
            : "With the keys moved before the switch at most "
                + Amounts.percent(worst)
                + " is lost.");
    return sentences;
  }

  private static String capital(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private void accident() {
    page.heading("If you just switch");
    List<Curves.Curve> hits = new ArrayList<>();
    List<Curves.Curve> backend = new ArrayList<>();
    List<Curves.Curve> lost = new ArrayList<>();
    Outcome calm = result.comparisons().get(0).unchanged();
    String calmName = result.comparisons().get(0).strategy().name() + ", unchanged";
    hits.add(curve(calmName, "calm", calm, Window::hitRatio));
    backend.add(curve(calmName, "calm", calm, ReplayReport::missRatio));
    int colour = 0;
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      for (Outcome outcome : comparison.changed()) {
        if (outcome.mode() == Mode.COLD) {
          String classes = "s" + COLOURS[colour++ % COLOURS.length];
          hits.add(curve(comparison.strategy().name(), classes, outcome, Window::hitRatio));
          lost.add(curve(comparison.strategy().name(), classes, outcome, Window::lostPart));
          backend.add(
              curve(comparison.strategy().name(), classes, outcome, ReplayReport::missRatio));
        }
      }
    }
    page.figure(
        "What the change costs",
        "Of the reads that the caches would have answered without it, the part that is lost.",
        Curves.draw("Lost reads over the log", lost, top(lost), ReplayReport::percent));
    page.figure(
        "Hit ratio",
        "The part of the reads that the caches answer.",
        Curves.draw("Hit ratio over the log", hits, 1, ReplayReport::percent));
    double top = top(backend);
    page.figure(
        "What reaches the database",
        "Reads that no cache answers, of all reads.",
        Curves.draw("Misses over the log", backend, top, ReplayReport::percent));
    if (groups(calm) > 1) {
      page.faint("Each step of the curves sums up " + groups(calm) + " windows.");
    }
  }

  private static final int[] COLOURS = {1, 0, 2, 6};

  private static double missRatio(Window window) {
    return 1 - window.hitRatio();
  }

  private static double top(List<Curves.Curve> curves) {
    double most = 0;
    for (Curves.Curve curve : curves) {
      for (Curves.Point point : curve.points()) {
        most = Math.max(most, point.y());
      }
    }
    return Math.min(1, Math.max(0.05, Math.ceil(most * 10) / 10));
  }

  private static String percent(double y) {
    return Markup.number(100 * y) + " %";
  }

  private static int groups(Outcome outcome) {
    return (outcome.windows().size() + MOST_POINTS - 1) / MOST_POINTS;
  }

  private static Curves.Curve curve(
      String name, String classes, Outcome outcome, ToDoubleFunction<Window> figure) {
    // A window is a step: what happens in it is not known any finer.
    List<Curves.Point> points = new ArrayList<>();
    for (Window window : grouped(outcome)) {
      if (window.reads() > 0) {
        double value = figure.applyAsDouble(window);
        points.add(new Curves.Point((double) window.start(), value));
        points.add(new Curves.Point((double) (window.start() + window.requests()), value));
      }
    }
    return new Curves.Curve(name, classes, points);
  }

  /** Windows summed up where there are more than can be drawn, never across the change. */
  private static List<Window> grouped(Outcome outcome) {
    int size = groups(outcome);
    List<Window> grouped = new ArrayList<>();
    int inGroup = 0;
    for (Window window : outcome.windows()) {
      boolean begins = inGroup == 0 || inGroup == size || window.start() == 0;
      if (begins) {
        grouped.add(window);
        inGroup = 1;
      } else {
        int last = grouped.size() - 1;
        grouped.set(last, grouped.get(last).plus(window));
        inGroup++;
      }
    }
    return grouped;
  }

  private void strategies() {
    page.heading("Each strategy, in three ways");
    page.text(
        "Cold: requests go to the new nodes at once. Warm: the same, but on a miss the new node's key"
            + " is read from the old one and kept. Live: keys are moved before requests go to the new"
            + " nodes.");
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      List<Curves.Curve> curves = new ArrayList<>();
      curves.add(curve("unchanged", "calm", comparison.unchanged(), Window::hitRatio));
      int colour = 0;
      for (Outcome outcome : comparison.changed()) {
        curves.add(curve(outcome.mode().text(), "s" + WAYS[colour++], outcome, Window::hitRatio));
      }
      page.figure(
          "Hit ratio by " + comparison.strategy().name(),
          "",
          Curves.draw(
              "Hit ratio by " + comparison.strategy().name(), curves, 1, ReplayReport::percent));
    }
  }

  private static final int[] WAYS = {1, 4, 2};

  private void tables() {
    page.heading(
        "The first " + Amounts.plural(result.firstRequests(), "request") + " after the change");
    List<List<String>> rows = new ArrayList<>();
    List<List<String>> later = new ArrayList<>();
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      Outcome unchanged = comparison.unchanged();
      String strategy = comparison.strategy().name();
      rows.add(
          List.of(
              strategy + ", unchanged",
              ReplayCells.hitRatio(unchanged.first()),
              Amounts.count(unchanged.first().backend()),
              "",
              "",
              ""));
      later.add(
          List.of(
              strategy + ", unchanged",
              ReplayCells.hitRatio(unchanged.before()),
              ReplayCells.hitRatio(unchanged.after()),
              "",
              "",
              "",
              ""));
      for (Outcome outcome : comparison.changed()) {
        Window first = outcome.first();
        String name = strategy + ", " + outcome.mode().text();
        rows.add(
            List.of(
                name,
                ReplayCells.hitRatio(first),
                Amounts.count(first.backend()),
                Amounts.percent(first.lostPart()),
                Amounts.percent(first.firstLostPart()),
                outcome.mode() == Mode.WARM ? Amounts.count(first.oldReads()) : ""));
        later.add(
            List.of(
                name,
                "",
                ReplayCells.hitRatio(outcome.after()),
                Amounts.percent(outcome.after().lostPart()),
                ReplayCells.worst(outcome, unchanged),
                ReplayCells.back(outcome, unchanged),
                outcome.mode() == Mode.LIVE ? Amounts.count(outcome.movedKeys()) : ""));
      }
    }
    page.table(
        List.of(
            "", "hit ratio", "to the database", "lost", "lost of first requests", "old node read"),
        rows);
    page.faint(
        "Lost: of what the caches would have answered without the change, the part that they didn't."
            + " Of first requests: the same for each key's first request since the change, after"
            + " which it is back.");
    page.heading("All that came after");
    page.table(
        List.of(
            "",
            "hit ratio before",
            "hit ratio after",
            "lost",
            "worst window",
            "back after requests",
            "keys moved"),
        later);
    page.faint(
        "The worst window is the one furthest below the unchanged hit ratio. Back: within a point"
            + " of it, in two windows in a row.");
  }

  private void parameters() {
    page.heading("How this was made");
    page.code(command);
    List<List<String>> rows = new ArrayList<>();
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      String name = comparison.strategy().name();
      rows.add(LogReport.row(name + ", before", comparison.strategy().before().topology()));
      rows.add(LogReport.row(name + ", after", comparison.strategy().after().topology()));
    }
    page.table(List.of("", "epoch", "algorithm", "hash", "nodes", "size", "fingerprint"), rows);
  }
}
