package dev.beltway.cli;

import dev.beltway.hash.HashFunction;
import dev.beltway.lab.trials.Setting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that trials share. */
final class TrialOptions {

  private static final double MOST_WEIGHT = 1000;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Nodes of the cluster, 1 to 10,000; left out where --weights says it.")
  private @Nullable Integer nodes;

  @Option(
      names = "--weights",
      paramLabel = "W,…",
      description = "A weight for each node, such as 1,1,2 or 10x1,5x2.5; all 1 if left out.")
  private @Nullable String weights;

  @Option(
      names = "--hash",
      paramLabel = "H",
      defaultValue = "xxh3_64",
      description = "The hash of the ring; xxh3_64 by default.")
  private String hashName = "xxh3_64";

  @Option(
      names = "--groups",
      paramLabel = "G",
      defaultValue = "200",
      description = "Sets of node names that are tried, 1 to 10,000; 200 by default.")
  private int groups = 200;

  Setting setting() throws BadInputException {
    HashFunction hash = HashOption.ofRing(hashName);
    try {
      if (weights == null) {
        if (nodes == null) {
          throw new BadInputException("--nodes: say how many, or give --weights");
        }
        return Setting.equal(nodes, hash, groups);
      }
      List<Double> each = weights(weights);
      if (nodes != null && nodes != each.size()) {
        throw new BadInputException(
            "--weights: " + each.size() + " weights for " + nodes + " nodes");
      }
      return new Setting(each, hash, groups);
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--" + e.getMessage());
    }
  }

  private static List<Double> weights(String text) throws BadInputException {
    List<Double> weights = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      String[] parts = item.strip().split("x", -1);
      String weight = parts[parts.length - 1];
      boolean wellFormed =
          parts.length <= 2
              && weight.matches("[0-9]{1,4}(\\.[0-9]{1,6})?")
              && (parts.length == 1 || parts[0].matches("[1-9][0-9]{0,4}"));
      double value = wellFormed ? Double.parseDouble(weight) : 0;
      if (!(value > 0 && value <= MOST_WEIGHT)) {
        throw new BadInputException(
            "--weights: \"" + item + "\" is not a weight above 0, up to 1000, or COUNTxWEIGHT");
      }
      int times = parts.length == 1 ? 1 : Integer.parseInt(parts[0]);
      for (int i = 0; i < times && weights.size() <= Setting.MOST_NODES; i++) {
        weights.add(value);
      }
    }
    return weights;
  }
}
