package dev.beltway.topology;

import dev.beltway.token.Partitioner;
import java.util.Set;

/**
 * The algorithm of a topology with all that it needs besides the nodes: the {@code placement} part
 * of a topology file.
 */
public sealed interface PlacementRule permits RingRule, ModuloRule, SlotsRule {

  /** The name of the algorithm in topology files: {@code ring}, {@code modulo} or {@code slots}. */
  String algorithm();

  /** How a key finds its position. */
  Partitioner partitioner();

  /** What the algorithm can do. */
  Set<Ability> abilities();

  /** Whether the algorithm has that ability. */
  default boolean can(Ability ability) {
    return abilities().contains(ability);
  }
}
