package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.PeerHashes;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Ketama, as memcached clients and twemproxy have it, so that a running pool is taken over and
 * nothing moves. For a new cluster {@link RingRule} is better: here points have 32 bits, servers
 * are named by address, and a weight changes the points of all servers.
 *
 * @param variant whose ketama
 * @param keyHash how keys are hashed; one of the variant's
 * @param hashTags whether Redis's hash-tag rule comes first, twemproxy's {@code hash_tag: "{}"}
 * @param replication how many distinct nodes hold a key
 */
public record KetamaRule(
    KetamaVariant variant, HashFunction keyHash, boolean hashTags, Replication replication)
    implements PlacementRule {

  private static final int UNWEIGHTED_POINTS = 100;
  private static final int POINTS = 160;

  /** Points that come from one MD5 digest. */
  public static final int POINTS_OF_DIGEST = 4;

  /** The largest weight: all of them together fit into a float without loss. */
  private static final int MOST_WEIGHT = 1_000_000;

  /** Checks that the variant knows the hash. */
  public KetamaRule {
    if (!variant.keyHashes().containsValue(keyHash)) {
      throw new IllegalArgumentException(
          "keyHash "
              + keyHash.name()
              + " is not one of "
              + variant.text()
              + "'s: "
              + String.join(", ", variant.keyHashes().keySet()));
    }
  }

  /** The variant with its own default hash, without tags. */
  public static KetamaRule of(KetamaVariant variant) {
    return new KetamaRule(variant, variant.defaultKeyHash(), false, Replication.NONE);
  }

  @Override
  public String algorithm() {
    return "ketama";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(keyHash, hashTags);
  }

  @Override
  public Set<Ability> abilities() {
    return variant.isWeighted()
        ? EnumSet.of(Ability.WEIGHTS, Ability.RANGES, Ability.PREFERENCE_LIST)
        : EnumSet.of(Ability.REMOVAL_ANYWHERE, Ability.RANGES, Ability.PREFERENCE_LIST);
  }

  @Override
  public String unit() {
    return "points";
  }

  /**
   * Points of each node. Weighted, ⌊weight / total · 160 / 4 · nodes⌋ digests of four points, all
   * in 32-bit floats as the originals compute it, which for some weights is one digest fewer than
   * the exact value.
   */
  @Override
  public Map<String, Integer> holdings(List<Node> nodes) {
    long total = nodes.stream().mapToLong(WholeWeights::of).sum();
    long live = nodes.stream().filter(node -> !node.isDrained()).count();
    boolean equal = nodes.stream().allMatch(node -> node.weight().equals(Weight.ONE));
    Map<String, Integer> points = new HashMap<>();
    for (Node node : nodes) {
      int count;
      if (!variant.isWeighted()) {
        count = UNWEIGHTED_POINTS;
      } else if (variant == KetamaVariant.SPYMEMCACHED_JAVA && equal) {
        count = POINTS;
      } else {
        count = POINTS_OF_DIGEST * digests(WholeWeights.of(node), total, live);
      }
      points.put(node.id(), count);
    }
    return points;
  }

  private static int digests(int weight, long total, long live) {
    if (weight == 0) {
      return 0;
    }
    float part = (float) weight / (float) total;
    float count = part * POINTS / POINTS_OF_DIGEST * (float) live;
    return (int) Math.floor((float) (count + 0.0000000001));
  }

  @Override
  public void check(List<Node> nodes) {
    WholeWeights.check(this, nodes, MOST_WEIGHT);
  }

  @Override
  public String nameOf(Node node) {
    return variant.label(node);
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("variant ").append(variant.text()).append('\n');
    text.append("keyHash ").append(PeerHashes.shortName(keyHash)).append('\n');
    text.append("hashTags ").append(hashTags).append('\n');
    Map<String, Integer> points = holdings(nodes);
    for (Node node : nodes) {
      int count = points.getOrDefault(node.id(), 0);
      if (count > 0) {
        text.append("node ").append(count).append(' ').append(node.id()).append('\n');
        text.append("name ").append(variant.label(node)).append('\n');
      }
    }
  }
}
