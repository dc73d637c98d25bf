package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway migration}: keys on their way to other nodes. */
@Command(
    name = "migration",
    mixinStandardHelpOptions = true,
    description = {"Watch, slow down, pause and take back keys on their way to other nodes.", ""},
    subcommands = {
      MigrationCommand.Status.class,
      MigrationCommand.Pause.class,
      ClusterCommands.Resume.class,
      ClusterCommands.Abort.class,
      MigrationCommand.Throttle.class,
      MigrationCommand.Report.class
    })
final class MigrationCommand extends CommandGroup {

  MigrationCommand(Terminal terminal) {
    super(terminal);
  }

  /** Phase and progress in one line. */
  static String shortly(JsonNode status) {
    StringBuilder line = new StringBuilder();
    line.append(status.path("phase").asText().toLowerCase(Locale.ROOT));
    if (status.path("legs").asInt() > 1) {
      line.append(" (part ").append(status.path("leg").asInt());
      line.append(" of ").append(status.path("legs").asInt()).append(')');
    }
    JsonNode move = status.has("migration") ? status.get("migration") : status;
    if (status.path("phase").asText().equals("MOVING")) {
      line.append(": ").append(progress(move));
    }
    if (status.path("gradual").path("stepsLeft").asInt() > 0) {
      line.append(", ").append(status.path("gradual").path("stepsLeft").asInt());
      line.append(" steps to follow");
    }
    return line.toString();
  }

  private static String progress(JsonNode move) {
    long keys = move.path("keys").asLong();
    long planned = move.path("plannedKeys").asLong();
    StringBuilder line = new StringBuilder();
    if (move.path("counted").asDouble(1) < 1) {
      line.append(String.format(Locale.ROOT, "%,d keys, all are being counted", keys));
    } else {
      line.append(String.format(Locale.ROOT, "%,d of %,d keys", keys, Math.max(keys, planned)));
    }
    line.append(
        String.format(
            Locale.ROOT,
            ", %s, %,.0f keys/s",
            bytes(move.path("bytes").asDouble()),
            move.path("keysPerSecond").asDouble()));
    if (move.has("secondsLeft")) {
      line.append(", ").append(seconds(move.path("secondsLeft").asDouble())).append(" left");
    }
    return line.toString();
  }

  static String bytes(double bytes) {
    String[] units = {"B", "kB", "MB", "GB", "TB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1_000 && unit < units.length - 1) {
      value /= 1_000;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  }

  private static String seconds(double seconds) {
    long whole = Math.round(seconds);
    if (whole >= 3_600) {
      return whole / 3_600 + " h " + whole % 3_600 / 60 + " min";
    }
    return whole >= 60 ? whole / 60 + " min " + whole % 60 + " s" : whole + " s";
  }

  /** {@code migration status}. */
  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = "How far keys are, by source and target, and how long it will take.")
  static final class Status implements Callable<Integer> {

    private static final int POLL_MILLIS = 1_000;

    private final Terminal terminal;

    @Option(names = "--watch", description = "Look again every second until nothing moves.")
    private boolean watch;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Mixin private final ControlOption control = new ControlOption();

    Status(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      ControlClient client = control.client();
      while (true) {
        JsonNode move = client.get("/v1/migration");
        if (json) {
          terminal.out().println(watch ? move.toString() : move.toPrettyString());
        } else {
          print(move);
        }
        terminal.out().flush();
        boolean still = !move.path("phase").asText().equals("STEADY") || move.has("gradual");
        if (!watch || !still) {
          return ExitCode.DONE;
        }
        try {
          TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return ExitCode.DONE;
        }
      }
    }

    private void print(JsonNode move) {
      PrintStream out = terminal.out();
      out.println(shortly(move));
      if (!move.path("change").path("what").asText().isEmpty()) {
        out.println("change: " + move.path("change").path("what").asText());
      }
      if (!move.path("pause").asText().isEmpty()) {
        out.println(terminal.bad("paused: ") + move.path("pause").asText());
      }
      move.path("waitsFor").forEach(each -> out.println("waits: " + each.asText()));
      JsonNode throttle = move.path("throttle");
      if (throttle.path("keysPerSecond").asLong() > 0) {
        out.println("throttle: " + throttle.path("keysPerSecond").asLong() + " keys/s");
      }
      if (throttle.path("bytesPerSecond").asLong() > 0) {
        out.println("throttle: " + bytes(throttle.path("bytesPerSecond").asDouble()) + "/s");
      }
      if (move.path("flows").isEmpty()) {
        return;
      }
      out.println();
      TextTable flows = new TextTable(true).row("from", "to", "keys", "planned", "bytes", "");
      for (JsonNode flow : move.path("flows")) {
        long keys = flow.path("keys").asLong();
        long planned = flow.path("plannedKeys").asLong();
        flows.row(
            flow.path("from").asText(),
            flow.path("to").asText(),
            Long.toString(keys),
            Long.toString(planned),
            bytes(flow.path("bytes").asDouble()),
            planned == 0 ? "" : String.format(Locale.ROOT, "%.0f %%", 100.0 * keys / planned));
      }
      out.print(flows);
      out.println();
      TextTable sources =
          new TextTable(true).row("source", "walked", "answers in", "batch", "big key");
      for (JsonNode source : move.path("sources")) {
        sources.row(
            source.path("node").asText(),
            String.format(Locale.ROOT, "%.0f %%", source.path("covered").asDouble() * 100),
            String.format(Locale.ROOT, "%.2f ms", source.path("latencyMillis").asDouble()),
            bytes(source.path("batchBytes").asDouble()),
            source.path("bigKey").asText());
      }
      out.print(sources);
      for (JsonNode source : move.path("sources")) {
        for (JsonNode big : source.path("bigKeys")) {
          out.println(
              "big key at " + source.path("node").asText() + ", copied in parts: " + big.asText());
        }
        for (JsonNode name : source.path("replaced")) {
          out.println(
              "was at its target already, and was replaced by the value of "
                  + source.path("node").asText()
                  + ": "
                  + name.asText());
        }
      }
    }
  }

