package dev.beltway.topology;

import java.util.List;
import java.util.Map;

/**
 * Rules of other systems under which a node has so many points for each unit of a whole weight,
 * whatever the others weigh.
 */
sealed interface PointsByWeight extends PlacementRule permits NginxRule, HaproxyRule, WorkflowRule {

  /** Points of a node of weight 1. */
  int pointsOfWeightOne();

  /** The largest weight. */
  int mostWeight();

  @Override
  default String unit() {
    return "points";
  }

  @Override
  default Map<String, Integer> holdings(List<Node> nodes) {
    return WholeWeights.points(nodes, pointsOfWeightOne());
  }

  @Override
  default void check(List<Node> nodes) {
    WholeWeights.check(this, nodes, mostWeight());
  }
}
