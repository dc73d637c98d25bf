package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.config.TopologyText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands about a live cluster as a whole. */
final class ClusterCommands {

  private ClusterCommands() {}

  /** {@code beltway apply}. */
  @Command(
      name = "apply",
      mixinStandardHelpOptions = true,
      description = {
        "Make a topology file the live cluster's topology: keys move by themselves, also from another"
            + " algorithm, such as modulo.",
        ""
      })
  static final class Apply implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "FILE", description = "The topology, YAML or JSON.")
    private Path file = Path.of("");

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Apply(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      String text = TopologyText.json(TopologyInput.read(file));
      return change.send(terminal, "PUT", "/v1/topology", text);
    }
  }

  /** {@code beltway rollback}. */
  @Command(
      name = "rollback",
      mixinStandardHelpOptions = true,
      description = {"Bring an earlier mapping back, as a new epoch; keys move back live.", ""})
  static final class Rollback implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "EPOCH", description = "Which; beltway epochs lists them.")
    private long epoch;

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Rollback(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      return change.change(terminal, "POST", "/v1/rollback", ControlClient.body().put("to", epoch));
    }
  }

  /** {@code beltway abort}. */
  @Command(
      name = "abort",
      mixinStandardHelpOptions = true,
      description = {
        "Take back the change that is going on; keys that have moved move back live.",
        ""
      })
  static final class Abort implements Callable<Integer> {

    private final Terminal terminal;

    @Option(names = "--why", paramLabel = "TEXT", description = "For the audit log.")
    private String why = "";

    @Mixin private final ControlOption control = new ControlOption();

    Abort(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      control.client().ask("POST", "/v1/abort", ControlClient.body().put("why", why));
      terminal.out().println("the change is taken back; see beltway status");
      return ExitCode.DONE;
    }
  }

  /** {@code beltway resume}. */
  @Command(
      name = "resume",
      mixinStandardHelpOptions = true,
      description = {"Go on with a change that was paused; beltway status says why it was.", ""})
  static final class Resume implements Callable<Integer> {

    private final Terminal terminal;

    @Option(names = "--why", paramLabel = "TEXT", description = "For the audit log.")
    private String why = "";

    @Mixin private final ControlOption control = new ControlOption();

    Resume(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      control.client().ask("POST", "/v1/resume", ControlClient.body().put("why", why));
      terminal.out().println("it goes on; see beltway status");
      return ExitCode.DONE;
    }
  }

  /** {@code beltway hot}. */
  @Command(
      name = "hot",
      mixinStandardHelpOptions = true,
      description = {"What the clients of a live cluster ask for most, from samples.", ""})
  static final class Hot implements Callable<Integer> {

    private final Terminal terminal;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Mixin private final ControlOption control = new ControlOption();

    Hot(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      JsonNode found = control.client().get("/v1/hot");
      if (json) {
        terminal.out().println(found.toPrettyString());
        return ExitCode.DONE;
      }
      TextTable table = new TextTable(true).row("key", "node", "share", "counted", "at most");
      for (JsonNode key : found.path("keys")) {
        table.row(
            key.path("key").asText(),
            key.path("node").asText(),
            Formats.percent(key.path("share").asDouble()),
            Long.toString(key.path("countedAtLeast").asLong()),
            Long.toString(key.path("countedAtMost").asLong()));
      }
      terminal.out().print(table);
      terminal
          .out()
          .printf(
              Locale.ROOT,
              "%,d keys were asked for in the last seconds at %d proxies; %,d of them were counted%n",
              found.path("requests").asLong(),
              found.path("proxies").asInt(),
              found.path("sampled").asLong());
      return ExitCode.DONE;
    }
  }

  /** {@code beltway epochs}. */
  @Command(
      name = "epochs",
      mixinStandardHelpOptions = true,
      description = {"The topologies that a live cluster has had, or one of them.", ""})
  static final class Epochs implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "EPOCH", arity = "0..1", description = "Print this one as a file.")
    private @Nullable Long epoch;

    @Option(
        names = "--since",
        paramLabel = "EPOCH",
        description = "Say what is different since that one.")
    private @Nullable Long since;

    @Mixin private final ControlOption control = new ControlOption();

    Epochs(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      if (since != null) {
        if (epoch == null) {
          throw new BadInputException("--since: state an epoch to compare with it");
        }
        printDifference(control.client().get("/v1/epochs/" + epoch + "/diff?from=" + since));
        return ExitCode.DONE;
      }
      if (epoch != null) {
        terminal.out().print(control.client().get("/v1/epochs/" + epoch).path("topology").asText());
        return ExitCode.DONE;
      }
      TextTable table = new TextTable(true).row("epoch", "nodes", "algorithm", "", "fingerprint");
      for (JsonNode each : control.client().get("/v1/epochs")) {
        table.row(
            Long.toString(each.path("epoch").asLong()),
            Long.toString(each.path("nodes").asLong()),
            each.path("algorithm").asText(),
            each.path("holds").asBoolean() ? "holds" : "",
            each.path("fingerprint").asText());
      }
      terminal.out().print(table);
      return ExitCode.DONE;
    }

    private void printDifference(JsonNode found) {
      terminal
          .out()
          .println(
              Formats.percent(found.path("moved").asDouble())
                  + " of the keys have another owner"
                  + (found.path("sameRule").asBoolean()
                      ? ""
                      : "; the placement itself is another one"));
      TextTable table = new TextTable(true).row("node", "before", "after");
      for (JsonNode edit : found.path("edits")) {
        table.row(
            edit.path("id").asText(),
            described(edit.path("before")),
            described(edit.path("after")));
      }
      terminal.out().print(table);
    }

    private static String described(JsonNode node) {
      if (node.isMissingNode()) {
        return "-";
      }
      String zone = node.path("zone").asText();
      return node.path("address").asText()
          + ", weight "
          + node.path("weight").asText()
          + (zone.isEmpty() ? "" : ", zone " + zone);
    }
  }

  /** {@code beltway audit}. */
  @Command(
      name = "audit",
      mixinStandardHelpOptions = true,
      description = {"Who changed what, when and why; the newest first.", ""})
  static final class Audit implements Callable<Integer> {

    private final Terminal terminal;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description = "How many; ${DEFAULT-VALUE} by default.")
    private int limit;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Mixin private final ControlOption control = new ControlOption();

    Audit(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      JsonNode entries = control.client().get("/v1/audit?limit=" + limit);
      if (json) {
        terminal.out().println(entries.toPrettyString());
        return ExitCode.DONE;
      }
      TextTable table = new TextTable(true).row("when", "version", "epoch", "who", "what");
      for (JsonNode each : entries) {
        String why = each.path("why").asText();
        table.row(
            each.path("at").asText().replaceAll("\\.[0-9]+Z", "Z"),
            Long.toString(each.path("version").asLong()),
            each.path("epoch").asLong()
                + (each.path("nextEpoch").asLong() > 0
                        && each.path("nextEpoch").asLong() != each.path("epoch").asLong()
                    ? ">" + each.path("nextEpoch").asLong()
                    : ""),
            each.path("who").asText(),
            each.path("what").asText() + (why.isEmpty() ? "" : " (" + why + ")"));
      }
      terminal.out().print(table);
      return ExitCode.DONE;
    }
  }

  /** {@code beltway backup}. */
  @Command(
      name = "backup",
      mixinStandardHelpOptions = true,
      description = {
        "Write all topologies, the state and the audit log of a live cluster to a file.",
        ""
      })
  static final class Backup implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "FILE", description = "A new file.")
    private Path file = Path.of("");

    @Mixin private final ControlOption control = new ControlOption();

    Backup(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException, IOException {
      String text = control.client().get("/v1/backup").toPrettyString();
      try {
        WholeFile.create(file, text + "\n");
      } catch (java.nio.file.FileAlreadyExistsException e) {
        throw new BadInputException(file + " exists already; name a new file");
      }
      terminal.out().println("written to " + file);
      return ExitCode.DONE;
    }
  }

  /** {@code beltway restore}. */
  @Command(
      name = "restore",
      mixinStandardHelpOptions = true,
      description = {"Begin an empty store with the topology that a backup says holds.", ""})
  static final class Restore implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "FILE", description = "A backup.")
    private Path file = Path.of("");

    @Mixin private final ControlOption control = new ControlOption();

    Restore(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      String text;
      try {
        text = Files.readString(file);
      } catch (IOException e) {
        throw new BadInputException(file + " can't be read: " + e.getMessage());
      }
      JsonNode done = control.client().ask("POST", "/v1/restore", text);
      terminal.out().println("epoch " + done.path("epoch").asLong() + " holds");
      return ExitCode.DONE;
    }
  }

  /** {@code beltway proxy list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "The proxies of a live cluster.")
  static final class ListProxies implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private final ControlOption control = new ControlOption();

    ListProxies(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      terminal.out().print(StatusCommand.proxies(control.client().get("/v1/proxies")));
      return ExitCode.DONE;
    }
  }

  /** {@code beltway proxy forget}. */
  @Command(
      name = "forget",
      aliases = "fence",
      mixinStandardHelpOptions = true,
      description =
          "Shut a proxy out of every node, so that a change need not wait for it. If it still runs, it"
              + " registers anew, and loses nothing.")
  static final class Forget implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "NAME", description = "Its name, or its registration.")
    private String name = "";

    @Mixin private final ControlOption control = new ControlOption();

    Forget(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      JsonNode done =
          control.client().ask("DELETE", "/v1/proxies/" + ControlClient.part(name), null);
      terminal.out().println("being fenced: " + done.path("forgotten"));
      return ExitCode.DONE;
    }
  }
}
