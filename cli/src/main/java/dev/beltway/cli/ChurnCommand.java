package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.lab.trials.ChurnTrial;
import dev.beltway.lab.trials.Setting;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.SlicesRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway lab churn}: nodes join and leave again and again. */
@Command(
    name = "churn",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Nodes join and leave again and again: what moves beside the least, what bounces.",
    footer = {
      "",
      "moved and least are over all keys and all changes: 200 %% is twice each key. bounced: keys",
      "that came back to a node that they had left while it stayed.",
      "",
      "Example:",
      "  beltway lab churn --nodes 10 --changes 100"
    })
final class ChurnCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Mixin private TrialOptions options = new TrialOptions();

  @Option(
      names = "--vnodes",
      paramLabel = "V",
      defaultValue = "150",
      description = "Vnodes of the ring; 150 by default.")
  private int vnodes = 150;

  @Option(
      names = "--changes",
      paramLabel = "C",
      defaultValue = "100",
      description = "Joins and leaves, 1 to 10,000; 100 by default.")
  private int changes = 100;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Which joins and leaves; 1 by default.")
  private long seed = 1;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  ChurnCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException {
    Setting setting = options.setting();
    if (vnodes < 1) {
      throw new BadInputException("--vnodes: " + vnodes + " is less than 1");
    }
    if (changes < 1 || changes > ChurnTrial.MOST_CHANGES) {
      throw new BadInputException(
          "--changes: " + changes + " is outside 1 to " + ChurnTrial.MOST_CHANGES);
    }
    if ((long) changes * setting.nodes() > ChurnTrial.MOST_WORK) {
      throw new BadInputException(
          "--changes: "
              + changes
              + " times "
              + setting.nodes()
              + " nodes are more than "
              + Formats.count(ChurnTrial.MOST_WORK));
    }
    // The cluster may grow to twice its size, by nodes of any of the weights.
    long tokens = tokens(setting);
    if (2 * tokens * Math.max(1, changes / 10) > Setting.MOST_WORK
        || 2 * tokens > Setting.MOST_TOKENS) {
      throw new BadInputException(
          "--vnodes: "
              + Formats.count(tokens)
              + " tokens through "
              + Formats.count(changes)
              + " changes are too many; take fewer of either");
    }
    List<PlacementRule> rules = new ArrayList<>();
    rules.add(setting.ring(vnodes));
    rules.add(
        new SlicesRule(
            setting.hash(), false, 0, setting.ring(vnodes).replication(), Optional.empty()));
    if (setting.isEqual() && setting.weights().get(0) == 1) {
      rules.add(new ModuloRule(setting.hash(), false));
    }
    List<ChurnTrial> trials = new ArrayList<>();
    try (StatusLine status = new StatusLine(terminal)) {
      for (PlacementRule rule : rules) {
        trials.add(
            ChurnTrial.run(
                setting,
                rule,
                changes,
                seed,
                done -> status.show(rule.algorithm() + ": change " + done + "/" + changes)));
      }
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    if (json) {
      terminal.out().print(Json.pretty(toJson(trials)));
    } else {
      print(setting, trials);
    }
    return ExitCode.DONE;
  }

  private long tokens(Setting setting) throws BadInputException {
    try {
      return setting.tokens(vnodes);
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }

  private void print(Setting setting, List<ChurnTrial> trials) {
    terminal
        .out()
        .println(
            terminal.bold("Churn")
                + String.format(
                    Locale.ROOT,
                    " of %s by %s: %s, %s followed",
                    Formats.plural(setting.nodes(), "node"),
                    setting.hash().name(),
                    Formats.count(changes) + " joins and leaves",
                    Formats.plural(ChurnTrial.KEYS, "key")));
    TextTable table = new TextTable(false);
    table.row(
        "",
        "moved",
        "least",
        "× least",
        "between staying",
        "bounced",
        "most moves of a key",
        "max/fair",
        "size");
    for (ChurnTrial trial : trials) {
      table.row(
          trial.rule().algorithm(),
          Formats.percent(trial.moved()),
          Formats.percent(trial.least()),
          Formats.ratio(trial.moved() / trial.least()),
          Formats.percent(trial.betweenStaying()),
          Formats.percent(trial.bounced()),
          Formats.count(trial.mostMoves()),
          BalanceCommand.ratio(trial.maxOverFair()),
          (Formats.count(trial.size()) + " " + unit(trial.rule())));
    }
    terminal.out().print(table);
  }

  private static String unit(PlacementRule rule) {
    return rule.sizeUnit().isEmpty() ? "nodes" : rule.sizeUnit();
  }

  private ObjectNode toJson(List<ChurnTrial> trials) {
    ObjectNode root = Json.object();
    root.put("changes", changes).put("seed", seed).put("keys", ChurnTrial.KEYS);
    ArrayNode list = root.putArray("trials");
    for (ChurnTrial trial : trials) {
      list.addObject()
          .put("algorithm", trial.rule().algorithm())
          .put("moved", trial.moved())
          .put("least", trial.least())
          .put("betweenStaying", trial.betweenStaying())
          .put("bounced", trial.bounced())
          .put("mostMoves", trial.mostMoves())
          .put("maxOverFair", trial.maxOverFair())
          .put("size", trial.size())
          .put("unit", unit(trial.rule()));
    }
    return root;
  }
}
