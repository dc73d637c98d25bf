package dev.beltway.topology;

import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.Set;

/**
 * Fixed slots: a key's slot is CRC16 mod {@code slots}, a table says which node owns which slot.
 * With 16,384 slots and hash tags the slot is that of Redis Cluster.
 *
 * @param slots the number of slots, 1 to 65,536
 * @param hashTags whether Redis's hash-tag rule comes first
 */
public record SlotsRule(int slots, boolean hashTags) implements PlacementRule {

  /** The number of slots in Redis Cluster. */
  public static final int REDIS_SLOTS = 16_384;

  /** Redis Cluster's slots and tags. */
  public static final SlotsRule REDIS = new SlotsRule(REDIS_SLOTS, true);

  /** Checks the range. */
  public SlotsRule {
    RingRule.checkRange("slots", slots, 1, Partitioner.MOST_SLOTS);
  }

  @Override
  public String algorithm() {
    return "slots";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.slots(slots, hashTags);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.of(Ability.WEIGHTS, Ability.REMOVAL_ANYWHERE, Ability.RANGES, Ability.ANY_ORDER);
  }
}
