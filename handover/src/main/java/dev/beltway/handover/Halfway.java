package dev.beltway.handover;

import dev.beltway.placement.Placement;

/**
 * The mapping between two others where keys would go round in a circle: each key is at the later of
 * its two owners, by id. On the way there keys move only to later nodes, on the way on only to
 * earlier ones.
 *
 * <p>Why: a node that gives a key waits for the one that gets it. Two that give to each other at
 * the same time wait for each other, until a time-out breaks both transfers.
 */
public final class Halfway extends Waypoint {

  /** Between two mappings; the same from either side. */
  public Halfway(Placement one, Placement other) {
    super(one, other);
  }

  @Override
  public int ownerIndex(byte[] key, int offset, int length) {
    return Math.max(indexOfOne(key, offset, length), indexOfOther(key, offset, length));
  }
}
