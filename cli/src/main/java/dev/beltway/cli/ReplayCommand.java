package dev.beltway.cli;

import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.replay.CacheSize;
import dev.beltway.lab.replay.Replay;
import dev.beltway.lab.replay.ReplayResult;
import dev.beltway.lab.replay.Strategy;
import dev.beltway.lab.replay.TooManyWindowsException;
import dev.beltway.lab.report.ReplayReport;
import dev.beltway.placement.NoNodesException;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code beltway lab replay}: a change of topology in the midst of a log. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run a log against simulated caches and change the topology at one of its requests: what the"
          + " caches still answer, what reaches the database behind them, and when it is over. By"
          + " modulo, ring and slices; each just switched (cold), with reads of the old node on a miss"
          + " (warm), and with the keys moved before (live)."
    },
    footer = {
      "",
      "Nothing is left to chance: the same log gives the same figures.",
      "",
      "Examples:",
      "  beltway lab replay --before examples/eight.yaml --after examples/ten.yaml --at 50%% \\",
      "      --entries-per-node 2000 --report replay.html examples/data/ecommerce_orm_busy_200k.txt"
    })
final class ReplayCommand implements Callable<Integer> {

  private static final long DEFAULT_WINDOW = 2_000;
  private static final long ENOUGH_WINDOWS = 10_000;
  private static final long MOST_WINDOWS = Replay.MOST_WINDOWS - 2;

  private final Terminal terminal;
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--before",
      required = true,
      paramLabel = "FILE",
      description = "The topology at first.")
  private Path beforeFile = Path.of("");

  @Option(
      names = "--after",
      required = true,
      paramLabel = "FILE",
      description = "The topology from the change on.")
  private Path afterFile = Path.of("");

  @Mixin private LogInput input = new LogInput();

  @Option(
      names = "--at",
      paramLabel = "P%|N",
      defaultValue = "50%",
      description =
          "When the change comes: a part of the requests (50%% by default; the log is read twice) or"
              + " a number of them.")
  private String at = "50%";

  @Option(
      names = "--entries-per-node",
      paramLabel = "N",
      description =
          "What the cache of a node of weight 1 holds, in keys; without a size caches keep all.")
  private @Nullable Long entriesPerNode;

  @Option(
      names = "--bytes-per-node",
      paramLabel = "N",
      description = "The same in bytes of keys and values; the log must have sizes.")
  private @Nullable Long bytesPerNode;

  @Option(
      names = "--entries-total",
      paramLabel = "N",
      description = "What all caches hold together, before the change and after it, in keys.")
  private @Nullable Long entriesTotal;

  @Option(
      names = "--bytes-total",
      paramLabel = "N",
      description = "The same in bytes of keys and values.")
  private @Nullable Long bytesTotal;

  @Option(
      names = "--window",
      paramLabel = "N",
      description =
          "How many requests are summed up in one figure; 2,000 by default, or a ten-thousandth of"
              + " the log where that is more.")
  private @Nullable Long window;

  @Mixin private OutputOptions output = new OutputOptions();

  ReplayCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    input.check();
    LogFormat format = input.logFormat();
    output.check();
    CacheSize size = size(format);
    if (window != null && window < 1) {
      throw new BadInputException("--window: " + window + " is less than 1");
    }
    boolean part = at.endsWith("%");
    double atPart = part ? Formats.parsePercent("--at", at) : 0;
    if (atPart >= 1) {
      throw new BadInputException("--at: \"" + at + "\" is not below 100%");
    }
    if (!part && !at.matches("[0-9]{1,18}")) {
      throw new BadInputException(
          "--at: \"" + at + "\" is neither a percentage nor a whole number of up to 18 digits");
    }
    if (part && !input.isRereadable()) {
      throw new BadInputException(
          "--at: a percentage needs files that can be read twice; give a number of requests");
    }
    Topology before = TopologyInput.read(beforeFile);
    Topology after = TopologyInput.read(afterFile);
    List<Strategy> strategies = strategies(before, after);
    long requests = part ? input.count(terminal) : 0;
    long change = part ? (long) Math.floor(atPart * requests) : Long.parseLong(at);
    long windowSize = window(requests);
    Replay replay = new Replay(strategies, size, change, windowSize);
    LogFiles.Outcome read;
    try {
      read = input.read(terminal, replay::add);
    } catch (TooManyWindowsException e) {
      throw new BadInputException("--window: " + e.getMessage());
    } catch (NoNodesException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    ReplayResult result = replay.result().orElse(null);
    if (result == null) {
      throw new BadInputException(
          read.damage().map(damage -> damage + "; ").orElse("")
              + "--at: the change at "
              + change
              + " never came, the log has "
              + Formats.plural(read.counts().requests(), "request"));
    }
    ReplayStory story = new ReplayStory(input.names(), format, read, before, after, result);
    switch (output.kind()) {
      case TEXT -> terminal.out().print(new ReplayText(terminal, story));
      case JSON -> terminal.out().print(Json.pretty(ReplayJson.of(story)));
      case CSV -> terminal.out().print(ReplayJson.csv(result));
    }
    terminal.out().flush();
    if (output.report().isPresent()) {
      String html =
          new ReplayReport(story.title(), story.sentences(), result, Invocation.of(spec)).html();
      ReportFile.write(output.report().get(), html);
    }
    if (read.damage().isPresent()) {
      throw new BadInputException(read.damage().get() + " (what came before it is reported)");
    }
    return input.isWithinLimit(read.counts()) ? ExitCode.DONE : ExitCode.LIMIT_NOT_MET;
  }

  /** The window that was asked for, or one of which a log of so many requests has few enough. */
  private long window(long requests) throws BadInputException {
    if (window == null) {
      return Math.max(DEFAULT_WINDOW, requests / ENOUGH_WINDOWS);
    }
    if (requests / window > MOST_WINDOWS) {
      throw new BadInputException(
          "--window: "
              + Formats.plural(requests, "request")
              + " have more than "
              + Formats.count(MOST_WINDOWS)
              + " windows of "
              + Formats.count(window)
              + "; choose larger ones");
    }
    return window;
  }

  private CacheSize size(LogFormat format) throws BadInputException {
    List<Long> given =
        Stream.of(entriesPerNode, bytesPerNode, entriesTotal, bytesTotal)
            .filter(amount -> amount != null)
            .toList();
    if (given.size() > 1) {
      throw new BadInputException(
          "give one of --entries-per-node, --bytes-per-node, --entries-total, --bytes-total");
    }
    if (given.isEmpty()) {
      return CacheSize.UNLIMITED;
    }
    long amount = given.get(0);
    if (amount < 1 || amount == Long.MAX_VALUE) {
      throw new BadInputException("a cache size of " + amount + " is outside 1 to 2^63 - 2");
    }
    boolean bytes = bytesPerNode != null || bytesTotal != null;
    if (bytes && !format.hasSizes()) {
      throw new BadInputException(
          "the log has no sizes, so caches can't be limited by bytes; name a column with --size, or"
              + " give --entries-per-node");
    }
    return new CacheSize(
        amount,
        bytes ? CacheSize.Unit.BYTES : CacheSize.Unit.ENTRIES,
        entriesTotal != null || bytesTotal != null);
  }

  private static List<Strategy> strategies(Topology before, Topology after)
      throws BadInputException {
    try {
      return Strategy.of(before, after);
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }
}