  /** {@code migration pause}. */
  @Command(
      name = "pause",
      mixinStandardHelpOptions = true,
      description = "Stop moving keys; those that clients ask for still move.")
  static final class Pause implements Callable<Integer> {

    private final Terminal terminal;

    @Option(names = "--why", paramLabel = "TEXT", description = "For the audit log.")
    private String why = "";

    @Mixin private final ControlOption control = new ControlOption();

    Pause(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      control.client().ask("POST", "/v1/pause", ControlClient.body().put("why", why));
      terminal.out().println("paused; beltway migration resume goes on");
      return ExitCode.DONE;
    }
  }

  /** {@code migration throttle}. */
  @Command(
      name = "throttle",
      mixinStandardHelpOptions = true,
      description = "Change how fast keys move.")
  static final class Throttle implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(
        paramLabel = "KEYS",
        description = "Keys a second, also those that clients ask for; 0 for no limit.")
    private long keys;

    @Option(
        names = "--bytes-per-second",
        paramLabel = "N",
        description = "Bytes a second; 0 for no limit. By default it stays as it is.")
    private @Nullable Long bytes;

    @Option(names = "--why", paramLabel = "TEXT", description = "For the audit log.")
    private String why = "";

    @Mixin private final ControlOption control = new ControlOption();

    Throttle(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      ObjectNode body = ControlClient.body().put("why", why);
      if (keys < 0 || bytes != null && bytes < 0) {
        throw new BadInputException("a rate below 0; 0 is no limit");
      }
      body.put("keysPerSecond", keys);
      if (bytes != null) {
        body.put("bytesPerSecond", bytes);
      }
      control.client().ask("PATCH", "/v1/migration", body);
      terminal.out().println("throttle: " + (keys == 0 ? "no limit" : keys + " keys/s"));
      return ExitCode.DONE;
    }
  }

  /** {@code migration report}. */
  @Command(
      name = "report",
      mixinStandardHelpOptions = true,
      description = "What has moved in the last changes, how long it took, and what was found.")
  static final class Report implements Callable<Integer> {

    private final Terminal terminal;

    @Option(
        names = "--limit",
        paramLabel = "N",
        description =
            "How many moves, the newest first, of the last 50; by default those of the last change,"
                + " which has several if it went in parts.")
    private @Nullable Integer limit;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Mixin private final ControlOption control = new ControlOption();

    Report(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      if (limit != null && limit < 1) {
        throw new BadInputException("--limit: " + limit + " is below 1");
      }
      String query = limit == null ? "" : "?limit=" + Math.min(limit, 1_000);
      JsonNode all = control.client().get("/v1/moves" + query);
      ArrayNode moves = ControlClient.body().putArray("moves");
      for (JsonNode move : all) {
        boolean mine =
            limit != null
                || move.path("nextEpoch").asLong() == all.get(0).path("nextEpoch").asLong();
        if (mine) {
          moves.add(move);
        }
      }
      PrintStream out = terminal.out();
      if (json) {
        out.println(moves.toPrettyString());
        return ExitCode.DONE;
      }
      if (moves.isEmpty()) {
        out.println("no keys have moved yet");
      }
      for (JsonNode move : moves) {
        print(out, move);
      }
      return ExitCode.DONE;
    }

    private static void print(PrintStream out, JsonNode move) {
      out.println(
          move.path("what").asText()
              + " by "
              + move.path("who").asText()
              + ", epoch "
              + move.path("epoch").asLong()
              + " -> "
              + move.path("nextEpoch").asLong()
              + (move.path("legs").asInt() > 1
                  ? ", part " + move.path("leg").asInt() + " of " + move.path("legs").asInt()
                  : "")
              + ": "
              + move.path("outcome").asText());
      out.println(
          "from "
              + move.path("since").asText()
              + String.format(Locale.ROOT, ", %.1f s", move.path("seconds").asDouble())
              + (move.path("verified").asBoolean()
                  ? "; each key was compared at its target before it left"
                  : ""));
      TextTable table = new TextTable(true).row("from", "to", "keys", "planned", "bytes");
      for (JsonNode source : move.path("sources")) {
        JsonNode planned = move.path("planned").path(source.path("source").asText());
        source
            .path("keys")
            .properties()
            .forEach(
                each ->
                    table.row(
                        source.path("source").asText(),
                        each.getKey(),
                        Long.toString(each.getValue().asLong()),
                        Long.toString(planned.path("keys").path(each.getKey()).asLong()),
                        bytes(source.path("bytes").path(each.getKey()).asDouble())));
      }
      out.print(table);
      for (JsonNode source : move.path("sources")) {
        source
            .path("replaced")
            .forEach(
                key ->
                    out.println(
                        "key "
                            + key.asText()
                            + " was at its target already; the value of "
                            + source.path("source").asText()
                            + " replaced it"));
      }
      move.path("planned")
          .properties()
          .forEach(
              each ->
                  each.getValue()
                      .path("big")
                      .forEach(
                          key -> out.println("big key of " + each.getKey() + ": " + key.asText())));
    }
  }
}
