package dev.beltway.cli;

import dev.beltway.plan.KeySurvey;
import dev.beltway.plan.Limits;
import dev.beltway.plan.Plan;
import dev.beltway.plan.Planner;
import dev.beltway.plan.Sizing;
import dev.beltway.plan.StepSize;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway plan}: what a change does. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Say what a change of topology does, before anything is touched.",
    footer = {
      "",
      "Exits with 3 when a limit is exceeded.",
      "",
      "Examples:",
      "  beltway plan --before examples/eight.yaml --after examples/ten.yaml",
      "  beltway plan --before examples/eight.yaml --after examples/ten.yaml \\",
      "      --keys examples/data/wiki_edits_keys.txt --bytes-per-key 400 --keys-per-second 20000",
      "  beltway plan --before a.yaml --after b.yaml --down cache-c --max-moved 25%% --json"
    })
final class PlanCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Option(
      names = "--before",
      required = true,
      paramLabel = "FILE",
      description = "The topology now.")
  private Path beforeFile = Path.of("");

  @Option(
      names = "--after",
      required = true,
      paramLabel = "FILE",
      description = "The topology afterwards.")
  private Path afterFile = Path.of("");

  @Mixin private KeyInput keyInput = new KeyInput();

  @Option(
      names = "--down",
      paramLabel = "NODE",
      description = "Also say what every other node gets when this one fails.")
  private @Nullable String down;

  @Option(
      names = "--max-moved",
      paramLabel = "P%",
      description = "Limit: the largest part of the keys that may move.")
  private @Nullable String maxMoved;

  @Option(
      names = "--max-over-mean",
      paramLabel = "X",
      description =
          "Limit: the largest load of a node over its fair share afterwards; max/mean where weights"
              + " are equal.")
  private @Nullable Double maxOverMean;

  @Option(
      names = "--max-keys-per-node",
      paramLabel = "N",
      description = "Limit: the most keys on one node afterwards.")
  private @Nullable Long maxKeysPerNode;

  @Option(
      names = "--key-count",
      paramLabel = "N",
      description =
          "Keys in the whole cluster. Without it the different keys of the --keys file count.")
  private @Nullable Long keyCount;

  @Option(
      names = "--bytes-per-key",
      paramLabel = "N",
      description = "Memory of a key on average, in bytes.")
  private @Nullable Long bytesPerKey;

  @Option(
      names = "--keys-per-second",
      paramLabel = "N",
      description = "How fast keys may be moved.")
  private @Nullable Double keysPerSecond;

  @Option(
      names = "--step-moved",
      paramLabel = "P%",
      defaultValue = "1%",
      description = "The most that a step should move; 1%% by default.")
  private String stepMoved = "1%";

  @Option(
      names = "--step-seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Or how long it may last; 5 by default.")
  private double stepSeconds = StepSize.DEFAULT.seconds();

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = {
        "Write the topology afterwards, with slots or slices stated so that the fewest keys move, and"
            + " plan for that. JSON if the name ends in .json. An existing file is never replaced."
      })
  private @Nullable Path write;

  @Option(names = "--ranges", description = "Also list each range that moves.")
  private boolean ranges;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  PlanCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    keyInput.format();
    Topology before = TopologyInput.read(beforeFile);
    Topology after = TopologyInput.read(afterFile);
    if (down != null && before.node(down).isEmpty() && after.node(down).isEmpty()) {
      throw new BadInputException("--down: node \"" + down + "\" is in neither topology");
    }
    Sizing sizing;
    StepSize stepSize;
    Limits limits;
    try {
      sizing = new Sizing(optional(keyCount), optional(bytesPerKey), optional(keysPerSecond));
      stepSize =
          new StepSize(
              Formats.parsePercent("--step-moved", stepMoved),
              stepSeconds,
              StepSize.DEFAULT.ofNode());
      limits =
          new Limits(
              maxMoved == null
                  ? OptionalDouble.empty()
                  : OptionalDouble.of(Formats.parsePercent("--max-moved", maxMoved)),
              optional(maxOverMean),
              optional(maxKeysPerNode));
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    if (limits.maxKeysPerNode().isPresent() && keyCount == null && !keyInput.isGiven()) {
      throw new BadInputException(
          "--max-keys-per-node needs the number of keys: give --key-count or --keys");
    }
    if (write != null && (write.toString().isEmpty() || write.toString().equals("-"))) {
      throw new BadInputException("--write: \"" + write + "\" is not a file name");
    }
    if (write != null && Files.exists(write)) {
      throw new BadInputException("--write: " + write + " exists already; name a new file");
    }
    Planner planner = planner(before, after);
    Optional<KeySurvey> survey = survey(planner);
    Plan plan;
    try {
      plan = planner.plan(sizing, stepSize, limits, survey, Optional.ofNullable(down));
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    if (json) {
      terminal.out().print(Json.pretty(PlanJson.of(plan, planner, ranges)));
    } else {
      String title = beforeFile + " → " + afterFile;
      terminal.out().print(new PlanText(terminal, plan).of(title, ranges));
    }
    if (!plan.isWithinLimits()) {
      return ExitCode.LIMIT_NOT_MET;
    }
    if (write != null) {
      TopologyInput.write(write, plan.after());
    }
    return ExitCode.DONE;
  }

  private Planner planner(Topology before, Topology after) throws BadInputException {
    try {
      Planner planner = new Planner(before, after);
      if (write == null) {
        return planner;
      }
      Optional<Topology> better = planner.withFewestMoves();
      return better.isPresent() ? new Planner(before, better.get()) : planner;
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }

  private Optional<KeySurvey> survey(Planner planner) throws BadInputException, IOException {
    if (!keyInput.isGiven()) {
      return Optional.empty();
    }
    KeySurvey survey = planner.survey();
    if (keyInput.read(terminal, survey::add).used() == 0) {
      throw new BadInputException(keyInput.file + ": there is no key in it");
    }
    return Optional.of(survey);
  }

  private static OptionalLong optional(@Nullable Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static OptionalDouble optional(@Nullable Double value) {
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }
}
