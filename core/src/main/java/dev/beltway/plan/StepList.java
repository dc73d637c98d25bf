package dev.beltway.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Steps in their order; knows how large one may be, and flags those that are larger. */
final class StepList {

  /** More steps than this nobody walks; what remains goes into one that is flagged. */
  static final int MOST_STEPS = 10_000;

  /** An allowance for sums of fractions that are exact on paper. */
  static final double ROUNDING = 1e-12;

  private final Sizing sizing;
  private final StepSize size;
  private final List<Step> steps = new ArrayList<>();

  StepList(Sizing sizing, StepSize size) {
    this.sizing = sizing;
    this.size = size;
  }

  /** Whether a step that moves so much is no larger than it should be. */
  boolean isSmall(double moved) {
    double exact = moved - ROUNDING;
    return exact <= size.moved()
        || sizing.seconds(exact).isPresent()
            && sizing.seconds(exact).getAsDouble() <= size.seconds();
  }

  /** The largest part of all keys that a step should move. */
  double largestSmall() {
    double bySeconds =
        sizing.seconds(1).isPresent() ? size.seconds() / sizing.seconds(1).getAsDouble() : 0;
    return Math.max(size.moved(), bySeconds);
  }

  boolean isFull() {
    return steps.size() >= MOST_STEPS;
  }

  int count() {
    return steps.size();
  }

  void add(
      String node,
      NodeChange.Kind kind,
      String unit,
      int from,
      int to,
      String detail,
      double moved) {
    String flag = "";
    if (!isSmall(moved)) {
      flag =
          String.format(
              Locale.ROOT,
              "moves %.2f %% of the keys, more than %.2f %%",
              moved * 100,
              size.moved() * 100);
    }
    steps.add(
        new Step(
            steps.size() + 1,
            node,
            kind,
            unit,
            from,
            to,
            detail,
            moved,
            sizing.keys(moved),
            sizing.seconds(moved),
            flag));
  }

  void clear() {
    steps.clear();
  }

  List<Step> all() {
    return List.copyOf(steps);
  }
}
