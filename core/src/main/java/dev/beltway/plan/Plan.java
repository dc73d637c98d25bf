package dev.beltway.plan;

import dev.beltway.balance.LoadReport;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a change of topology does, before anything is touched.
 *
 * @param before the topology now
 * @param after the topology afterwards
 * @param changes what happens to each node
 * @param difference what moves
 * @param loadBefore by ring share, beside fair shares
 * @param loadAfter by ring share, beside fair shares
 * @param keys what a key log says, if there was one
 * @param moved figures about the movement
 * @param sizing how much data there is, with the key count of the log where none was stated
 * @param estimate how much data that is and how long it takes, as far as known
 * @param steps the steps to take
 * @param outage what happens when a given node fails, if asked
 * @param verdicts the limits that were given
 * @param warnings what the reader should know before going on
 */
public record Plan(
    Topology before,
    Topology after,
    List<NodeChange> changes,
    Difference difference,
    LoadReport loadBefore,
    LoadReport loadAfter,
    Optional<KeySurvey> keys,
    Movement moved,
    Sizing sizing,
    Estimate estimate,
    List<Step> steps,
    Optional<Outage> outage,
    List<Limits.Verdict> verdicts,
    List<String> warnings) {

  /**
   * Figures about what moves, as parts of all keys, 0 to 1.
   *
   * @param total what changes its node
   * @param betweenStaying what moves from one node to another that are both there before and after
   * @param unexplained what moves between two nodes of which neither joined, left, grew nor shrank
   *     in the direction of the movement; 0 on a ring whose rule stays the same
   * @param least the least that must move for the shares to become what they become: the sum of the
   *     gains
   * @param joiningOwn what the joining nodes own afterwards; "little moved" can mean that they got
   *     next to nothing
   * @param joiningFair what they should own
   * @param byModulo what {@code hash % N} would have moved
   */
  public record Movement(
      double total,
      double betweenStaying,
      double unexplained,
      double least,
      double joiningOwn,
      double joiningFair,
      double byModulo) {}

  /**
   * How much data moves.
   *
   * @param keys keys that move
   * @param bytes bytes that move
   * @param seconds how long that takes under the throttle
   */
  public record Estimate(OptionalLong keys, OptionalLong bytes, OptionalDouble seconds) {}

  /** Whether all limits are met. */
  public boolean isWithinLimits() {
    return verdicts.stream().allMatch(Limits.Verdict::met);
  }
}
