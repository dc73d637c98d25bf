package dev.beltway.plan;

import dev.beltway.balance.LoadReport;
import dev.beltway.placement.Placement;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.token.Share;
import dev.beltway.token.TokenMap;
import dev.beltway.token.TokenRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What differs between two placements: which part of all keys changes its owner, from whom to whom.
 *
 * <p>Exact where both have ranges and put keys at the same positions; else sampled over {@link
 * LoadReport#SAMPLES} keys {@code key-0}, {@code key-1} …, with a standard error below 0.08 points.
 * {@link #isExact()} tells which. Where hash tags are turned on or off the made-up keys have a tag,
 * the worst case.
 */
public final class Difference {

  private final boolean exact;
  private final List<Flow> flows;
  private final double moved;
  private final List<Move> moves;

  private Difference(boolean exact, List<Flow> flows, double moved, List<Move> moves) {
    this.exact = exact;
    this.flows = flows;
    this.moved = moved;
    this.moves = moves;
  }

  /** The difference; O(tokens) if exact. */
  public static Difference between(Placement before, Placement after) {
    boolean ranged =
        before instanceof RangedPlacement
            && after instanceof RangedPlacement
            && before.partitioner().equals(after.partitioner())
            && before.partitioner().coversRing();
    boolean owned = !before.owners().isEmpty() && !after.owners().isEmpty();
    return ranged && owned
        ? exact((RangedPlacement) before, (RangedPlacement) after)
        : sampled(before, after);
  }

  private static Difference exact(RangedPlacement before, RangedPlacement after) {
    Tally tally = new Tally(before, after);
    List<Move> moves = new ArrayList<>();
    TokenMap.forEachCommonRange(
        before.tokenMap(),
        after.tokenMap(),
        (start, end, was, is) -> {
          if (tally.add(was, is, Share.between(start, end))) {
            moves.add(
                new Move(
                    new TokenRange(start, end),
                    before.owners().get(was).id(),
                    after.owners().get(is).id()));
          }
        });
    return new Difference(true, tally.flows(), tally.moved.fraction(), List.copyOf(moves));
  }

  private static Difference sampled(Placement before, Placement after) {
    FlowCounts counts = new FlowCounts(before, after);
    // Where only hash tags are turned on or off, keys without a tag would show nothing.
    boolean tagsChange = before.partitioner().hashTags() != after.partitioner().hashTags();
    for (int i = 0; i < LoadReport.SAMPLES; i++) {
      String key = tagsChange ? "{key-" + i + "}:a" : "key-" + i;
      counts.add(
          before.ownerIndexAt(before.partitioner().position(key)),
          after.ownerIndexAt(after.partitioner().position(key)));
    }
    return new Difference(
        false,
        counts.flows(LoadReport.SAMPLES),
        (double) counts.moved() / LoadReport.SAMPLES,
        List.of());
  }

  /** Exact sums by pair of owners. */
  private static final class Tally {

    private final FlowCounts pairs;
    private final List<Share> sums = new ArrayList<>();
    private Share moved = Share.NONE;

    Tally(Placement before, Placement after) {
      this.pairs = new FlowCounts(before, after);
    }

    boolean add(int was, int is, Share share) {
      if (pairs.isSame(was, is)) {
        return false;
      }
      int pair = pairs.pair(was, is);
      if (pair == sums.size()) {
        sums.add(Share.NONE);
      }
      sums.set(pair, sums.get(pair).plus(share));
      moved = moved.plus(share);
      return true;
    }

    List<Flow> flows() {
      return pairs.flows(pair -> sums.get(pair).fraction());
    }
  }

  static List<Flow> largestFirst(List<Flow> flows) {
    return flows.stream()
        .sorted(
            Comparator.comparingDouble(Flow::share)
                .reversed()
                .thenComparing(Flow::from)
                .thenComparing(Flow::to))
        .toList();
  }

  /** Whether this is exact rather than sampled. */
  public boolean isExact() {
    return exact;
  }

  /** The part of all keys that moves, 0 to 1. */
  public double moved() {
    return moved;
  }

  /** What moves from whom to whom, the largest first. */
  public List<Flow> flows() {
    return flows;
  }

  /** The moved ranges in ascending order; empty if this is sampled. */
  public List<Move> moves() {
    return moves;
  }
}
