package dev.beltway.cli;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.lab.load.Count;
import dev.beltway.lab.load.HotKey;
import dev.beltway.lab.load.HotList;
import dev.beltway.lab.load.LoadFindings;
import dev.beltway.lab.load.LogMovement;
import dev.beltway.lab.load.NodeFigures;
import dev.beltway.lab.load.NodeLoads;
import dev.beltway.lab.load.Remedy;
import dev.beltway.lab.log.Printable;
import dev.beltway.topology.Node;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What a log does to the nodes of a topology, as text for people. */
final class LogText {

  private static final int MOST_NODES = 40;
  private static final int MOST_KEY = 60;

  /** A smaller error would show as none. */
  private static final double NOTABLE = 0.0005;

  private final Terminal terminal;
  private final LogStory story;
  private final LoadFindings findings;
  private final StringBuilder text = new StringBuilder();

  LogText(Terminal terminal, LogStory story) {
    this.terminal = terminal;
    this.story = story;
    this.findings = story.findings();
  }

  @Override
  public String toString() {
    text.setLength(0);
    text.append(terminal.bold("Log: " + story.names())).append('\n');
    TextTable head = new TextTable(true);
    head.row("topology", TopologyLine.of(findings.loads().topology()));
    findings
        .movement()
        .ifPresent(moved -> head.row("after", TopologyLine.of(moved.after().topology())));
    head.row("read", reading(story));
    head.row("requests", requests());
    text.append(head);
    story
        .read()
        .damage()
        .ifPresent(
            damage -> text.append("  ").append(terminal.bad("PARTIAL: " + damage)).append('\n'));
    loads(findings.loads(), "What each node gets");
    findings.movement().ifPresent(this::movement);
    hotKeys();
    remedies();
    return text.toString();
  }

  /** How many lines were read, used and skipped, and why. */
  static String reading(LogStory story) {
    var counts = story.read().counts();
    return Formats.plural(counts.lines(), "line")
        + (counts.unended() ? " (the last has no line end)" : "")
        + ", "
        + Formats.count(counts.used())
        + " used, "
        + (counts.allSkipped() == 0 ? "none skipped" : LogFiles.skipped(counts) + " skipped");
  }

  private String requests() {
    NodeLoads loads = findings.loads();
    StringBuilder line = new StringBuilder();
    line.append(Formats.plural(loads.requests(), "request"))
        .append(" for ")
        .append(about(loads.allKeys()))
        .append(loads.allKeys().estimate() == 1 ? " key" : " different keys");
    if (loads.bytes() > 0) {
      line.append(", ").append(Formats.bytes((double) loads.bytes())).append(" of values");
    }
    findings
        .seconds()
        .ifPresent(
            seconds -> {
              line.append("; from ")
                  .append(instant(findings.firstTime()))
                  .append(" to ")
                  .append(instant(findings.lastTime()));
              if (seconds > 0) {
                line.append(", " + rate(loads.requests() / seconds) + " a second");
              }
            });
    return line.toString();
  }

  private static String rate(double rate) {
    return rate < 10
        ? String.format(Locale.ROOT, "%.2g", rate)
        : String.format(Locale.ROOT, "%,.0f", rate);
  }

