package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Jump consistent hash (Lamping and Veach, 2014): no table at all and a very even load, but nodes
 * are numbers 0 … N − 1. Only the last may leave and only a new last may join; any other change is
 * refused. No weights, no second owner.
 *
 * @param hash of keys, 64 bits or fewer
 * @param hashTags whether Redis's hash-tag rule comes first
 */
public record JumpRule(HashFunction hash, boolean hashTags) implements PlacementRule {

  @Override
  public String algorithm() {
    return "jump";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(hash, hashTags);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.noneOf(Ability.class);
  }

  @Override
  public void checkChange(List<Node> before, List<Node> after) {
    int common = Math.min(before.size(), after.size());
    for (int i = 0; i < common; i++) {
      if (!before.get(i).id().equals(after.get(i).id())) {
        throw new IllegalArgumentException(
            "jump: node "
                + before.get(i).id()
                + " at position "
                + i
                + " would become "
                + after.get(i).id()
                + "; nodes join and leave at the end of the list only");
      }
    }
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("hash ").append(hash.name()).append('\n');
    text.append("hashTags ").append(hashTags).append('\n');
    nodes.forEach(node -> text.append("node ").append(node.id()).append('\n'));
  }
}
