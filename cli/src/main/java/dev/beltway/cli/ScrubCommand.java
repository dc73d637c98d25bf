package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway scrub}: is every key on its owner, and only there? */
@Command(
    name = "scrub",
    mixinStandardHelpOptions = true,
    description = {
      "Look at every key of a live cluster: is it on its owner, and only there?",
      "",
    },
    footer = {
      "",
      "With --repair the owner's copy wins, and what the owner lacks is taken to it. Whatever is",
      "removed is kept before, in kept/removed-by-scrub-N.jsonl below the leader's --data."
    })
final class ScrubCommand implements Callable<Integer> {

  private static final int POLL_MILLIS = 200;

  private final Terminal terminal;

  @Option(names = "--repair", description = "Mend what is found.")
  private boolean repair;

  @Option(names = "--why", paramLabel = "TEXT", description = "For the audit log.")
  private String why = "";

  @Option(names = "--json", description = "As JSON.")
  private boolean json;

  @Mixin private final ControlOption control = new ControlOption();

  ScrubCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, RefusedException {
    ControlClient client = control.client();
    JsonNode asked =
        client.ask("POST", "/v1/scrub", ControlClient.body().put("repair", repair).put("why", why));
    long number = asked.path("number").asLong();
    try (StatusLine line = new StatusLine(terminal)) {
      return print(await(client, number, line));
    }
  }

  private static JsonNode await(ControlClient client, long number, StatusLine line)
      throws BadInputException, RefusedException {
    JsonNode found = client.get("/v1/scrub");
    while (!found.path("ended").asBoolean()) {
      if (found.path("number").asLong() > number) {
        throw new BadInputException("somebody has asked for another scrub; see beltway audit");
      }
      line.show(found.path("nodes").size() + " nodes are looked through");
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BadInputException("interrupted; the scrub itself goes on");
      }
      found = client.get("/v1/scrub");
    }
    return found;
  }

  private int print(JsonNode found) {
    PrintStream out = terminal.out();
    long wrong = 0;
    long mended = 0;
    boolean whole = true;
    for (JsonNode node : found.path("nodes")) {
      whole &= node.path("failure").asText().isEmpty();
      wrong += node.path("duplicates").asLong() + node.path("orphans").asLong();
      mended += node.path("repaired").asLong();
    }
    if (json) {
      out.println(found.toPrettyString());
      return whole && wrong == mended ? ExitCode.DONE : ExitCode.LIMIT_NOT_MET;
    }
    TextTable table = new TextTable(false).row("node", "keys", "twice", "out of reach", "mended");
    for (Map.Entry<String, JsonNode> each : found.path("nodes").properties()) {
      JsonNode node = each.getValue();
      table.row(
          each.getKey(),
          Long.toString(node.path("keys").asLong()),
          Long.toString(node.path("duplicates").asLong()),
          Long.toString(node.path("orphans").asLong()),
          Long.toString(node.path("repaired").asLong()));
    }
    out.print(table);
    for (JsonNode node : found.path("nodes")) {
      node.path("names").forEach(name -> out.println("  " + name.asText()));
    }
    for (Map.Entry<String, JsonNode> each : found.path("nodes").properties()) {
      String failure = each.getValue().path("failure").asText();
      if (!failure.isEmpty()) {
        terminal
            .err()
            .println("beltway: not all keys of " + each.getKey() + " were looked at: " + failure);
      }
    }
    if (!whole) {
      return ExitCode.LIMIT_NOT_MET;
    }
    if (wrong == 0) {
      out.println("every key is on its owner, and only there");
      return ExitCode.DONE;
    }
    if (wrong == mended) {
      out.println(mended + " keys were mended");
      return ExitCode.DONE;
    }
    terminal
        .err()
        .println(
            "beltway: "
                + (wrong - mended)
                + " keys are not where they belong"
                + (repair ? "; the names say why they were left" : "; --repair mends them"));
    return ExitCode.LIMIT_NOT_MET;
  }
}
