package dev.beltway.cli;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How an experiment tells what it found. */
final class OutputOptions {

  /** What goes to standard output. */
  enum Kind {
    TEXT,
    JSON,
    CSV
  }

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(names = "--csv", description = "Print CSV.")
  private boolean csv;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = {
        "Also write a report as one HTML file that needs no network. An earlier report of that name"
            + " is replaced, any other file is not."
      })
  private @Nullable Path report;

  /** Checks what can be checked before the work begins. */
  void check() throws BadInputException {
    if (json && csv) {
      throw new BadInputException("--json and --csv: choose one of them");
    }
    if (report != null) {
      ReportFile.check(report);
    }
  }

  Kind kind() {
    return json ? Kind.JSON : csv ? Kind.CSV : Kind.TEXT;
  }

  Optional<Path> report() {
    return Optional.ofNullable(report);
  }
}
