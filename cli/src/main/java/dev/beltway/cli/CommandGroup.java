package dev.beltway.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that only has others below it: alone it says how they are used. */
abstract class CommandGroup implements Callable<Integer> {

  private final Terminal terminal;
  @Spec private @Nullable CommandSpec spec;

  CommandGroup(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public final Integer call() {
    if (spec != null) {
      spec.commandLine().usage(terminal.out());
    }
    return ExitCode.BAD_INPUT;
  }
}
