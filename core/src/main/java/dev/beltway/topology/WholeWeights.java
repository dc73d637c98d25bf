package dev.beltway.topology;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the algorithms of other systems ask of weights: that they are whole and not too large. */
final class WholeWeights {

  /** The most points of one topology; more would only be a mistake in a weight. */
  static final long MOST_POINTS = 1_000_000;

  private WholeWeights() {}

  /** So many points for each unit of weight. */
  static Map<String, Integer> points(List<Node> nodes, int ofWeightOne) {
    return nodes.stream().collect(Collectors.toMap(Node::id, node -> ofWeightOne * of(node)));
  }

  static int of(Node node) {
    return (int) node.weight().value();
  }

  /** Refuses weights that are not whole or too large, and too many points of all nodes. */
  static void check(PlacementRule rule, List<Node> nodes, int most) {
    for (Node node : nodes) {
      double weight = node.weight().value();
      if (weight != Math.rint(weight) || weight > most) {
        throw new IllegalArgumentException(
            "weight "
                + node.weight()
                + " of node "
                + node.id()
                + ": "
                + rule.algorithm()
                + " has whole weights, allowed is 0 to "
                + most);
      }
    }
    long points = rule.holdings(nodes).values().stream().mapToLong(Integer::longValue).sum();
    if (points > MOST_POINTS) {
      throw new IllegalArgumentException(
          points + " points by " + rule.algorithm() + " are more than " + MOST_POINTS);
    }
  }
}
