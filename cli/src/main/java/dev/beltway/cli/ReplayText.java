package dev.beltway.cli;

import dev.beltway.lab.replay.Mode;
import dev.beltway.lab.replay.Outcome;
import dev.beltway.lab.replay.ReplayResult;
import dev.beltway.lab.replay.Window;
import dev.beltway.lab.report.ReplayCells;
import java.util.Locale;

/** What came of a replay, as text for people. */
final class ReplayText {

  private final Terminal terminal;
  private final ReplayStory story;
  private final StringBuilder text = new StringBuilder();

  ReplayText(Terminal terminal, ReplayStory story) {
    this.terminal = terminal;
    this.story = story;
  }

  @Override
  public String toString() {
    text.setLength(0);
    text.append(terminal.bold("Replay: " + story.names())).append('\n');
    TextTable head = new TextTable(true);
    head.row("before", TopologyLine.of(story.before()));
    head.row("after", TopologyLine.of(story.after()));
    head.row("log", story.reading());
    head.row("caches", story.caches());
    text.append(head);
    story
        .read()
        .damage()
        .ifPresent(
            damage -> text.append("  ").append(terminal.bad("PARTIAL: " + damage)).append('\n'));
    firstWindow();
    afterwards();
    text.append(
        "\n  lost: of what the caches would have answered without the change, the part that they"
            + " didn't;\n"
            + "  of first requests: the same for each key's first request since the change, after"
            + " which it is back.\n"
            + "  back: the hit ratio is within a point of the unchanged one, in two windows in a"
            + " row.\n");
    return text.toString();
  }

  private void section(String name) {
    text.append('\n').append(terminal.bold(name)).append('\n');
  }

  private void firstWindow() {
    ReplayResult result = story.result();
    section("The first " + Formats.plural(result.firstRequests(), "request") + " after the change");
    TextTable table = new TextTable(false);
    table.row(
        "", "hit ratio", "to the database", "× unchanged", "lost", "of first requests", "old node");
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      Window unchanged = comparison.unchanged().first();
      table.row(
          comparison.strategy().name(),
          ReplayCells.hitRatio(unchanged),
          Formats.count(unchanged.backend()),
          "",
          "",
          "",
          "");
      for (Outcome outcome : comparison.changed()) {
        Window first = outcome.first();
        table.row(
            "  " + outcome.mode().text(),
            ReplayCells.hitRatio(first),
            Formats.count(first.backend()),
            times(first.backend(), unchanged.backend()),
            Formats.percent(first.lostPart()),
            Formats.percent(first.firstLostPart()),
            outcome.mode() == Mode.WARM ? Formats.count(first.oldReads()) + " reads" : "");
      }
    }
    text.append(table);
  }

  private void afterwards() {
    section("All that came after");
    TextTable table = new TextTable(false);
    table.row("", "before", "after", "lost", "worst window", "back after", "keys moved");
    for (ReplayResult.Comparison comparison : story.result().comparisons()) {
      Outcome unchanged = comparison.unchanged();
      table.row(
          comparison.strategy().name(),
          ReplayCells.hitRatio(unchanged.before()),
          ReplayCells.hitRatio(unchanged.after()),
          "",
          "",
          "",
          "");
      for (Outcome outcome : comparison.changed()) {
        table.row(
            "  " + outcome.mode().text(),
            "",
            ReplayCells.hitRatio(outcome.after()),
            Formats.percent(outcome.after().lostPart()),
            ReplayCells.worst(outcome, unchanged),
            ReplayCells.back(outcome, unchanged),
            outcome.mode() == Mode.LIVE ? Formats.count(outcome.movedKeys()) : "");
      }
    }
    text.append(table);
  }

  private static String times(long backend, long unchanged) {
    return unchanged == 0
        ? (backend == 0 ? "1.0" : "∞")
        : String.format(Locale.ROOT, "%.1f", backend / (double) unchanged);
  }
}
