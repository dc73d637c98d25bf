package dev.beltway.cli;

import dev.beltway.plan.Flow;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What moves from whom to whom, as text for people: a matrix, or a list where that is too wide. */
final class FlowText {

  private static final int MOST_COLUMNS = 6;
  private static final int MOST_ROWS = 60;
  private static final int MOST_FLOWS = 24;

  private FlowText() {}

  /**
   * The flows in percent.
   *
   * @param order of the nodes
   */
  static String of(List<Flow> flows, List<String> order) {
    Set<String> to = new LinkedHashSet<>(order);
    Set<String> from = new LinkedHashSet<>(order);
    to.retainAll(flows.stream().map(Flow::to).collect(Collectors.toSet()));
    from.retainAll(flows.stream().map(Flow::from).collect(Collectors.toSet()));
    return to.size() <= MOST_COLUMNS && from.size() <= MOST_ROWS
        ? matrix(flows, from, to).toString()
        : list(flows);
  }

  private static TextTable matrix(List<Flow> flows, Set<String> from, Set<String> to) {
    Map<List<String>, Double> shares = new HashMap<>();
    flows.forEach(flow -> shares.put(List.of(flow.from(), flow.to()), flow.share()));
    TextTable table = new TextTable(false);
    table.row(row("from \\ to", to.stream().toList(), "sum"));
    for (String source : from) {
      List<String> cells =
          to.stream().map(target -> percent(shares.get(List.of(source, target)))).toList();
      double sum =
          flows.stream().filter(f -> f.from().equals(source)).mapToDouble(Flow::share).sum();
      table.row(row(source, cells, percent(sum)));
    }
    List<String> sums =
        to.stream()
            .map(t -> flows.stream().filter(f -> f.to().equals(t)).mapToDouble(Flow::share).sum())
            .map(FlowText::percent)
            .toList();
    table.row(row("sum", sums, percent(flows.stream().mapToDouble(Flow::share).sum())));
    return table;
  }

  private static String[] row(String first, List<String> cells, String last) {
    String[] row = new String[cells.size() + 2];
    row[0] = first;
    for (int i = 0; i < cells.size(); i++) {
      row[i + 1] = cells.get(i);
    }
    row[row.length - 1] = last;
    return row;
  }

  static String percent(@Nullable Double share) {
    return share == null ? "·" : String.format(Locale.ROOT, "%.2f", share * 100);
  }

  private static String list(List<Flow> flows) {
    TextTable table = new TextTable(false);
    double rest = 0;
    for (int i = 0; i < flows.size(); i++) {
      Flow flow = flows.get(i);
      if (i < MOST_FLOWS) {
        table.row(flow.from() + " → " + flow.to(), percent(flow.share()));
      } else {
        rest += flow.share();
      }
    }
    if (flows.size() > MOST_FLOWS) {
      table.row(
          "and " + Formats.plural(flows.size() - MOST_FLOWS, "smaller flow") + " (see --json)",
          percent(rest));
    }
    return table.toString();
  }
}
