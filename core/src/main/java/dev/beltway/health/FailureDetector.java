package dev.beltway.health;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges the nodes of a pool by good and bad observations, from probes or from requests alike. A
 * node goes out after several bad ones in a row, stays out for a time that doubles if it happens
 * again, and is back after several good ones in a row: short trouble moves nothing to and fro.
 * Never are so many out that the others would carry the load of the whole pool.
 *
 * <p>Immutable: each observation gives the next detector. Times are milliseconds of any clock that
 * doesn't go back.
 */
public final class FailureDetector {

  private final HealthRules rules;
  private final Map<String, NodeHealth> nodes;

  private FailureDetector(HealthRules rules, Map<String, NodeHealth> nodes) {
    this.rules = rules;
    this.nodes = nodes;
  }

  /** All of these are in. */
  public static FailureDetector of(HealthRules rules, Collection<String> ids) {
    Map<String, NodeHealth> nodes = new TreeMap<>();
    ids.forEach(id -> nodes.put(id, NodeHealth.UNKNOWN));
    return new FailureDetector(rules, nodes);
  }

  /** Watches a node too, if it doesn't yet. */
  public FailureDetector watching(String id) {
    if (nodes.containsKey(id)) {
      return this;
    }
    Map<String, NodeHealth> next = new TreeMap<>(nodes);
    next.put(id, NodeHealth.UNKNOWN);
    return new FailureDetector(rules, next);
  }

  /** What is known of a node. */
  public NodeHealth node(String id) {
    NodeHealth health = nodes.get(id);
    if (health == null) {
      throw new IllegalArgumentException("node " + id + " is not watched");
    }
    return health;
  }

  /** Whether a node counts as out. */
  public boolean isOut(String id) {
    return node(id).isOut();
  }

  /**
   * Whether the last observations of a node were bad, as many as would put it out: also of a node
   * that may not go out because too many others are.
   */
  public boolean isFailing(String id) {
    NodeHealth health = node(id);
    return health.isOut() || health.failures() >= rules.failures();
  }

  /** How many nodes are out. */
  public long out() {
    return nodes.values().stream().filter(NodeHealth::isOut).count();
  }

  /** A bad observation of a node. */
  public FailureDetector failed(String id, long now) {
    NodeHealth old = node(id);
    boolean first = old.failures() == 0 || old.lastFailure() < 0;
    if (!first && now - old.lastFailure() < rules.spacingMillis()) {
      return this;
    }
    int failures = old.failures() + 1;
    if (old.isOut() || failures < rules.failures() || !mayGoOut()) {
      return with(id, new NodeHealth(old.isOut(), failures, 0, now, old.outSince(), old.times()));
    }
    boolean calm = old.outSince() >= 0 && now - old.outSince() > rules.calmMillis();
    int times = calm ? 1 : old.times() + 1;
    return with(id, new NodeHealth(true, failures, 0, now, now, times));
  }

  /** A good observation of a node. */
  public FailureDetector succeeded(String id, long now) {
    NodeHealth old = node(id);
    int successes = old.successes() + 1;
    boolean back =
        old.isOut()
            && successes >= rules.successes()
            && now - old.outSince() >= rules.outMillis(old.times());
    return with(
        id,
        new NodeHealth(
            old.isOut() && !back, 0, successes, old.lastFailure(), old.outSince(), old.times()));
  }

  private boolean mayGoOut() {
    long out = out() + 1;
    return out < nodes.size() && (out == 1 || out <= rules.mostShareOut() * nodes.size());
  }

  private FailureDetector with(String id, NodeHealth health) {
    Map<String, NodeHealth> next = new TreeMap<>(nodes);
    next.put(id, health);
    return new FailureDetector(rules, next);
  }
}
