package dev.beltway.topology;

/**
 * What a placement algorithm can do. Weights that it can't have are refused with the topology; the
 * rest shows in the types of its placement and in what plans may promise.
 */
public enum Ability {
  /** Nodes may weigh differently, down to 0. */
  WEIGHTS,
  /** Any node may leave without moving keys between those that stay. */
  REMOVAL_ANYWHERE,
  /** Owners hold ranges of positions, so that differences are exact. */
  RANGES,
  /** There is a second, a third … owner of each position. */
  PREFERENCE_LIST,
  /** The order in which nodes are listed means nothing. */
  ANY_ORDER
}
