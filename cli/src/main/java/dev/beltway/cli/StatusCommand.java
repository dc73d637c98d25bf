package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.topology.Weight;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway status}: how a live cluster is, and what it waits for. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {"How a live cluster is: phase, nodes, proxies, and what it waits for.", ""})
final class StatusCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Mixin private final ControlOption control = new ControlOption();

  @Option(names = "--json", description = "As JSON.")
  private boolean json;

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, RefusedException {
    JsonNode status = control.client().get("/v1/status");
    PrintStream out = terminal.out();
    if (json) {
      out.println(status.toPrettyString());
      return ExitCode.DONE;
    }
    String phase = status.path("phase").asText();
    if (phase.equals("EMPTY")) {
      out.println("no topology yet; store one with: beltway apply pool.yaml");
      return ExitCode.DONE;
    }
    out.println(
        phase.toLowerCase(Locale.ROOT)
            + ", epoch "
            + status.path("epoch").asLong()
            + (status.has("nextEpoch") ? " -> " + status.path("nextEpoch").asLong() : "")
            + ", version "
            + status.path("version").asLong()
            + ", fingerprint "
            + status.path("fingerprint").asText());
    if (status.has("change")) {
      JsonNode change = status.path("change");
      out.println(
          "change: "
              + change.path("what").asText()
              + ", asked for by "
              + change.path("who").asText());
    }
    if (!status.path("pause").asText().isEmpty()) {
      out.println(terminal.bad("paused: ") + status.path("pause").asText());
    }
    status.path("waitsFor").forEach(each -> out.println("waits: " + each.asText()));
    out.println();
    out.print(nodes(status));
    out.println();
    out.print(proxies(status.path("proxies")));
    return ExitCode.DONE;
  }

  static String nodes(JsonNode status) {
    boolean between = status.has("nextEpoch");
    TextTable table =
        new TextTable(false)
            .row("node", "address", "weight", "share", between ? "then" : "", "keys", "state");
    for (JsonNode node : status.path("nodes")) {
      table.row(
          node.path("id").asText(),
          NodeCommand.text(node.path("address")),
          new Weight(node.path("weight").asDouble()).toString(),
          ChangeOptions.percent(node.path("share").asDouble()),
          between ? ChangeOptions.percent(node.path("nextShare").asDouble()) : "",
          node.has("keys") ? Long.toString(node.path("keys").asLong()) : "-",
          node.path("up").asBoolean() ? "up" : "no answer");
    }
    return table.toString();
  }

  static String proxies(JsonNode proxies) {
    if (proxies.isEmpty()) {
      return "  no proxy is registered\n";
    }
    TextTable table =
        new TextTable(false).row("proxy", "registration", "address", "acknowledged", "state");
    for (JsonNode proxy : proxies) {
      boolean fencing = proxy.path("fencing").asBoolean();
      boolean admitted = proxy.path("admitted").asBoolean();
      boolean live = proxy.path("live").asBoolean();
      table.row(
          proxy.path("name").asText(),
          proxy.path("id").asText(),
          NodeCommand.text(proxy.path("address")),
          Long.toString(proxy.path("acknowledged").asLong()),
          fencing ? "being fenced" : !admitted ? "waits for logins" : live ? "live" : "silent");
    }
    return table.toString();
  }
}
