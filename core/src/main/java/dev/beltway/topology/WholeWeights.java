package dev.beltway.topology;

import java.util.List;

/** What the algorithms of other systems ask of weights: that they are whole and not too large. */
final class WholeWeights {

  /** The most points of one topology; more would only be a mistake in a weight. */
  static final long MOST_POINTS = 1_000_000;

  private WholeWeights() {}

  static int of(Node node) {
    return (int) node.weight().value();
  }

  static void check(String algorithm, List<Node> nodes, int most) {
    for (Node node : nodes) {
      double weight = node.weight().value();
      if (weight != Math.rint(weight) || weight > most) {
        throw new IllegalArgumentException(
            "weight "
                + node.weight()
                + " of node "
                + node.id()
                + ": "
                + algorithm
                + " has whole weights, allowed is 0 to "
                + most);
      }
    }
  }

  static void checkPoints(String algorithm, PlacementRule rule, List<Node> nodes) {
    long points = rule.holdings(nodes).values().stream().mapToLong(Integer::longValue).sum();
    if (points > MOST_POINTS) {
      throw new IllegalArgumentException(
          points + " points by " + algorithm + " are more than " + MOST_POINTS);
    }
  }
}
