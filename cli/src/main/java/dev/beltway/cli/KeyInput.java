package dev.beltway.cli;

import dev.beltway.lab.log.KeyVisitor;
import dev.beltway.lab.log.LogCounts;
import dev.beltway.lab.log.LogFormat;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a file of keys, and the reading of it. */
final class KeyInput {

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description =
          "A file of keys, one a line; - is standard input. Gzip and zstd are recognised.")
  @Nullable String file;

  @Option(
      names = "--keys-format",
      paramLabel = "lines|jsonl",
      defaultValue = "lines",
      description =
          "lines: a line is a key (default). jsonl: a line is a JSON string, for keys with control"
              + " characters or none at all.")
  String format = "lines";

  boolean isGiven() {
    return file != null;
  }

  /** Reads all keys; skipped lines are a warning. */
  LogCounts read(Terminal terminal, KeyVisitor visitor) throws BadInputException, IOException {
    String name = String.valueOf(file);
    LogFiles.Outcome outcome =
        LogFiles.read(
            name,
            format(),
            terminal,
            request -> visitor.visit(request.bytes(), request.offset(), request.length()));
    if (outcome.damage().isPresent()) {
      throw new BadInputException(outcome.damage().get());
    }
    LogFiles.warn(name, outcome.counts(), terminal);
    return outcome.counts();
  }

  LogFormat format() throws BadInputException {
    return switch (format) {
      case "lines" -> LogFormat.lines();
      case "jsonl" -> LogFormat.jsonl();
      default ->
          throw new BadInputException(
              "--keys-format: \"" + format + "\" is not one of lines, jsonl");
    };
  }
}
