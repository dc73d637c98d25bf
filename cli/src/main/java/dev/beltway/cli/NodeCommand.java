package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway node}: the nodes of a live cluster. */
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    description = {
      "List, add, change and remove the nodes of a live cluster; keys move by themselves.",
      ""
    },
    subcommands = {
      NodeCommand.ListNodes.class,
      NodeCommand.Add.class,
      NodeCommand.Weight.class,
      NodeCommand.Drain.class,
      NodeCommand.Remove.class,
      NodeCommand.Move.class
    })
final class NodeCommand extends CommandGroup {

  NodeCommand(Terminal terminal) {
    super(terminal);
  }

  private static String at(String id) {
    return "/v1/nodes/" + ControlClient.part(id);
  }

  /** {@code node list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "What nodes there are, and how they are.")
  static final class ListNodes implements Callable<Integer> {

    private final Terminal terminal;
    @Mixin private final ControlOption control = new ControlOption();

    ListNodes(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      terminal.out().print(StatusCommand.nodes(control.client().get("/v1/status")));
      return ExitCode.DONE;
    }
  }

  /** {@code node add}. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = "Add a node; it gets its share of the keys while clients go on.")
  static final class Add implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "ID", description = "Its id.")
    private String id = "";

    @Option(
        names = "--address",
        paramLabel = "HOST:PORT",
        description = "Where it is; a cluster of beltway up starts a server if none is stated.")
    private String address = "";

    @Option(
        names = "--weight",
        paramLabel = "N",
        description = "How much it carries; 1 by default.")
    private @Nullable Double weight;

    @Option(names = "--zone", paramLabel = "NAME", description = "Its failure domain.")
    private @Nullable String zone;

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Add(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      ObjectNode body = ControlClient.body().put("id", id);
      if (!address.isEmpty()) {
        body.put("address", address);
      }
      if (weight != null) {
        body.put("weight", weight);
      }
      if (zone != null) {
        body.put("zone", zone);
      }
      return change.change(terminal, "POST", "/v1/nodes", body);
    }
  }

  /** {@code node weight}. */
  @Command(
      name = "weight",
      mixinStandardHelpOptions = true,
      description = "Change how much a node carries.")
  static final class Weight implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(index = "0", paramLabel = "ID", description = "Which node.")
    private String id = "";

    @Parameters(
        index = "1",
        paramLabel = "WEIGHT",
        description = "2 is twice as much as 1; 0 is nothing.")
    private double weight;

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Weight(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      return change.change(terminal, "PATCH", at(id), ControlClient.body().put("weight", weight));
    }
  }

  /** {@code node drain}. */
  @Command(
      name = "drain",
      mixinStandardHelpOptions = true,
      description = "Move everything off a node, which stays in the list with weight 0.")
  static final class Drain implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "ID", description = "Which node.")
    private String id = "";

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Drain(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      return change.change(terminal, "PATCH", at(id), ControlClient.body().put("weight", 0));
    }
  }

  /** {@code node remove}. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = "Move everything off a node, and take it out of the list once it is empty.")
  static final class Remove implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "ID", description = "Which node.")
    private String id = "";

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Remove(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      return change.change(terminal, "DELETE", at(id));
    }
  }

  /** {@code node address}. */
  @Command(
      name = "address",
      mixinStandardHelpOptions = true,
      description = "Say where a node is now: the same server at another address. No key moves.")
  static final class Move implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(index = "0", paramLabel = "ID", description = "Which node.")
    private String id = "";

    @Parameters(index = "1", paramLabel = "HOST:PORT", description = "Where it is now.")
    private String address = "";

    @Mixin private final ChangeOptions change = new ChangeOptions();

    Move(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() throws BadInputException, RefusedException {
      return change.change(terminal, "PATCH", at(id), ControlClient.body().put("address", address));
    }
  }

  /** A document's text, or a dash. */
  static String text(JsonNode node) {
    String text = node.asText();
    return text.isEmpty() ? "-" : text;
  }
}
