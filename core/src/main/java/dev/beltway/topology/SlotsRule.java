package dev.beltway.topology;

import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
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
    Ranges.check("slots", slots, 1, Partitioner.MOST_SLOTS);
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

  @Override
  public String unit() {
    return "slots";
  }

  @Override
  public Map<String, Integer> holdings(List<Node> nodes) {
    return SlotTable.of(this, nodes).counts();
  }

  @Override
  public void check(List<Node> nodes) {
    SlotTable.of(this, nodes);
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("slots ").append(slots).append('\n');
    text.append("hashTags ").append(hashTags).append('\n');
    SlotTable table = SlotTable.of(this, nodes);
    List<SlotRanges> owned = table.slotsOfAll();
    for (int i = 0; i < owned.size(); i++) {
      if (owned.get(i).count() > 0) {
        text.append("node ").append(owned.get(i)).append(' ');
        text.append(table.nodes().get(i).id()).append('\n');
      }
    }
  }
}
