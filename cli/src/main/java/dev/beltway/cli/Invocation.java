package dev.beltway.cli;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The command line that runs, as it can be typed again. */
final class Invocation {

  private Invocation() {}

  static String of(@Nullable CommandSpec spec) {
    if (spec == null) {
      return "beltway";
    }
    Stream<String> arguments =
        spec.root().commandLine().getParseResult().originalArgs().stream().map(Invocation::quoted);
    return "beltway " + arguments.collect(Collectors.joining(" "));
  }

  /** Quoted for a shell, if that is needed. */
  private static String quoted(String argument) {
    return argument.matches("[A-Za-z0-9_./:,=%@+-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
