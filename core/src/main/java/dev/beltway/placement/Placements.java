package dev.beltway.placement;

import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;

/** Makes placements from topologies. */
public final class Placements {

  private Placements() {}

  /**
   * The placement of a topology. It has all that the topology's algorithm can do: a ring is a
   * {@link ClockwisePlacement}, slices are a {@link RangedPlacement} and an {@link
   * OrderedPlacement}, fixed slots have ranges only, modulo and jump have neither.
   *
   * <p>O(tokens). Under 0.2 s for a ring of a million tokens; see docs/benchmarks.md.
   */
  public static Placement of(Topology topology) {
    if (topology.rule() instanceof RingRule) {
      return Ring.of(topology);
    }
    if (topology.rule() instanceof SlotsRule rule) {
      return FixedSlots.of(topology, rule);
    }
    if (topology.rule() instanceof SlicesRule rule) {
      return Slices.of(topology, rule);
    }
    if (topology.rule() instanceof JumpRule) {
      return new Jump(topology);
    }
    if (topology.rule() instanceof KetamaRule rule) {
      return PeerRings.ketama(topology, rule);
    }
    if (topology.rule() instanceof NginxRule) {
      return PeerRings.nginx(topology);
    }
    if (topology.rule() instanceof HaproxyRule rule) {
      return PeerRings.haproxy(topology, rule);
    }
    if (topology.rule() instanceof WorkflowRule rule) {
      return PeerRings.workflow(topology, rule);
    }
    return new Modulo(topology); // The rules are sealed: what is left is ModuloRule.
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
    return made(topology, "ring", Ring.class);
  }

  /**
   * The fixed slots of a topology.
   *
   * @throws IllegalArgumentException if its rule is not {@link SlotsRule}
   */
  public static RangedPlacement slots(Topology topology) {
    return made(topology, "slots", FixedSlots.class);
  }

  /**
   * The placement of a topology with an order of nodes for each position, which replicas, failover
   * and bounded loads need.
   *
   * @throws IllegalArgumentException if its algorithm has no such order
   */
  public static OrderedPlacement ordered(Topology topology) {
    Placement placement = of(topology);
    if (placement instanceof OrderedPlacement ordered) {
      return ordered;
    }
    throw new IllegalArgumentException(
        "algorithm " + topology.rule().algorithm() + " has no second owner of a key");
  }

  private static <P extends Placement> P made(Topology topology, String name, Class<P> type) {
    Placement placement = of(topology);
    if (type.isInstance(placement)) {
      return type.cast(placement);
    }
    throw new IllegalArgumentException(
        "algorithm " + topology.rule().algorithm() + " is not " + name);
  }
}
