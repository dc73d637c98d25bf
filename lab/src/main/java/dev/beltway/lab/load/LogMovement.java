package dev.beltway.lab.load;

import dev.beltway.plan.Flow;
import java.util.List;

/**
 * What a change of topology does to the requests of a log.
 *
 * @param after what the nodes get afterwards
 * @param keys the different keys that change their node
 * @param requests the requests of those
 * @param bytes the bytes of those
 * @param flows from whom to whom, as shares of all requests, the largest first
 * @param betweenStaying the part of all requests that moves between two nodes that are both there
 *     before and after; 0 on a ring whose weights stay
 */
public record LogMovement(
    NodeLoads after,
    Count keys,
    long requests,
    long bytes,
    List<Flow> flows,
    double betweenStaying) {

  /** Copies the list. */
  public LogMovement {
    flows = List.copyOf(flows);
  }
}
