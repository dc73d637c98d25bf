package dev.beltway.cli;

import picocli.CommandLine.Command;

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
final class LabCommand extends CommandGroup {

  LabCommand(Terminal terminal) {
    super(terminal);
  }
}
