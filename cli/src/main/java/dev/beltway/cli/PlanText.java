package dev.beltway.cli;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.plan.Flow;
import dev.beltway.plan.KeySurvey;
import dev.beltway.plan.Limits;
import dev.beltway.plan.Move;
import dev.beltway.plan.NodeChange;
import dev.beltway.plan.Outage;
import dev.beltway.plan.Plan;
import dev.beltway.plan.Step;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A plan as text for people. */
final class PlanText {

  private static final int MOST_NODES = 60;
  private static final int MOST_STEP_LINES = 60;

  private final Terminal terminal;
  private final Plan plan;
  private final StringBuilder text = new StringBuilder();

  PlanText(Terminal terminal, Plan plan) {
    this.terminal = terminal;
    this.plan = plan;
  }

  String of(String title, boolean ranges) {
    head(title);
    movement();
    flows();
    loads();
    steps();
    outage();
    ranges(ranges);
    warnings();
    limits();
    return text.toString();
  }

  private void section(String name) {
    text.append('\n').append(terminal.bold(name)).append('\n');
  }

  private void head(String title) {
    text.append(terminal.bold("Plan: " + title)).append('\n');
    TextTable table = new TextTable(true);
    table.row("before", TopologyLine.of(plan.before()));
    table.row("after", TopologyLine.of(plan.after()));
    text.append(table);
  }

  private void movement() {
    Plan.Movement moved = plan.moved();
    boolean ring = plan.difference().isExact();
    section("What moves");
    TextTable table = new TextTable(true);
    table.row(
        Formats.percent(moved.total()),
        "of all keys "
            + (ring
                ? "(exact: "
                    + Formats.plural(plan.difference().moves().size(), "range")
                    + " change their owner)"
                : "(sampled over " + Formats.count(LoadReport.SAMPLES) + " made-up keys, ± 0.2)"));
    if (plan.changes().stream().anyMatch(c -> c.kind() == NodeChange.Kind.JOINS)) {
      table.row(
          Formats.percent(moved.joiningOwn()),
          "is what the joining nodes then own; their fair share is "
              + Formats.percent(moved.joiningFair()));
    }
    table.row(
        Formats.percent(moved.betweenStaying()), "moves between nodes that stay" + because(moved));
    table.row(Formats.percent(moved.least()), "is the least that leads to these shares");
    table.row(
        terminal.faint(Formats.percent(moved.byModulo())),
        terminal.faint("would have moved under hash % N"));
    text.append(table);
    plan.keys().ifPresent(this::survey);
    estimate();
  }

  private String because(Plan.Movement moved) {
    if (moved.betweenStaying() == 0) {
      return "";
    }
    if (!plan.before().rule().equals(plan.after().rule())) {
      return ", since the rule of placement changes";
    }
    return moved.unexplained() == 0
        ? ", all of it since weights change"
        : ", " + Formats.percent(moved.unexplained()) + " of all keys without a change of weight";
  }

  private void survey(KeySurvey survey) {
    KeySurvey.Tally lines = survey.requests();
    text.append("  By your keys:\n");
    TextTable table = new TextTable(false);
    table.row("", "counted", "move", "", "hash % N");
    survey.keys().ifPresent(keys -> tally(table, "different keys", keys));
    tally(table, "lines", lines);
    text.append(indented(table));
  }

  private static void tally(TextTable table, String name, KeySurvey.Tally tally) {
    double total = Math.max(1, tally.total());
    table.row(
        name,
        Formats.count(tally.total()),
        Formats.count(tally.moved()),
        Formats.percent(tally.moved() / total),
        Formats.percent(tally.movedByModulo() / total));
  }

  private static String indented(Object block) {
    return "  " + block.toString().stripTrailing().replace("\n", "\n  ") + "\n";
  }

  private void estimate() {
    Plan.Estimate estimate = plan.estimate();
    if (estimate.keys().isEmpty()) {
      return;
    }
    StringBuilder line = new StringBuilder("  That is ");
    line.append(Formats.plural(estimate.keys().getAsLong(), "key"));
    estimate.bytes().ifPresent(bytes -> line.append(", ").append(Formats.bytes((double) bytes)));
    estimate.seconds().ifPresent(s -> line.append(", ").append(Formats.seconds(s)));
    text.append(line).append(" to move\n");
  }

  private void flows() {
    List<Flow> flows = plan.difference().flows();
    if (flows.isEmpty()) {
      return;
    }
    section("From whom to whom, in % of all keys");
    text.append(FlowText.of(flows, plan.changes().stream().map(NodeChange::id).toList()));
  }

