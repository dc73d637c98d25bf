package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * {@code hash % N}: the baseline of every comparison, and what many pools run today. The order in
 * which nodes are listed is part of the mapping; a change of N moves nearly every key.
 *
 * @param hash whose value, in its own width, is divided
 * @param hashTags whether Redis's hash-tag rule comes first
 */
public record ModuloRule(HashFunction hash, boolean hashTags) implements PlacementRule {

  @Override
  public String algorithm() {
    return "modulo";
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
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("hash ").append(hash.name()).append('\n');
    text.append("hashTags ").append(hashTags).append('\n');
    nodes.forEach(node -> text.append("node ").append(node.id()).append('\n'));
  }
}
