package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.lab.trials.BalanceTrial;
import dev.beltway.lab.trials.Quantiles;
import dev.beltway.lab.trials.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway lab balance}: rings of many groups of names. */
@Command(
    name = "balance",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "How evenly rings load their nodes: exact shares of many groups of node names.",
    footer = {
      "",
      "max/fair is the fullest node's share over its fair share: max/mean where weights are equal.",
      "",
      "Example:",
      "  beltway lab balance --nodes 10 --vnodes 1,10,100,1000"
    })
final class BalanceCommand implements Callable<Integer> {

  private static final List<Integer> DEFAULT_VNODES = List.of(1, 10, 50, 100, 150, 200, 500, 1000);

  private final Terminal terminal;

  @Mixin private TrialOptions options = new TrialOptions();

  @Option(
      names = "--vnodes",
      paramLabel = "V,…",
      split = ",",
      description =
          "Vnodes of a node of weight 1; by default those of 1,10,50,100,150,200,500,1000 that"
              + " don't make too many tokens.")
  private @Nullable List<Integer> vnodes;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  BalanceCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException {
    Setting setting = options.setting();
    List<Integer> counts = counts(setting);
    List<BalanceTrial> trials = new ArrayList<>();
    try (StatusLine status = new StatusLine(terminal)) {
      for (int count : counts) {
        trials.add(
            BalanceTrial.run(
                setting,
                count,
                done -> status.show(count + " vnodes: group " + done + "/" + setting.groups())));
      }
    }
    if (json) {
      terminal.out().print(Json.pretty(toJson(setting, trials)));
    } else {
      print(setting, trials);
    }
    return ExitCode.DONE;
  }

  private List<Integer> counts(Setting setting) throws BadInputException {
    if (vnodes == null) {
      check(setting, DEFAULT_VNODES.get(0));
      return DEFAULT_VNODES.stream().filter(count -> fits(setting, count)).toList();
    }
    if (vnodes.isEmpty()) {
      throw new BadInputException("--vnodes: no number between the commas");
    }
    for (int count : vnodes) {
      if (count < 1) {
        throw new BadInputException("--vnodes: " + count + " is less than 1");
      }
      check(setting, count);
    }
    return vnodes;
  }

  private static boolean fits(Setting setting, int vnodes) {
    try {
      setting.tokens(vnodes);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  static void check(Setting setting, int vnodes) throws BadInputException {
    try {
      setting.tokens(vnodes);
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }

  private void print(Setting setting, List<BalanceTrial> trials) {
    terminal
        .out()
        .println(
            terminal.bold("Balance")
                + String.format(
                    Locale.ROOT,
                    " of %s by %s, %s of names, exact shares",
                    Formats.plural(setting.nodes(), "node"),
                    setting.hash().name(),
                    Formats.plural(setting.groups(), "group")));
    TextTable table = new TextTable(false);
    table.row("vnodes", "tokens", "max/fair", "", "", "", "min/fair", "deviation", "");
    table.row("", "", "p10", "median", "p90", "p95", "median", "median", "theory");
    for (BalanceTrial trial : trials) {
      Quantiles max = trial.maxOverFair();
      table.row(
          Formats.count(trial.vnodes()),
          Formats.count(trial.tokens()),
          ratio(max.p10()),
          ratio(max.median()),
          ratio(max.p90()),
          ratio(max.p95()),
          ratio(trial.minOverFair().median()),
          Formats.percent(trial.cv().median()),
          Formats.percent(trial.theoreticalCv()));
    }
    terminal.out().print(table);
  }

  static String ratio(double ratio) {
    return String.format(Locale.ROOT, "%.3f", ratio);
  }

  private static ObjectNode toJson(Setting setting, List<BalanceTrial> trials) {
    ObjectNode root = Json.object();
    root.put("nodes", setting.nodes()).put("hash", setting.hash().name());
    root.put("groups", setting.groups());
    ArrayNode list = root.putArray("trials");
    for (BalanceTrial trial : trials) {
      ObjectNode object = list.addObject();
      object.put("vnodes", trial.vnodes()).put("tokens", trial.tokens());
      quantiles(object.putObject("maxOverFair"), trial.maxOverFair());
      quantiles(object.putObject("minOverFair"), trial.minOverFair());
      quantiles(object.putObject("cv"), trial.cv());
      object.put("theoreticalCv", trial.theoreticalCv());
    }
    return root;
  }

  private static void quantiles(ObjectNode object, Quantiles quantiles) {
    object.put("p10", quantiles.p10()).put("median", quantiles.median());
    object.put("p90", quantiles.p90()).put("p95", quantiles.p95());
  }
}
