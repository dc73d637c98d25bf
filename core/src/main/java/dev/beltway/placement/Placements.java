package dev.beltway.placement;

import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;

/** Makes placements from topologies. */
public final class Placements {

  private Placements() {}

  /**
   * The placement of a topology. It has all that the topology's algorithm can do: a ring is a
   * {@link ClockwisePlacement}, fixed slots are a {@link RangedPlacement}, modulo is neither.
   *
   * <p>O(tokens). Under 0.2 s for a million tokens; see docs/benchmarks.md.
   */
  public static Placement of(Topology topology) {
    if (topology.rule() instanceof RingRule) {
      return ring(topology);
    }
    if (topology.rule() instanceof SlotsRule) {
      return slots(topology);
    }
    return new Modulo(topology, (ModuloRule) topology.rule());
  }

  /**
   * The placement of {@code next}, the same as {@link #of(Topology)} gives, made from the one
   * before it: a change of few nodes out of many costs a copy instead of hashing and sorting all
   * tokens.
   */
  public static Placement of(Topology next, Placement previous) {
    return previous instanceof Ring ring && next.rule() instanceof RingRule
        ? ring.changedTo(next)
        : of(next);
  }

  /**
   * The ring of a topology.
   *
   * @throws IllegalArgumentException if its rule is not {@link RingRule}
   */
  public static ClockwisePlacement ring(Topology topology) {
    if (topology.rule() instanceof RingRule) {
      return Ring.of(topology);
    }
    throw new IllegalArgumentException("algorithm " + topology.rule().algorithm() + " is not ring");
  }

  /**
   * The fixed slots of a topology.
   *
   * @throws IllegalArgumentException if its rule is not {@link SlotsRule}
   */
  public static RangedPlacement slots(Topology topology) {
    if (topology.rule() instanceof SlotsRule rule) {
      return FixedSlots.of(topology, rule);
    }
    throw new IllegalArgumentException(
        "algorithm " + topology.rule().algorithm() + " is not slots");
  }
}
