package dev.beltway.cli;

import dev.beltway.lab.log.Columns;
import dev.beltway.lab.log.LogCounts;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.Printable;
import dev.beltway.lab.log.RequestVisitor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The logs on the command line, their format, and the reading of them one after the other. */
final class LogInput {

  private static final List<String> FORMATS =
      List.of("lines", "csv", "tsv", "jsonl", "twitter", "meta", "monitor", "access");

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Logs, read one after the other; - is standard input. Gzip and zstd are recognised by"
              + " content.")
  private List<String> files = List.of();

  @Option(
      names = "--format",
      paramLabel = "F",
      defaultValue = "lines",
      description =
          "lines: a line is a key (default). csv, tsv: columns, see --key. jsonl: a line is a JSON"
              + " string. twitter, meta: their cache traces. monitor: redis-cli monitor. access: a web"
              + " server's log, common or combined; the path is the key.")
  private String format = "lines";

  @Option(
      names = "--key",
      paramLabel = "COL",
      description =
          "Of csv and tsv: the column of the key, by number from 1 or by name in the first line.")
  private @Nullable String key;

  @Option(
      names = "--op",
      paramLabel = "COL",
      description = "The column of the operation, such as get, set, delete; else all are reads.")
  private @Nullable String operation;

  @Option(names = "--size", paramLabel = "COL", description = "The column of the value's bytes.")
  private @Nullable String size;

  @Option(
      names = "--count",
      paramLabel = "COL",
      description = "The column that says for how many requests a line stands.")
  private @Nullable String count;

  @Option(
      names = "--time",
      paramLabel = "COL",
      description = "The column of the time: seconds since 1970, or ISO 8601 in UTC.")
  private @Nullable String time;

  @Option(
      names = "--ttl",
      paramLabel = "COL",
      description = "The column of the time to live in seconds, 0 for ever; needs --time.")
  private @Nullable String ttl;

  @Option(
      names = "--header",
      description = "The first line names the columns; so it is where one is named.")
  private boolean header;

  @Option(
      names = "--max-skipped",
      paramLabel = "P%",
      description =
          "Limit: the largest part of the lines that may be empty, too long or not of the format.")
  private @Nullable String maxSkipped;

  /** The names of the logs, for titles. */
  String names() {
    return Printable.message(String.join(", ", files));
  }

  /** Checks all that can be checked without reading. */
  void check() throws BadInputException {
    logFormat();
    for (String file : files) {
      LogFiles.check(file);
    }
    if (files.stream().filter(file -> file.equals("-")).count() > 1) {
      throw new BadInputException("standard input can be read once only");
    }
  }

  LogFormat logFormat() throws BadInputException {
    if (maxSkipped != null && Formats.parsePercent("--max-skipped", maxSkipped) > 1) {
      throw new BadInputException("--max-skipped: \"" + maxSkipped + "\" is more than 100%");
    }
    boolean table = format.equals("csv") || format.equals("tsv");
    boolean columns =
        Stream.of(key, operation, size, count, time, ttl).anyMatch(column -> column != null);
    if (!table && (columns || header) && FORMATS.contains(format)) {
      throw new BadInputException(
          "--format: columns are for csv and tsv, not for \"" + format + "\"");
    }
    return switch (format) {
      case "lines" -> LogFormat.lines();
      case "jsonl" -> LogFormat.jsonl();
      case "twitter" -> LogFormat.twitter();
      case "meta" -> LogFormat.meta();
      case "monitor" -> LogFormat.monitor();
      case "access" -> LogFormat.access();
      case "csv" -> LogFormat.csv(columns());
      case "tsv" -> LogFormat.tsv(columns());
      default ->
          throw new BadInputException(
              "--format: \"" + format + "\" is not one of " + String.join(", ", FORMATS));
    };
  }

  private Columns columns() throws BadInputException {
    if (key == null) {
      throw new BadInputException("--key: say which column of the " + format + " has the key");
    }
    if (ttl != null && time == null) {
      throw new BadInputException("--ttl: needs --time, or nothing would ever end");
    }
    try {
      return new Columns(
          key,
          Optional.ofNullable(operation),
          Optional.ofNullable(size),
          Optional.ofNullable(count),
          Optional.ofNullable(time),
          Optional.ofNullable(ttl),
          header);
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }

  /** Whether all logs can be read twice. */
  boolean isRereadable() {
    return files.stream().allMatch(LogFiles::isRereadable);
  }

  /** How many requests there are, of damaged logs as many as can be read. */
  long count(Terminal terminal) throws BadInputException, IOException {
    long requests = 0;
    for (String file : files) {
      LogFiles.Outcome outcome = LogFiles.read(file, logFormat(), terminal, request -> {});
      requests += outcome.counts().requests();
      if (outcome.damage().isPresent()) {
        break;
      }
    }
    return requests;
  }

  /**
   * Reads the logs to their end, or to where one is damaged; the others are not read then.
   *
   * @throws BadInputException if there is no request at all
   */
  LogFiles.Outcome read(Terminal terminal, RequestVisitor visitor)
      throws BadInputException, IOException {
    LogCounts counts = LogCounts.NONE;
    Optional<String> damage = Optional.empty();
    for (int i = 0; i < files.size(); i++) {
      String file = files.get(i);
      LogFiles.Outcome outcome = LogFiles.read(file, logFormat(), terminal, visitor);
      counts = counts.plus(outcome.counts());
      damage = outcome.damage();
      if (damage.isEmpty() && counts.isTooLargeToGoOn()) {
        damage = Optional.of(file + ": makes the sum of counts too large");
      }
      if (damage.isPresent()) {
        int unread = files.size() - 1 - i;
        if (unread > 0) {
          damage =
              damage.map(why -> why + "; " + Formats.plural(unread, "file") + " after it not read");
        }
        break;
      }
    }
    if (counts.used() == 0) {
      throw new BadInputException(damage.orElse(names() + ": " + nothing(counts)));
    }
    LogFiles.warn(names(), counts, terminal);
    return new LogFiles.Outcome(counts, damage);
  }

  private static String nothing(LogCounts counts) {
    return counts.lines() == 0
        ? "there is no line in it"
        : "none of "
            + Formats.plural(counts.lines(), "line")
            + " has a key: "
            + LogFiles.skipped(counts)
            + "; is --format right?";
  }

  /** Whether few enough lines were skipped. */
  boolean isWithinLimit(LogCounts counts) throws BadInputException {
    if (maxSkipped == null) {
      return true;
    }
    long doubtful =
        counts.skipped().entrySet().stream()
            .filter(entry -> !entry.getKey().isOrdinary())
            .mapToLong(entry -> entry.getValue().lines())
            .sum();
    return doubtful <= Formats.parsePercent("--max-skipped", maxSkipped) * counts.lines();
  }
}
