package dev.beltway.cli;

import dev.beltway.balance.LoadReport;
import dev.beltway.lab.load.LoadFindings;
import dev.beltway.lab.load.Remedy;
import dev.beltway.lab.log.LogFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that {@code lab log} has to tell.
 *
 * @param names of the logs
 * @param format of the logs
 * @param read what was read
 * @param findings what was found
 * @param top how many hot keys to show
 * @param withoutHottest the load as it would be without the hottest key
 * @param remedies what would help against hot keys
 */
record LogStory(
    String names,
    LogFormat format,
    LogFiles.Outcome read,
    LoadFindings findings,
    int top,
    LoadReport withoutHottest,
    List<Remedy> remedies) {

  String title() {
    return names + " on " + findings.loads().topology().nodes().size() + " nodes";
  }

  /** What was read, and what ended it early. */
  List<String> sentences() {
    return Stream.concat(
            read.damage().map(damage -> "PARTIAL: " + damage).stream(),
            Stream.of(LogText.reading(this)))
        .toList();
  }
}
