package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What all commands have in common that change a cluster: how they ask, and how they wait. */
final class ChangeOptions {

  private static final int POLL_MILLIS = 200;

  @Mixin final ControlOption control = new ControlOption();

  @Option(names = "--dry-run", description = "Only say what it would do.")
  private boolean dryRun;

  @Option(names = "--why", paramLabel = "TEXT", description = "For the audit log.")
  private String why = "";

  @Option(names = "--no-wait", description = "Don't wait until keys have moved.")
  private boolean noWait;

  /** Asks, by a document. */
  int change(Terminal terminal, String method, String path, ObjectNode body)
      throws BadInputException, RefusedException {
    body.put("why", why).put("dryRun", dryRun);
    return show(terminal, control.client().ask(method, path, body));
  }

  /** Asks, by the query alone. */
  int change(Terminal terminal, String method, String path)
      throws BadInputException, RefusedException {
    return show(terminal, control.client().ask(method, path + query(), null));
  }

  /** Asks, by a text. */
  int send(Terminal terminal, String method, String path, String text)
      throws BadInputException, RefusedException {
    return show(terminal, control.client().ask(method, path + query(), text));
  }

  private String query() {
    return "?dryRun=" + dryRun + "&why=" + ControlClient.part(why);
  }

  private int show(Terminal terminal, JsonNode answer) throws BadInputException, RefusedException {
    PrintStream out = terminal.out();
    if (answer.path("first").asBoolean()) {
      out.println("the first topology, epoch " + answer.path("epoch").asLong());
      return ExitCode.DONE;
    }
    out.println(
        answer.path("what").asText()
            + ": epoch "
            + answer.path("fromEpoch").asLong()
            + " -> "
            + answer.path("epoch").asLong()
            + ", "
            + percent(answer.path("moved").asDouble())
            + " of the keys move"
            + (answer.path("exact").asBoolean(true) ? "" : " (sampled)"));
    TextTable table = new TextTable(false).row("node", "before", "after");
    for (JsonNode node : answer.path("nodes")) {
      table.row(
          node.path("id").asText(),
          percent(node.path("before").asDouble()),
          percent(node.path("after").asDouble()));
    }
    out.print(table);
    if (dryRun) {
      out.println("dry run: nothing was changed");
      return ExitCode.DONE;
    }
    out.flush();
    if (noWait) {
      out.println("it goes on; see beltway status");
      return ExitCode.DONE;
    }
    return await(terminal, answer.path("epoch").asLong());
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.2f %%", share * 100);
  }

  /** Waits until the change is made, or refused, and tells of each phase. */
  private int await(Terminal terminal, long epoch) throws BadInputException, RefusedException {
    ControlClient client = control.client();
    PrintStream out = terminal.out();
    String phase = "";
    String waitsFor = "";
    long begun = System.nanoTime();
    long changed = begun;
    long heard = begun;
    while (true) {
      JsonNode status;
      try {
        status = client.get("/v1/status");
      } catch (BadInputException e) { // It may be starting again; the change is written down.
        if (System.nanoTime() - heard > TimeUnit.SECONDS.toNanos(60)) {
          throw new BadInputException(
              "the change is under way, but " + e.getMessage() + "; see beltway status later");
        }
        pause();
        continue;
      }
      heard = System.nanoTime();
      String now = status.path("phase").asText();
      if (!now.equals(phase)) {
        phase = now;
        changed = System.nanoTime();
        out.println(
            String.format(
                Locale.ROOT, "%6.1f s  %s", (changed - begun) / 1e9, now.toLowerCase(Locale.ROOT)));
        out.flush();
      }
      if (now.equals("STEADY")) {
        if (status.path("epoch").asLong() == epoch) {
          out.println("done: epoch " + epoch);
          return ExitCode.DONE;
        }
        return notMade(terminal, client);
      }
      String waits = String.valueOf(status.path("waitsFor"));
      boolean long1 = System.nanoTime() - changed > TimeUnit.SECONDS.toNanos(2);
      if (long1 && !waits.equals(waitsFor) && !status.path("waitsFor").isEmpty()) {
        waitsFor = waits;
        status.path("waitsFor").forEach(each -> out.println("          waits: " + each.asText()));
        out.flush();
      }
      pause();
    }
  }

  private static void pause() throws BadInputException {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BadInputException("interrupted");
    }
  }

  private static int notMade(Terminal terminal, ControlClient client)
      throws BadInputException, RefusedException {
    for (JsonNode entry : client.get("/v1/audit?limit=5")) {
      String what = entry.path("what").asText();
      if (what.startsWith("refused: ") || what.startsWith("take back")) {
        terminal.err().println("beltway: not changed; " + what);
        return ExitCode.LIMIT_NOT_MET;
      }
    }
    terminal.err().println("beltway: not changed; beltway audit says why");
    return ExitCode.LIMIT_NOT_MET;
  }
}
