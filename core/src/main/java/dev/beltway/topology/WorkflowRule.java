package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.PeerHashes;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Sogou Workflow's ring of weighted virtual nodes: 16 points for each unit of weight from {@code
 * address|v<index>|n<count>}.
 *
 * @param hash of points and keys; Workflow takes libstdc++'s for points and lets the user supply
 *     the one for keys
 * @param ipCount the count in the label: how many servers of that address have been added, 1 unless
 *     one was added twice; 0 to 1,000
 * @param replication how many distinct nodes hold a key
 */
public record WorkflowRule(HashFunction hash, int ipCount, Replication replication)
    implements PointsByWeight {

  /** Points of a server of weight 1. */
  public static final int POINTS = 16;

  /** As published: 64-bit {@code std::hash}, each address once. */
  public static final WorkflowRule DEFAULT =
      new WorkflowRule(PeerHashes.STD_HASH, 1, Replication.NONE);

  private static final int MOST_WEIGHT = 60_000;

  /** Checks the range. */
  public WorkflowRule {
    Ranges.check("ipCount", ipCount, 0, 1000);
  }

  /** The text that a point is the hash of. */
  public String label(Node node, int index) {
    return Peer.nameOf(node) + "|v" + index + "|n" + ipCount;
  }

  @Override
  public String algorithm() {
    return "workflow";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(hash, false);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.of(
        Ability.WEIGHTS, Ability.REMOVAL_ANYWHERE, Ability.RANGES, Ability.PREFERENCE_LIST);
  }

  @Override
  public int pointsOfWeightOne() {
    return POINTS;
  }

  @Override
  public int mostWeight() {
    return MOST_WEIGHT;
  }

  @Override
  public String nameOf(Node node) {
    return Peer.nameOf(node);
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("hash ").append(hash.name()).append('\n');
    text.append("ipCount ").append(ipCount).append('\n');
    Peer.describe(nodes, text);
  }
}