  private void loads() {
    section("What each node carries, in % of all keys");
    boolean counted = plan.keys().isPresent();
    boolean sized = plan.estimate().keys().isPresent();
    TextTable table = new TextTable(true);
    table.row(
        "",
        "fair",
        "before",
        "× fair",
        "fair",
        "after",
        "× fair",
        counted ? "your keys" : sized ? "keys" : "",
        plan.sizing().bytes(1).isPresent() ? "memory" : "",
        "");
    Map<String, Long> keys = counted ? keysAfter() : Map.of();
    int shown = 0;
    for (NodeChange change : plan.changes()) {
      if (++shown > MOST_NODES) {
        break;
      }
      NodeLoad before = plan.loadBefore().node(change.id()).orElse(null);
      NodeLoad after = plan.loadAfter().node(change.id()).orElse(null);
      table.row(
          change.id(),
          before == null ? "" : FlowText.percent(before.fair()),
          before == null ? "" : FlowText.percent(before.share()),
          before == null ? "" : Formats.ratio(before.overFair()),
          after == null ? "" : FlowText.percent(after.fair()),
          after == null ? "" : FlowText.percent(after.share()),
          after == null ? "" : Formats.ratio(after.overFair()),
          after == null ? "" : keyCell(after, keys, counted),
          after == null ? "" : memoryCell(after),
          mark(change));
    }
    text.append(table);
    if (plan.changes().size() > MOST_NODES) {
      text.append("  and ")
          .append(Formats.plural(plan.changes().size() - MOST_NODES, "more node"))
          .append(" (see --json)\n");
    }
    TextTable figures = new TextTable(false);
    figures.row("", "before", "after");
    figures.row(
        "fullest node, × its fair share",
        Formats.ratio(plan.loadBefore().maxOverMean()),
        Formats.ratio(plan.loadAfter().maxOverMean()));
    figures.row(
        "fullest over emptiest",
        Formats.ratio(plan.loadBefore().maxOverMin()),
        Formats.ratio(plan.loadAfter().maxOverMin()));
    figures.row(
        "deviation (CV)",
        Formats.percent(plan.loadBefore().cv()),
        Formats.percent(plan.loadAfter().cv()));
    figures.row("deviation by theory", theory(plan.before()), theory(plan.after()));
    text.append(figures);
  }

  private static String theory(Topology topology) {
    OptionalDouble cv = LoadReport.theoreticalCv(topology);
    return cv.isPresent() ? Formats.percent(cv.getAsDouble()) : "-";
  }

  private Map<String, Long> keysAfter() {
    return plan.keys().map(k -> k.keysOrRequests().after()).orElse(Map.of());
  }

  private String keyCell(NodeLoad after, Map<String, Long> keys, boolean counted) {
    if (counted) {
      return Formats.count(keys.getOrDefault(after.id(), 0L));
    }
    OptionalLong projected = plan.sizing().keys(after.share());
    return projected.isPresent() ? Formats.count(projected.getAsLong()) : "";
  }

  private String memoryCell(NodeLoad after) {
    OptionalLong bytes = plan.sizing().bytes(after.share());
    return bytes.isPresent() ? Formats.bytes((double) bytes.getAsLong()) : "";
  }

  private String mark(NodeChange change) {
    return switch (change.kind()) {
      case JOINS -> terminal.good("joins");
      case LEAVES -> terminal.doubtful("leaves");
      case GROWS, SHRINKS ->
          change.kind().name().toLowerCase(Locale.ROOT)
              + " "
              + fromTo(change.before(), change.after(), plan.after().rule().unit());
      case STAYS -> "";
    };
  }

  private void steps() {
    section("Steps");
    if (plan.steps().isEmpty()) {
      text.append("  No key moves: the new topology can be published as it is.\n");
      return;
    }
    TextTable table = new TextTable(true);
    List<Step> steps = plan.steps();
    int lines = 0;
    for (int first = 0; first < steps.size() && lines < MOST_STEP_LINES; lines++) {
      int end = first + 1;
      while (end < steps.size() && continues(steps.get(first), steps.get(end))) {
        end++;
      }
      stepLine(table, steps.subList(first, end));
      first = end;
    }
    text.append(table);
    if (lines == MOST_STEP_LINES) {
      text.append("  and more, ")
          .append(Formats.plural(steps.size(), "step"))
          .append(" in all (see --json)\n");
    }
    long flagged = steps.stream().filter(step -> !step.flag().isEmpty()).count();
    if (flagged > 0) {
      text.append("  ")
          .append(terminal.doubtful(Formats.plural(flagged, "step") + " larger than wanted"))
          .append(": ")
          .append(steps.stream().filter(s -> !s.flag().isEmpty()).findFirst().orElseThrow().flag())
          .append('\n');
    }
  }

