package dev.beltway.cli;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code beltway}. */
@Command(
    name = "beltway",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    description = {
      "Consistent-hash routing that can be planned, proved and changed on a live system.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 a fault of this program, 2 bad input or usage, 3 a limit or check not"
          + " met.",
      "",
      "Examples:",
      "  beltway route --topology examples/eight.yaml user:42",
      "  beltway plan --before examples/eight.yaml --after examples/ten.yaml",
      "  beltway lint examples/eight.yaml"
    },
    subcommands = {
      RouteCommand.class,
      PlanCommand.class,
      LintCommand.class,
      LabCommand.class,
      UpCommand.class,
      ProxyCommand.class,
      ControlCommand.class,
      NodeCommand.class,
      StatusCommand.class,
      ClusterCommands.Apply.class,
      ClusterCommands.Rollback.class,
      ClusterCommands.Abort.class,
      ClusterCommands.Resume.class,
      MigrationCommand.class,
      ScrubCommand.class,
      ClusterCommands.Hot.class,
      ClusterCommands.Epochs.class,
      ClusterCommands.Audit.class,
      ClusterCommands.Backup.class,
      ClusterCommands.Restore.class,
      LoadCommand.class,
      DemoNodesCommand.class,
      ImportCommand.class,
      ExportCommand.class,
      Main.Completion.class
    })
public final class Main implements Callable<Integer> {

  private final Terminal terminal;

  @Spec private @Nullable CommandSpec spec;

  private Main(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Runs the program and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Terminal terminal = Terminal.ofProcess();
    int code;
    try {
      code = run(terminal, arguments);
    } catch (OutOfMemoryError e) {
      terminal
          .err()
          .println(
              "beltway: not enough memory for this input; give more, such as"
                  + " BELTWAY_JAVA_OPTS=-Xmx4g");
      terminal.err().flush();
      code = ExitCode.OUR_FAULT;
    }
    System.exit(code);
  }

  static int run(Terminal terminal, String... arguments) {
    CommandLine line = new CommandLine(new Main(terminal), new Commands(terminal));
    line.setUsageHelpWidth(110);
    line.setColorScheme(
        CommandLine.Help.defaultColorScheme(terminal.colour() ? Ansi.ON : Ansi.OFF));
    line.setOut(writer(terminal.out()));
    line.setErr(writer(terminal.err()));
    line.setParameterExceptionHandler((e, unused) -> badUsage(terminal, e));
    line.setExecutionExceptionHandler((e, command, result) -> failed(terminal, e));
    int code = line.execute(arguments);
    line.getOut().flush();
    line.getErr().flush();
    terminal.err().flush();
    terminal.out().flush();
    if (!terminal.sink().hasFailed() || code == ExitCode.BAD_INPUT) {
      return code;
    }
    if (terminal.sink().isAbandoned()) {
      return code == ExitCode.DONE ? ExitCode.OUR_FAULT : code; // A reader that leaves has enough.
    }
    terminal.err().println("beltway: standard output could not be written");
    terminal.err().flush();
    return ExitCode.OUR_FAULT;
  }

  private static PrintWriter writer(PrintStream out) {
    return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), false);
  }

  private static int badUsage(Terminal terminal, ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("bad usage");
    terminal.err().println("beltway: " + message + " (see '" + command + " --help')");
    return ExitCode.BAD_INPUT;
  }

  private static int failed(Terminal terminal, Exception e) {
    if (e instanceof BadInputException) {
      terminal.err().println("beltway: " + e.getMessage());
      return ExitCode.BAD_INPUT;
    }
    if (e instanceof RefusedException) {
      terminal.err().println("beltway: " + e.getMessage());
      return ExitCode.LIMIT_NOT_MET;
    }
    if (terminal.sink().hasFailed()) {
      return ExitCode.OUR_FAULT; // Told at the end, once.
    }
    boolean output = e instanceof IOException || e instanceof UncheckedIOException;
    terminal
        .err()
        .println(
            output
                ? "beltway: " + e.getMessage()
                : "beltway: a fault of this program: "
                    + e
                    + " (BELTWAY_TRACE=1 shows where; please report it)");
    if (System.getenv("BELTWAY_TRACE") != null) {
      e.printStackTrace(terminal.err());
    }
    return ExitCode.OUR_FAULT;
  }

  @Override
  public Integer call() {
    if (spec != null) {
      spec.commandLine().usage(terminal.out());
    }
    return ExitCode.BAD_INPUT;
  }

  /** Makes command objects, each with the terminal. */
  private static final class Commands implements CommandLine.IFactory {

    private final Terminal terminal;

    Commands(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public <K> K create(Class<K> type) throws Exception {
      try {
        return type.getDeclaredConstructor(Terminal.class).newInstance(terminal);
      } catch (NoSuchMethodException e) {
        return CommandLine.defaultFactory().create(type);
      }
    }
  }

  /** What {@code --version} prints. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"beltway " + (version == null ? "(not packaged)" : version)};
    }
  }

  /** Prints a completion script. */
  @Command(
      name = "completion",
      mixinStandardHelpOptions = true,
      description = "Print a completion script for bash and zsh.",
      footer = {"", "Example:", "  source <(beltway completion)"})
  static final class Completion implements Callable<Integer> {

    private final Terminal terminal;
    @Spec private @Nullable CommandSpec spec;

    Completion(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() {
      if (spec != null) {
        terminal.out().print(AutoComplete.bash("beltway", spec.root().commandLine()));
      }
      return ExitCode.DONE;
    }
  }
}
