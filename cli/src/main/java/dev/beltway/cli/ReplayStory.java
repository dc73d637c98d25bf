package dev.beltway.cli;

import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.replay.CacheSize;
import dev.beltway.lab.replay.ReplayResult;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that {@code lab replay} has to tell.
 *
 * @param names of the logs
 * @param format of the logs
 * @param read what was read
 * @param before the topology at first
 * @param after the topology from the change on
 * @param result what came of it
 */
record ReplayStory(
    String names,
    LogFormat format,
    LogFiles.Outcome read,
    Topology before,
    Topology after,
    ReplayResult result) {

  String title() {
    return names + ": " + before.nodes().size() + " nodes to " + after.nodes().size();
  }

  /** How many requests were run, and when the change came. */
  String reading() {
    return Formats.plural(result.requests(), "request")
        + ", the change after "
        + Formats.count(result.at())
        + "; windows of "
        + Formats.count(result.window())
        + (result.other() == 0
            ? ""
            : "; " + Formats.count(result.other()) + " did nothing that a cache would notice")
        + (format.hasOperations() ? "" : "; all count as reads");
  }

  /** What was run, and what ended it early. */
  List<String> sentences() {
    return Stream.concat(
            read.damage().map(damage -> "PARTIAL: " + damage).stream(),
            Stream.of(reading(), "Caches: " + caches()))
        .toList();
  }

  /** How large the caches are. */
  String caches() {
    CacheSize size = result.size();
    if (size.isUnlimited()) {
      return "keep all that they have seen";
    }
    String amount =
        size.unit() == CacheSize.Unit.BYTES
            ? Formats.bytes((double) size.amount())
            : Formats.plural(size.amount(), "entry").replace("entrys", "entries");
    return size.total()
        ? amount + " in all of them together, before and after"
        : amount + " in that of a node of weight 1";
  }
}