  private static boolean continues(Step first, Step next) {
    return !first.node().isEmpty()
        && first.node().equals(next.node())
        && first.kind() == next.kind()
        && first.flag().isEmpty() == next.flag().isEmpty();
  }

  private void stepLine(TextTable table, List<Step> steps) {
    Step first = steps.get(0);
    Step last = steps.get(steps.size() - 1);
    String numbers = steps.size() == 1 ? "" + first.number() : first.number() + "–" + last.number();
    double most = steps.stream().mapToDouble(Step::moved).max().orElse(0);
    String size =
        steps.size() == 1
            ? "moves " + Formats.percent(most)
            : steps.size() + " steps, each moves at most " + Formats.percent(most);
    OptionalDouble longest =
        steps.stream()
            .filter(step -> step.seconds().isPresent())
            .mapToDouble(step -> step.seconds().orElse(0))
            .max();
    String time = longest.isPresent() ? ", at most " + Formats.seconds(longest.getAsDouble()) : "";
    table.row(numbers, what(first, last), size + time);
  }

  private static String what(Step first, Step last) {
    if (first.node().isEmpty()) {
      return "everything at once: " + first.detail();
    }
    return String.format(
        Locale.ROOT,
        "%s %s: %s %s",
        first.node(),
        first.kind().name().toLowerCase(Locale.ROOT),
        fromTo(first.from(), last.to(), first.unit()),
        first.unit().equals(SlicesRule.UNIT) ? "of the ring" : first.unit());
  }

  /** What a node holds before and after: a count, or for slices a part of the ring. */
  private static String fromTo(int before, int after, String unit) {
    return unit.equals(SlicesRule.UNIT)
        ? Formats.percent(before / 1e9) + " → " + Formats.percent(after / 1e9)
        : before + " → " + after;
  }

  private void outage() {
    if (plan.outage().isEmpty()) {
      return;
    }
    Outage outage = plan.outage().get();
    section("If " + outage.node() + " fails");
    text.append("  its ").append(Formats.percent(outage.lost())).append(" go to the others:\n");
    TextTable table = new TextTable(false);
    table.row("", "gets", "then has", "× fair", "");
    for (Outage.Receiver receiver : outage.receivers()) {
      table.row(
          receiver.id(),
          FlowText.percent(receiver.gained()),
          FlowText.percent(receiver.load().share()),
          Formats.ratio(receiver.load().overFair()),
          receiver.keys().isPresent() ? Formats.plural(receiver.keys().getAsLong(), "key") : "");
    }
    text.append(table);
    if (outage.movedBetweenOthers() > 0) {
      text.append("  ")
          .append(Formats.percent(outage.movedBetweenOthers()))
          .append(" of all keys move between nodes that don't fail\n");
    }
    if (!outage.note().isEmpty()) {
      text.append("  ").append(outage.note()).append('\n');
    }
  }

  private void ranges(boolean wanted) {
    if (!wanted) {
      return;
    }
    section("Ranges that move");
    for (Move move : plan.difference().moves()) {
      text.append("  ")
          .append(move.range())
          .append("  ")
          .append(move.from())
          .append(" → ")
          .append(move.to())
          .append("  ")
          .append(move.range().share())
          .append('\n');
    }
    if (!plan.difference().isExact()) {
      text.append("  unknown: this algorithm has no ranges\n");
    }
  }

  private void warnings() {
    if (plan.warnings().isEmpty()) {
      return;
    }
    section("Mind");
    plan.warnings().forEach(warning -> text.append("  ").append(warning).append('\n'));
  }

  private void limits() {
    if (plan.verdicts().isEmpty()) {
      return;
    }
    section("Limits");
    TextTable table = new TextTable(true);
    for (Limits.Verdict verdict : plan.verdicts()) {
      table.row(
          verdict.name(),
          number(verdict.name(), verdict.limit()),
          number(verdict.name(), verdict.actual()),
          (verdict.met() ? terminal.good("met") : terminal.bad("EXCEEDED"))
              + (verdict.where().isEmpty()
                  ? ""
                  : (verdict.met() ? ", fullest is " : " by ") + verdict.where()));
    }
    text.append(table);
  }

  private static String number(String name, double value) {
    return switch (name) {
      case "max-moved" -> Formats.percent(value);
      case "max-over-mean" -> Formats.ratio(value);
      default -> Formats.count(Math.round(value));
    };
  }
}
