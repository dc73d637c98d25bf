package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

  @Option(
      names = "--canary",
      paramLabel = "P%",
      description =
          "Move this part of the moving keys first, each compared at its new node before it leaves"
              + " the old one; then the rest.")
  private @Nullable String canary;

  @Option(
      names = "--keys-per-second",
      paramLabel = "N",
      description = "Move no more keys a second than this; as fast as the nodes bear by default.")
  private long keysPerSecond;

  @Option(
      names = "--bytes-per-second",
      paramLabel = "N",
      description = "Move no more bytes a second than this.")
  private long bytesPerSecond;

  @Option(
      names = "--verify",
      paramLabel = "HOW",
      defaultValue = "usual",
      description =
          "full compares value and time to live of each key at its new node before it leaves the old"
              + " one; usual looks that nothing is left.")
  private String verify = "usual";

  @Option(
      names = "--step",
      paramLabel = "P%",
      description =
          "Change weights by so much at once, each step a change of its own; 10%% makes ten steps.")
  private @Nullable String step;

  @Option(
      names = "--check-between",
      description =
          "Go on with the next step only when keys and requests are measured, and go back if keys"
              + " are more than 15 %% off the plan.")
  private boolean checkBetween;

  @Option(
      names = "--force",
      description =
          "Go on in spite of a doubt that was named as the reason of a refusal: head-room, eviction,"
              + " a client that goes round the proxies, a node that is another process.")
  private boolean force;

  /** Asks, by a document. */
  int change(Terminal terminal, String method, String path, ObjectNode body)
      throws BadInputException, RefusedException {
    body.put("why", why).put("dryRun", dryRun);
    options().forEach(body::set);
    return show(terminal, control.client().ask(method, path, body));
  }

  /** How keys are to move. */
  private Map<String, JsonNode> options() throws BadInputException {
    if (!verify.equals("usual") && !verify.equals("full")) {
      throw new BadInputException("--verify: \"" + verify + "\" is neither usual nor full");
    }
    if (keysPerSecond < 0 || bytesPerSecond < 0) {
      throw new BadInputException(
          "--keys-per-second, --bytes-per-second: a rate below 0; 0 is no limit");
    }
    if (checkBetween && step == null) {
      throw new BadInputException("--check-between: there is nothing between without --step");
    }
    ObjectNode all = ControlClient.body();
    if (canary != null) {
      all.put("canary", percent("--canary", canary));
    }
    if (step != null) {
      all.put("step", percent("--step", step));
    }
    all.put("keysPerSecond", keysPerSecond).put("bytesPerSecond", bytesPerSecond);
    all.put("verify", verify.equals("full"));
    all.put("checkBetween", checkBetween).put("force", force);
    Map<String, JsonNode> options = new TreeMap<>();
    all.properties().forEach(each -> options.put(each.getKey(), each.getValue()));
    return options;
  }

  private static double percent(String option, String text) throws BadInputException {
    double share = Formats.parsePercent(option, text);
    if (!(share > 0 && share <= 0.5)) {
      throw new BadInputException(option + ": " + text + " is outside 0% to 50%, without 0%");
    }
    if (option.equals("--step") && share < 0.01) {
      throw new BadInputException(option + ": " + text + " is less than 1%");
    }
    return share;
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

  private String query() throws BadInputException {
    StringBuilder query = new StringBuilder("?dryRun=" + dryRun);
    query.append("&why=").append(ControlClient.part(why));
    options()
        .forEach(
            (name, value) -> query.append('&').append(name).append('=').append(value.asText()));
    return query.toString();
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
    if (answer.path("keys").asLong() > 0) {
      out.println(
          String.format(Locale.ROOT, "about %,d keys", answer.path("keys").asLong())
              + (answer.has("seconds")
                  ? String.format(Locale.ROOT, ", %,.0f s", answer.path("seconds").asDouble())
                  : ""));
    }
    if (answer.path("steps").asInt() > 1) {
      out.println("in " + answer.path("steps").asInt() + " steps, each a change of its own");
    }
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
    try (StatusLine line = new StatusLine(terminal)) {
      return await(terminal, epoch, line);
    }
  }

  private int await(Terminal terminal, long epoch, StatusLine line)
      throws BadInputException, RefusedException {
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
      String shown = MigrationCommand.shortly(status);
      String at = String.format(Locale.ROOT, "%6.1f s  ", (System.nanoTime() - begun) / 1e9);
      if (!now.equals(phase)) {
        phase = now;
        changed = System.nanoTime();
        line.close();
        out.println(at + shown);
        out.flush();
      } else {
        line.show(at + shown);
      }
      boolean over = now.equals("STEADY") && !status.has("gradual");
      if (over) {
        if (status.path("epoch").asLong() == epoch) {
          out.println("done: epoch " + epoch + moved(client, epoch));
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

  /** What the last move of a change has moved; nothing if none did. */
  private static String moved(ControlClient client, long epoch)
      throws BadInputException, RefusedException {
    long keys = 0;
    double seconds = 0;
    for (JsonNode move : client.get("/v1/moves?limit=50")) {
      if (move.path("nextEpoch").asLong() == epoch) {
        seconds += move.path("seconds").asDouble();
        for (JsonNode source : move.path("sources")) {
          for (JsonNode count : source.path("keys")) {
            keys += count.asLong();
          }
        }
      }
    }
    return keys == 0
        ? ""
        : String.format(Locale.ROOT, ", %,d keys have moved in %.1f s", keys, seconds);
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
    for (JsonNode entry : client.get("/v1/audit?limit=20")) {
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
