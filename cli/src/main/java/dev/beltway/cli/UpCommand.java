package dev.beltway.cli;

import dev.beltway.cli.local.Playground;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code beltway up}: a live cluster on this machine, to try everything on. */
@Command(
    name = "up",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run a live cluster on this machine: three Redis servers, two proxies, control with its"
          + " console, and a light load by the keys of a real log. It ends with this command.",
      ""
    },
    footer = {
      "",
      "The machine's own redis-server is used, else one that comes along. Ports that are in use are",
      "avoided, but for those that nodes kept in --data have had. Everything listens on 127.0.0.1",
      "alone.",
      "",
      "Examples:",
      "  beltway up",
      "  beltway up --data ./cluster"
    })
final class UpCommand implements Callable<Integer> {

  private static final String LOG_SETTINGS = "logback.configurationFile";

  private final Terminal terminal;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Keep the state there, to go on with it next time; nowhere by default.")
  private @Nullable Path data;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7070",
      description =
          "Where the console is, with ZooKeeper at the next one; ${DEFAULT-VALUE} by default.")
  private int port;

  @Option(
      names = "--proxy-port",
      paramLabel = "PORT",
      defaultValue = "6380",
      description =
          "Where the first proxy is, with the second at the next one; ${DEFAULT-VALUE} by"
              + " default.")
  private int proxyPort;

  @Option(names = "--no-load", description = "Leave out the sample keys and the load.")
  private boolean noLoad;

  UpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException {
    if (System.getProperty(LOG_SETTINGS) == null) { // Before the first logger is made.
      System.setProperty(LOG_SETTINGS, "logback-up.xml");
    }
    check("--port", port);
    check("--proxy-port", proxyPort);
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              stop.countDown();
              try {
                stopped.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    long began = System.nanoTime();
    Playground playground;
    try {
      playground =
          Playground.start(new Playground.Wishes(data, port, proxyPort, !noLoad), this::warn);
    } catch (IOException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    try (playground) {
      try {
        Runtime.getRuntime().addShutdownHook(hook);
      } catch (IllegalStateException e) {
        return ExitCode.DONE; // It is being stopped already.
      }
      tell(playground, (System.nanoTime() - began) / 1e9);
      try {
        stop.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      playground.endLoad();
      String story = playground.loadStory();
      if (!story.isEmpty()) {
        terminal.out().println();
        terminal.out().println("the load has ended after " + story);
        terminal.out().flush();
      }
    } finally {
      stopped.countDown();
    }
    return ExitCode.DONE;
  }

  private void warn(String text) {
    terminal.err().println("beltway up: " + text);
    terminal.err().flush();
  }

  private static void check(String option, int value) throws BadInputException {
    if (value < 1 || value > 65_000) {
      throw new BadInputException(option + ": " + value + " is outside 1 to 65000");
    }
  }

  private void tell(Playground playground, double seconds) {
    PrintStream out = terminal.out();
    String control =
        playground.controlPort() == 7070 ? "" : " --control 127.0.0.1:" + playground.controlPort();
    out.printf(Locale.ROOT, "A cluster runs on this machine, ready after %.1f s.%n%n", seconds);
    out.println("  console  http://127.0.0.1:" + playground.controlPort());
    playground.proxyPorts().forEach(at -> out.println("  proxy    redis-cli -p " + at));
    playground.nodes().forEach((id, at) -> out.println("  node     " + id + " at " + at));
    if (playground.sampleKeys() > 0) {
      out.printf(
          Locale.ROOT,
          "  sample   %,d keys of a real log, some hundred requests a second%n",
          playground.sampleKeys());
    }
    out.println(
        data == null
            ? "  state    in memory; --data DIR keeps it"
            : "  state    in " + data.toAbsolutePath().normalize());
    out.println();
    out.println("Try, in another terminal or in the console:");
    out.println(
        "  ./beltway node add node-d" + control + "       # starts a fourth server; keys move");
    out.println("  ./beltway migration status" + control);
    out.println("  ./beltway rollback 1" + control + "            # and back");
    out.println("Ctrl-C ends all of it.");
    out.flush();
  }
}