  private static String instant(long milliseconds) {
    return Instant.ofEpochMilli(milliseconds).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private void section(String name) {
    text.append('\n').append(terminal.bold(name)).append('\n');
  }

  /** {@code 1,498}, or {@code 5,501,255 ± 0.4 %}. */
  static String about(Count count) {
    String number = Formats.count(Math.round(count.estimate()));
    return count.error() < NOTABLE
        ? number
        : number + String.format(Locale.ROOT, " ± %.1f %%", count.error() * 100);
  }

  private void loads(NodeLoads loads, String title) {
    section(title);
    LoadReport keys = loads.byKeys();
    LoadReport requests = loads.byRequests();
    LoadReport bytes = loads.byBytes();
    boolean sized = loads.bytes() > 0;
    Map<String, NodeLoad> expected = loads.expected().byId();
    Map<String, NodeLoad> byKeys = keys.byId();
    Map<String, NodeLoad> byRequests = requests.byId();
    Map<String, NodeLoad> byBytes = bytes.byId();
    TextTable table = new TextTable(false);
    table.row(
        "",
        "fair",
        "expected",
        "× fair",
        "keys",
        "× fair",
        "requests",
        "× fair",
        sized ? "bytes" : "",
        sized ? "× fair" : "");
    List<NodeFigures> shown = shown(loads, byRequests);
    for (NodeFigures node : shown) {
      NodeLoad even = expected.get(node.id());
      table.row(
          node.id(),
          even == null ? "" : FlowText.percent(even.fair()),
          even == null ? "" : FlowText.percent(even.share()),
          over(even),
          Formats.count(Math.round(node.keys().estimate())),
          over(byKeys.get(node.id())),
          Formats.count(node.requests()),
          over(byRequests.get(node.id())),
          sized ? Formats.bytes((double) node.bytes()) : "",
          sized ? over(byBytes.get(node.id())) : "");
    }
    text.append(table);
    if (shown.size() < loads.nodes().size()) {
      text.append("  and ")
          .append(Formats.plural(loads.nodes().size() - shown.size(), "less loaded node"))
          .append(" (see --json, --csv)\n");
    }
    TextTable figures = new TextTable(false);
    figures.row("", "expected", "keys", "requests", sized ? "bytes" : "");
    figures.row(
        "fullest node, × its fair share",
        Formats.ratio(loads.expected().maxOverMean()),
        Formats.ratio(keys.maxOverMean()),
        Formats.ratio(requests.maxOverMean()),
        sized ? Formats.ratio(bytes.maxOverMean()) : "");
    figures.row(
        "fullest over emptiest",
        Formats.ratio(loads.expected().maxOverMin()),
        Formats.ratio(keys.maxOverMin()),
        Formats.ratio(requests.maxOverMin()),
        sized ? Formats.ratio(bytes.maxOverMin()) : "");
    figures.row(
        "deviation (CV)",
        Formats.percent(loads.expected().cv()),
        Formats.percent(keys.cv()),
        Formats.percent(requests.cv()),
        sized ? Formats.percent(bytes.cv()) : "");
    loads
        .theoreticalCv()
        .ifPresent(cv -> figures.row("deviation by theory", Formats.percent(cv), "", "", ""));
    text.append(figures);
    if (loads.keyError() >= NOTABLE) {
      text.append(
          String.format(
              Locale.ROOT,
              "  Numbers of keys are estimates, within ± %.1f %% in 95 of 100 cases; requests and"
                  + " bytes are counted.%n",
              loads.keyError() * 100));
    }
  }

  private static String over(@org.jspecify.annotations.Nullable NodeLoad load) {
    return load == null ? "" : Formats.ratio(load.overFair());
  }

  /** All nodes in their order, or the most loaded if there are too many. */
  private static List<NodeFigures> shown(NodeLoads loads, Map<String, NodeLoad> byRequests) {
    if (loads.nodes().size() <= MOST_NODES) {
      return loads.nodes();
    }
    return loads.nodes().stream()
        .sorted(
            Comparator.comparingDouble(
                    (NodeFigures node) -> {
                      NodeLoad load = byRequests.get(node.id());
                      return load == null ? 0 : load.overFair();
                    })
                .reversed())
        .limit(MOST_NODES)
        .toList();
  }

  private void movement(LogMovement moved) {
    section("What the change moves");
    NodeLoads before = findings.loads();
    TextTable table = new TextTable(true);
    double requests = Math.max(1, before.requests());
    table.row(
        Formats.percent(moved.requests() / requests),
        "of the requests: " + Formats.count(moved.requests()));
    table.row(
        Formats.percent(moved.keys().estimate() / Math.max(1, before.allKeys().estimate())),
        "of the different keys: " + about(moved.keys()));
    if (before.bytes() > 0) {
      table.row(
          Formats.percent(moved.bytes() / (double) before.bytes()),
          "of the bytes: " + Formats.bytes((double) moved.bytes()));
    }
    table.row(Formats.percent(moved.betweenStaying()), "of the requests between nodes that stay");
    text.append(table);
    if (!moved.flows().isEmpty()) {
      text.append("  From whom to whom, in % of the requests:\n");
      Set<String> ids = new HashSet<>();
      List<String> order = new ArrayList<>();
      for (NodeLoads loads : List.of(before, moved.after())) {
        for (Node node : loads.topology().nodes()) {
          if (ids.add(node.id())) {
            order.add(node.id());
          }
        }
      }
      text.append(FlowText.of(moved.flows(), order));
    }
    loads(moved.after(), "What each node gets afterwards");
  }

  private void hotKeys() {
    section("The hottest keys");
    list(findings.hottest().first(story.top()), "requests", findings.loads().requests());
    if (!findings.hottest().keys().isEmpty()) {
      hottest();
    }
    if (!findings.heaviest().keys().isEmpty()) {
      section("The keys with the most bytes");
      list(findings.heaviest().first(story.top()), "bytes", findings.loads().bytes());
    }
  }

  private void list(HotList hot, String unit, long all) {
    if (hot.keys().isEmpty()) {
      text.append((hot.certain() ? "  No" : "  Almost surely no") + " key has more than ")
          .append(Formats.count(hot.missedBelow()))
          .append(" of ")
          .append(Formats.count(all))
          .append(' ')
          .append(unit)
          .append(".\n");
      return;
    }
    TextTable table = new TextTable(true);
    boolean reads = story.format().hasOperations();
    table.row("", unit, "share", reads ? "reads" : "", "owner");
    for (HotKey key : hot.keys()) {
      table.row(
          Printable.shortened(key.key().text(), MOST_KEY),
          Formats.count(Math.round(key.amount().estimate())),
          Formats.percent(key.amount().estimate() / all),
          reads ? Formats.percent(key.reads()) : "",
          key.owner());
    }
    text.append(table);
    if (hot.error() > 0) {
      text.append("  These are estimates: too high by ")
          .append(Formats.count(hot.error()))
          .append(" at most, never too low.\n");
    }
    if (hot.missedBelow() > 0) {
      text.append("  A key that is not shown has ")
          .append(Formats.count(hot.missedBelow()))
          .append(hot.certain() ? " at most.\n" : " at most, almost surely.\n");
    }
  }

  private void hottest() {
    HotKey first = findings.hottest().keys().get(0);
    String owner = first.owner();
    double with = over(findings.loads().byRequests(), owner);
    double without = over(story.withoutHottest(), owner);
    text.append(
        String.format(
            Locale.ROOT,
            "  %s carries %s × its fair share with the hottest key, %s × without it.%n",
            owner,
            Formats.ratio(with),
            Formats.ratio(without)));
    double least = findings.leastMaxOverFair();
    text.append(
        least > 1
            ? String.format(
                Locale.ROOT,
                "  No number of vnodes brings the fullest node below %s × its fair share: that key"
                    + " alone is as much.%n",
                Formats.ratio(least))
            : String.format(
                Locale.ROOT,
                "  That key alone is %s of a node's fair share.%n",
                Formats.percent(
                    first.amount().estimate()
                        / Math.max(1, findings.loads().requests())
                        / findings.loads().largestFairShare())));
  }

  private static double over(LoadReport report, String id) {
    return report.node(id).map(NodeLoad::overFair).orElse(0.0);
  }

  private void remedies() {
    section("What would help against hot keys, in today's fair shares of the requests");
    TextTable table = new TextTable(true);
    table.row("", "fullest node", "at the nodes", "which");
    LoadReport now = findings.loads().byRequests();
    table.row(
        "as it is",
        Formats.ratio(now.maxOverMean()),
        Formats.percent(1),
        now.fullest().map(NodeLoad::id).orElse(""));
    for (Remedy remedy : story.remedies()) {
      table.row(
          remedy.describe(),
          Formats.ratio(remedy.requests().maxOverMean()),
          Formats.percent(remedy.overBefore()),
          remedy.requests().fullest().map(NodeLoad::id).orElse(""));
    }
    text.append(table);
  }
}
