package dev.beltway.handover;

import java.util.List;
import java.util.Map;

/**
 * What the store holds, as the leader has read it.
 *
 * @param routing the state with its mappings
 * @param revision of the state's document: a write names it, and fails if it has changed
 * @param registrations of proxies, in the order in which they were made
 * @param runs by node, the process that was admitted last
 * @param shares of the keys that each node owns by the mapping that holds
 */
public record ClusterView(
    RoutingState routing,
    long revision,
    List<Registration> registrations,
    Map<String, String> runs,
    Map<String, Double> shares) {

  /** Copies the collections. */
  public ClusterView {
    registrations = List.copyOf(registrations);
    runs = Map.copyOf(runs);
    shares = Map.copyOf(shares);
  }
}
