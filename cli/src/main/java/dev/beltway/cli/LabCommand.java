package dev.beltway.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code beltway lab}: the experiments. */
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    description = "Experiments on key logs and rings.",
    subcommands = {
      LogCommand.class,
      ReplayCommand.class,
      TablesCommand.class,
      HashCommand.class,
      BalanceCommand.class,
      ChurnCommand.class,
      RecommendCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  beltway lab log --topology examples/eight.yaml --format tsv --key 3"
          + " examples/data/apache_paths_10k.tsv",
      "  beltway lab tables",
      "  beltway lab recommend --nodes 3 --max-over-mean 1.1"
    })
final class LabCommand implements Callable<Integer> {

  private final Terminal terminal;
  @Spec private @Nullable CommandSpec spec;

  LabCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (spec != null) {
      spec.commandLine().usage(terminal.out());
    }
    return ExitCode.BAD_INPUT;
  }
}
