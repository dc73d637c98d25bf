package dev.beltway.proxy;

/** What happens to the keys of a node that is down. */
public enum FailurePolicy {
  /** Their requests fail at once, and nothing is routed anywhere else: for a store. */
  ERROR,
  /**
   * They go to the next node until it is back, and the node is emptied before it serves again: for
   * a cache alone.
   */
  NEXT
}
