package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.token.Partitioner;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Exact shares: the ring is cut into intervals, and each node owns intervals that add up to the
 * share of its weight. A change moves exactly what the growing nodes gain. The idea is random
 * slicing (Miranda, Effert, Kang, Miller, Popov, Brinkmann, Friedetzky and Cortes, 2014).
 *
 * <p>The table of intervals follows the history of changes, so it belongs to the topology. A rule
 * without a table cuts the ring anew, one interval a node.
 *
 * @param hash of keys
 * @param hashTags whether Redis's hash-tag rule comes first
 * @param tolerance how far a share may be from its weight's, as a part of it, before it is changed:
 *     0 for exact shares, up to {@value #MOST_TOLERANCE} for fewer intervals and less movement; at
 *     most six digits after the point
 * @param replication how many distinct nodes hold a key
 * @param table the intervals so far, of these or of earlier nodes
 */
public record SlicesRule(
    HashFunction hash,
    boolean hashTags,
    double tolerance,
    Replication replication,
    Optional<SliceTable> table)
    implements PlacementRule {

  /** What a node holds is counted in: billionths of the ring. */
  public static final String UNIT = "billionths";

  /** The largest tolerance. */
  public static final double MOST_TOLERANCE = 0.5;

  /** xxh3-64, exact shares, one copy, no history. */
  public static final SlicesRule DEFAULT =
      new SlicesRule(HashFunctions.XXH3_64, false, 0, Replication.NONE, Optional.empty());

  private static final double MILLION = 1e6;
  private static final double BILLION = 1e9;

  /** Checks the range. */
  public SlicesRule {
    if (!(tolerance >= 0 && tolerance <= MOST_TOLERANCE)) {
      throw new IllegalArgumentException(
          "tolerance " + tolerance + " is outside 0 to " + MOST_TOLERANCE);
    }
    if (millionths(tolerance) / MILLION != tolerance) {
      throw new IllegalArgumentException(
          "tolerance " + tolerance + " has more than six digits after the point");
    }
    tolerance = tolerance + 0.0; // −0.0 is 0.0.
  }

  private static long millionths(double tolerance) {
    return Math.round(tolerance * MILLION);
  }

  /** The same rule with a history. */
  public SlicesRule withTable(SliceTable newTable) {
    return new SlicesRule(hash, hashTags, tolerance, replication, Optional.of(newTable));
  }

  /** The same rule with a history, changed as far as these nodes demand. */
  public SlicesRule continuing(SliceTable history, List<Node> nodes) {
    return withTable(withTable(history).tableFor(nodes));
  }

  /** The same rule with another tolerance. */
  public SlicesRule withTolerance(double newTolerance) {
    return new SlicesRule(hash, hashTags, newTolerance, replication, table);
  }

  /** The intervals of these nodes: the table, changed as far as their weights demand. */
  public SliceTable tableFor(List<Node> nodes) {
    return table.orElse(SliceTable.EMPTY).changedTo(nodes, millionths(tolerance));
  }

  @Override
  public String algorithm() {
    return "slices";
  }

  @Override
  public Partitioner partitioner() {
    return Partitioner.of(hash, hashTags);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.of(
        Ability.WEIGHTS,
        Ability.REMOVAL_ANYWHERE,
        Ability.RANGES,
        Ability.PREFERENCE_LIST,
        Ability.ANY_ORDER);
  }

  @Override
  public String unit() {
    return UNIT;
  }

  @Override
  public Map<String, Integer> holdings(List<Node> nodes) {
    Map<String, Integer> billionths = new HashMap<>();
    nodes.forEach(node -> billionths.put(node.id(), 0));
    tableFor(nodes)
        .units()
        .forEach(
            (id, units) -> billionths.put(id, (int) Math.ceil(units * BILLION / SliceTable.UNITS)));
    return billionths;
  }

  @Override
  public long size(List<Node> nodes) {
    return tableFor(nodes).intervals();
  }

  @Override
  public String sizeUnit() {
    return "intervals";
  }

  @Override
  public void check(List<Node> nodes) {
    tableFor(nodes);
  }

  @Override
  public PlacementRule settings() {
    return new SlicesRule(hash, hashTags, tolerance, replication, Optional.empty());
  }

  @Override
  public PlacementRule forNext(List<Node> before, List<Node> after) {
    return continuing(tableFor(before), after);
  }

  @Override
  public void describe(List<Node> nodes, StringBuilder text) {
    text.append("hash ").append(hash.name()).append('\n');
    text.append("hashTags ").append(hashTags).append('\n');
    SliceTable current = tableFor(nodes);
    current.owners().forEach(id -> text.append("node ").append(id).append('\n'));
    text.append("table ").append(current.encoded()).append('\n');
  }
}
