package dev.beltway.topology;

import dev.beltway.hash.HashFunctions;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * nginx's {@code hash … consistent}: 160 points for each unit of weight, made by CRC-32 from the
 * server as its line names it, each from the one before.
 *
 * @param replication how many distinct nodes hold a key
 */
public record NginxRule(Replication replication) implements PointsByWeight {

  /** Points of a server of weight 1. */
  public static final int POINTS = 160;

  private static final int MOST_WEIGHT = 65_535;

  /** One copy. */
  public static final NginxRule DEFAULT = new NginxRule(Replication.NONE);

  @Override
  public String algorithm() {
    return "nginx";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(HashFunctions.CRC32, false);
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
    Peer.describe(nodes, text);
  }
}
