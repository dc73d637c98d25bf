package dev.beltway.handover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Connections that were lost with commands unanswered: what was sent on them may still be done,
 * until the node says that the connection is gone, or is another process (rule 4a). Not
 * thread-safe.
 */
public final class Doubts {

  /**
   * A process of a node.
   *
   * @param node its id
   * @param run its run id
   */
  public record NodeProcess(String node, String run) {}

  private final Map<NodeProcess, Set<Long>> open = new HashMap<>();

  /** A connection was lost with commands unanswered. */
  public void lost(String node, String run, long connection) {
    open.computeIfAbsent(new NodeProcess(node, run), p -> new TreeSet<>()).add(connection);
  }

  /** The node has confirmed that a connection is gone. */
  public void killed(String node, String run, long connection) {
    NodeProcess process = new NodeProcess(node, run);
    Set<Long> all = open.get(process);
    if (all != null) {
      all.remove(connection);
      if (all.isEmpty()) {
        open.remove(process);
      }
    }
  }

  /** The node is this process now: what was sent to others is done or never will be. */
  public void isNow(String node, String run) {
    for (Iterator<NodeProcess> each = open.keySet().iterator(); each.hasNext(); ) {
      NodeProcess process = each.next();
      if (process.node().equals(node) && !process.run().equals(run)) {
        each.remove();
      }
    }
  }

  /** The connections to have killed at a node, which is this process. */
  public List<Long> toKill(String node, String run) {
    return new ArrayList<>(open.getOrDefault(new NodeProcess(node, run), Set.of()));
  }

  /** Whether nothing is in doubt. */
  public boolean isClear() {
    return open.isEmpty();
  }

  /** The nodes in doubt. */
  public Set<String> nodes() {
    Set<String> nodes = new TreeSet<>();
    open.keySet().forEach(process -> nodes.add(process.node()));
    return nodes;
  }
}
