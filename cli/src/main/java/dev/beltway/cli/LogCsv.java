package dev.beltway.cli;

import dev.beltway.balance.NodeLoad;
import dev.beltway.lab.load.NodeFigures;
import dev.beltway.lab.load.NodeLoads;
import java.util.Map;

/** What each node gets of a log, as CSV, a line a node; those after a change follow. */
final class LogCsv {

  private LogCsv() {}

  static String of(LogStory story) {
    StringBuilder text =
        new StringBuilder(
            Csv.row(
                "when",
                "node",
                "fair",
                "expected",
                "keys",
                "keys_lower",
                "keys_upper",
                "requests",
                "bytes"));
    append(text, "now", story.findings().loads());
    story.findings().movement().ifPresent(moved -> append(text, "after", moved.after()));
    return text.toString();
  }

  private static void append(StringBuilder text, String when, NodeLoads loads) {
    Map<String, NodeLoad> expected = loads.expected().byId();
    for (NodeFigures node : loads.nodes()) {
      NodeLoad even = expected.get(node.id());
      text.append(
          Csv.row(
              when,
              node.id(),
              even == null ? "" : even.fair(),
              even == null ? "" : even.share(),
              Math.round(node.keys().estimate()),
              (long) Math.floor(node.keys().lower()),
              (long) Math.ceil(node.keys().upper()),
              node.requests(),
              node.bytes()));
    }
  }
}
