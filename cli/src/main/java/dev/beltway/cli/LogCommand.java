package dev.beltway.cli;

import dev.beltway.lab.load.LoadFindings;
import dev.beltway.lab.load.LoadSurvey;
import dev.beltway.lab.load.Remedies;
import dev.beltway.lab.load.Remedy;
import dev.beltway.lab.load.TooManyKeysException;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.report.LogReport;
import dev.beltway.placement.NoNodesException;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code beltway lab log}: what a log does to the nodes of a topology. */
@Command(
    name = "log",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What a log of requests does to the nodes of a topology: load by keys, requests and bytes, the"
          + " hottest keys and what would help against them, and what a change would move. One pass,"
          + " bounded memory."
    },
    footer = {
      "",
      "Damaged input is reported as far as it could be read; the exit code is 2 then.",
      "",
      "Examples:",
      "  beltway lab log --topology examples/eight.yaml --format tsv --key 3"
          + " examples/data/apache_paths_10k.tsv",
      "  beltway lab log --topology examples/eight.yaml --after examples/ten.yaml --report load.html"
          + " \\",
      "      examples/data/ecommerce_orm_busy_200k.txt",
      "  zcat huge.log.gz | beltway lab log --topology t.yaml --format monitor -"
    })
final class LogCommand implements Callable<Integer> {

  private static final int MOST_HOT_KEYS = 10_000;

  private final Terminal terminal;
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--topology",
      required = true,
      paramLabel = "FILE",
      description = "The topology whose nodes get the requests.")
  private Path topologyFile = Path.of("");

  @Option(
      names = "--after",
      paramLabel = "FILE",
      description = "Also say what a change to this topology moves.")
  private @Nullable Path afterFile;

  @Mixin private LogInput input = new LogInput();

  @Option(
      names = "--top",
      paramLabel = "K",
      defaultValue = "10",
      description = "How many of the hottest keys to show and to treat; 10 by default.")
  private int top = 10;

  @Option(
      names = "--salt",
      paramLabel = "M",
      defaultValue = "10",
      description = "Into how many parts to cut each of them; 10 by default.")
  private int salt = 10;

  @Option(
      names = "--replicas",
      paramLabel = "R",
      defaultValue = "3",
      description = "Or how many nodes to read each of them from; 3 by default.")
  private int replicas = 3;

  @Option(
      names = "--near-cache",
      paramLabel = "N",
      defaultValue = "100",
      description = "Or how many of the hottest keys to keep near the clients; 100 by default.")
  private int nearCache = 100;

  @Option(
      names = "--exact",
      description =
          "Tell all keys apart exactly, for logs of up to 2,000,000 different keys; else numbers of"
              + " keys and hot keys are estimates with bounds.")
  private boolean exact;

  @Mixin private OutputOptions output = new OutputOptions();

  LogCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    check("--top", top, MOST_HOT_KEYS);
    check("--salt", salt, Remedies.MOST_PARTS);
    check("--replicas", replicas, Topology.MOST_NODES);
    check("--near-cache", nearCache, MOST_HOT_KEYS);
    input.check();
    LogFormat format = input.logFormat();
    output.check();
    Placement placement = Placements.of(TopologyInput.read(topologyFile));
    Optional<Placement> after = Optional.empty();
    if (afterFile != null) {
      after = Optional.of(Placements.of(TopologyInput.read(afterFile)));
    }
    LoadSurvey survey =
        exact
            ? LoadSurvey.exact(placement, after, format)
            : LoadSurvey.sketched(placement, after, format);
    LogFiles.Outcome read;
    try {
      read = input.read(terminal, survey::add);
    } catch (TooManyKeysException e) {
      throw new BadInputException("--exact: " + e.getMessage());
    } catch (NoNodesException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    LoadFindings findings = survey.findings(Math.max(top, nearCache));
    Remedies remedies = new Remedies(placement, findings);
    List<Remedy> computed = new ArrayList<>();
    computed.add(remedies.salt(salt, top));
    remedies.replicate(replicas, top).ifPresent(computed::add);
    computed.add(remedies.nearCache(nearCache));
    LogStory story =
        new LogStory(
            input.names(), format, read, findings, top, remedies.withoutHottest(), computed);
    switch (output.kind()) {
      case TEXT -> terminal.out().print(new LogText(terminal, story).toString());
      case JSON -> terminal.out().print(Json.pretty(LogJson.of(story)));
      case CSV -> terminal.out().print(LogCsv.of(story));
    }
    terminal.out().flush();
    if (output.report().isPresent()) {
      String html =
          new LogReport(
                  story.title(),
                  story.sentences(),
                  findings,
                  placement,
                  top,
                  story.withoutHottest(),
                  computed,
                  Invocation.of(spec))
              .html();
      ReportFile.write(output.report().get(), html);
    }
    if (read.damage().isPresent()) {
      throw new BadInputException(read.damage().get() + " (what came before it is reported)");
    }
    return input.isWithinLimit(read.counts()) ? ExitCode.DONE : ExitCode.LIMIT_NOT_MET;
  }

  private static void check(String option, int value, int most) throws BadInputException {
    if (value < 1 || value > most) {
      throw new BadInputException(option + ": " + value + " is outside 1 to " + most);
    }
  }
}
