package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.LoadReport;
import dev.beltway.config.TopologyText;
import dev.beltway.lab.trials.LookupTime;
import dev.beltway.lab.trials.Recommendation;
import dev.beltway.lab.trials.Setting;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway lab recommend}: how many vnodes, at what cost, and what slices would give. */
@Command(
    name = "recommend",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Find the smallest count of vnodes that keeps every node within a target, and say what it costs."
    },
    footer = {
      "",
      "The target is met in 95 %% of the groups of node names. Exits with 3 if no count within 5,000,000",
      "tokens does.",
      "",
      "Examples:",
      "  beltway lab recommend --nodes 3 --max-over-mean 1.1",
      "  beltway lab recommend --weights 8x1,2x4 --max-over-mean 1.25"
    })
final class RecommendCommand implements Callable<Integer> {

  private static final int GROWN_AT_MOST = 300;

  private final Terminal terminal;

  @Mixin private TrialOptions options = new TrialOptions();

  @Option(
      names = "--max-over-mean",
      paramLabel = "X",
      required = true,
      description = "The target: the largest load of a node over its fair share, such as 1.1.")
  private double target;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  RecommendCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What a placement costs whoever routes by it. */
  private record Cost(
      String name,
      double maxOverFair,
      long size,
      String unit,
      long memory,
      int depth,
      double direct,
      LookupTime time,
      long bytes) {

    static Cost of(String name, Topology topology) {
      RangedPlacement placement = (RangedPlacement) Placements.of(topology);
      int size = placement.tokenMap().size();
      return new Cost(
          name,
          LoadReport.of(placement).maxOverMean(),
          topology.tokens(),
          topology.rule().sizeUnit(),
          placement.bytes(),
          Integer.SIZE - Integer.numberOfLeadingZeros(size),
          placement.tokenMap().directPart(),
          LookupTime.of(topology),
          TopologyText.yaml(topology).getBytes(StandardCharsets.UTF_8).length);
    }
  }

  @Override
  public Integer call() throws BadInputException {
    Setting setting = options.setting();
    Recommendation found;
    List<Cost> costs = new ArrayList<>();
    try (StatusLine status = new StatusLine(terminal)) {
      found =
          Recommendation.search(
              setting,
              target,
              (vnodes, groups) ->
                  status.show(vnodes + " vnodes: group " + groups + "/" + setting.groups()));
      status.show("measuring");
      if (found.vnodes().isPresent()) {
        int vnodes = found.vnodes().getAsInt();
        costs.add(Cost.of("ring", addressed(setting.cluster(setting.ring(vnodes), 0))));
      }
      costs.add(Cost.of("slices", addressed(setting.cluster(slices(setting), 0))));
      if (setting.nodes() > 1 && setting.nodes() <= GROWN_AT_MOST) {
        costs.add(Cost.of("slices, grown one by one", addressed(grown(setting))));
      }
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    if (json) {
      terminal.out().print(Json.pretty(toJson(found, costs)));
    } else {
      print(setting, found, costs);
    }
    return found.vnodes().isPresent() ? ExitCode.DONE : ExitCode.LIMIT_NOT_MET;
  }

  private static PlacementRule slices(Setting setting) {
    return new SlicesRule(
        setting.hash(), false, 0, SlicesRule.DEFAULT.replication(), Optional.empty());
  }

  /** The same cluster, one node after the other, so that its table has a history. */
  private static Topology grown(Setting setting) {
    List<Node> nodes = setting.cluster(slices(setting), 0).nodes();
    Topology topology = new Topology(0, slices(setting), nodes.subList(0, 1));
    for (Node node : nodes.subList(1, nodes.size())) {
      topology = topology.plus(node);
    }
    return topology;
  }

  /** With addresses, as a file has them, and slices with the table that a file has. */
  private static Topology addressed(Topology topology) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < topology.nodes().size(); i++) {
      nodes.add(
          topology
              .nodes()
              .get(i)
              .withAddress("10." + i / 65_536 + "." + i / 256 % 256 + "." + i % 256 + ":6379"));
    }
    PlacementRule rule = topology.rule().forNext(topology.nodes(), nodes);
    return new Topology(topology.epoch(), rule, nodes);
  }

  private void print(Setting setting, Recommendation found, List<Cost> costs) {
    terminal
        .out()
        .println(
            terminal.bold("Recommendation")
                + String.format(
                    Locale.ROOT,
                    " for %s%s, max/fair ≤ %s in 95 %% of %s of names",
                    Formats.plural(setting.nodes(), "node"),
                    setting.isEqual() ? "" : " of unequal weight",
                    found.target(),
                    Formats.plural(setting.groups(), "group")));
    terminal.out().println();
    if (found.vnodes().isPresent()) {
      terminal
          .out()
          .println(
              "  "
                  + terminal.good(
                      Formats.plural(found.vnodes().getAsInt(), "vnode")
                          + (setting.isEqual() ? " a node" : " for weight 1")));
    } else {
      terminal
          .out()
          .println("  " + terminal.bad("no count of vnodes within the limits meets the target"));
    }
    terminal.out().println();
    terminal.out().println(terminal.bold("Evidence"));
    TextTable evidence = new TextTable(false);
    evidence.row("vnodes", "groups that meet the target");
    found
        .evidence()
        .forEach((vnodes, part) -> evidence.row(Formats.count(vnodes), Formats.percent(part)));
    terminal.out().print(evidence);
    terminal.out().println();
    terminal.out().println(terminal.bold("Cost") + ", the first group; times are of this machine");
    TextTable table = new TextTable(false);
    table.row(
        "",
        "max/fair",
        "size",
        "memory",
        "binary search",
        "found at once",
        "ns a lookup",
        "ms a rebuild",
        "file");
    for (Cost cost : costs) {
      table.row(
          cost.name(),
          String.format(Locale.ROOT, "%.4f", cost.maxOverFair()),
          Formats.count(cost.size()) + " " + cost.unit(),
          Formats.bytes((double) cost.memory()),
          cost.depth() + " steps",
          Formats.percent(cost.direct()),
          String.format(Locale.ROOT, "%.0f", cost.time().lookupNanos()),
          String.format(Locale.ROOT, "%.2f", cost.time().rebuildMillis()),
          Formats.bytes((double) cost.bytes()));
    }
    terminal.out().print(table);
    terminal
        .out()
        .println(
            "\nSlices give every node its share exactly, whatever its name; their table is part of"
                + " the topology file\nand must be handed on with it. A ring needs the node list"
                + " alone.");
  }

  private static ObjectNode toJson(Recommendation found, List<Cost> costs) {
    ObjectNode root = Json.object();
    root.put("target", found.target());
    if (found.vnodes().isPresent()) {
      root.put("vnodes", found.vnodes().getAsInt());
    } else {
      root.putNull("vnodes");
    }
    ArrayNode evidence = root.putArray("evidence");
    found
        .evidence()
        .forEach((vnodes, part) -> evidence.addObject().put("vnodes", vnodes).put("met", part));
    ArrayNode list = root.putArray("costs");
    for (Cost cost : costs) {
      list.addObject()
          .put("name", cost.name())
          .put("maxOverFair", cost.maxOverFair())
          .put("size", cost.size())
          .put("unit", cost.unit())
          .put("memory", cost.memory())
          .put("binarySearchSteps", cost.depth())
          .put("foundAtOnce", cost.direct())
          .put("lookupNanos", cost.time().lookupNanos())
          .put("rebuildMillis", cost.time().rebuildMillis())
          .put("fileBytes", cost.bytes());
    }
    return root;
  }
}
