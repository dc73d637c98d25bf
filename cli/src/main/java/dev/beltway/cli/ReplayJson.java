package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.lab.replay.Outcome;
import dev.beltway.lab.replay.ReplayResult;
import dev.beltway.lab.replay.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What came of a replay, for machines; see docs/commands.md. */
final class ReplayJson {

  private ReplayJson() {}

  static ObjectNode of(ReplayStory story) {
    ReplayResult result = story.result();
    ObjectNode root = Json.object();
    root.put("log", story.names());
    root.put("format", story.format().name());
    root.set("read", LogJson.read(story.read()));
    root.set("before", PlanJson.topology(story.before()));
    root.set("after", PlanJson.topology(story.after()));
    root.put("requests", result.requests());
    root.put("at", result.at());
    root.put("window", result.window());
    ObjectNode caches = root.putObject("caches");
    caches.put("unlimited", result.size().isUnlimited());
    if (!result.size().isUnlimited()) {
      caches
          .put("amount", result.size().amount())
          .put("unit", result.size().unit().name().toLowerCase(Locale.ROOT))
          .put("total", result.size().total());
    }
    ArrayNode outcomes = root.putArray("outcomes");
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      for (Outcome outcome : all(comparison)) {
        outcomes.add(outcome(outcome, comparison.unchanged()));
      }
    }
    return root;
  }

  private static List<Outcome> all(ReplayResult.Comparison comparison) {
    List<Outcome> all = new ArrayList<>(comparison.changed());
    all.add(0, comparison.unchanged());
    return all;
  }

  private static ObjectNode outcome(Outcome outcome, Outcome unchanged) {
    ObjectNode object =
        Json.object()
            .put("strategy", outcome.strategy())
            .put("mode", outcome.mode().text())
            .put("movedKeys", outcome.movedKeys())
            .put("movedBytes", outcome.movedBytes())
            .put("entries", outcome.entries());
    object.set("before", window(outcome.before()));
    object.set("first", window(outcome.first()));
    outcome.worst(unchanged).ifPresent(worst -> object.set("worst", window(worst)));
    object.set("after", window(outcome.after()));
    Json.put(object, "recovered", outcome.recovered(unchanged));
    ArrayNode windows = object.putArray("windows");
    outcome.windows().forEach(window -> windows.add(window(window)));
    return object;
  }

  private static ObjectNode window(Window window) {
    return Json.object()
        .put("start", window.start())
        .put("requests", window.requests())
        .put("reads", window.reads())
        .put("hits", window.hits())
        .put("backend", window.backend())
        .put("oldReads", window.oldReads())
        .put("wanted", window.wanted())
        .put("lost", window.lost())
        .put("firstWanted", window.firstWanted())
        .put("firstLost", window.firstLost());
  }

  /** A line for each window of each strategy and mode. */
  static String csv(ReplayResult result) {
    StringBuilder text =
        new StringBuilder(
            Csv.row(
                "strategy",
                "mode",
                "start",
                "requests",
                "reads",
                "hits",
                "backend",
                "old_reads",
                "wanted",
                "lost",
                "first_wanted",
                "first_lost"));
    for (ReplayResult.Comparison comparison : result.comparisons()) {
      for (Outcome outcome : all(comparison)) {
        for (Window window : outcome.windows()) {
          text.append(
              Csv.row(
                  outcome.strategy(),
                  outcome.mode().text(),
                  window.start(),
                  window.requests(),
                  window.reads(),
                  window.hits(),
                  window.backend(),
                  window.oldReads(),
                  window.wanted(),
                  window.lost(),
                  window.firstWanted(),
                  window.firstLost()));
        }
      }
    }
    return text.toString();
  }
}
