package dev.beltway.lab.report;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.lab.load.HotKey;
import dev.beltway.lab.load.HotList;
import dev.beltway.lab.load.LoadFindings;
import dev.beltway.lab.load.LogMovement;
import dev.beltway.lab.load.NodeFigures;
import dev.beltway.lab.load.NodeLoads;
import dev.beltway.lab.load.Remedy;
import dev.beltway.lab.log.Printable;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What a log does to the nodes of a topology, as a page. */
public final class LogReport {

  private static final int MOST_MARKS = 10;
  private static final int MOST_ROWS = 200;

  private final Page page;
  private final List<String> reading;
  private final LoadFindings findings;
  private final Placement placement;
  private final int top;
  private final LoadReport withoutHottest;
  private final List<Remedy> remedies;
  private final String command;
  private final NodeColours colours;

  /**
   * A report.
   *
   * @param reading what was read, a sentence each; one that begins with {@code PARTIAL} is an alarm
   * @param top how many hot keys to show
   * @param withoutHottest the load by requests without the hottest key
   * @param command that made it
   */
  public LogReport(
      String title,
      List<String> reading,
      LoadFindings findings,
      Placement placement,
      int top,
      LoadReport withoutHottest,
      List<Remedy> remedies,
      String command) {
    this.page = new Page(title);
    this.reading = List.copyOf(reading);
    this.findings = findings;
    this.placement = placement;
    this.top = top;
    this.withoutHottest = withoutHottest;
    this.remedies = List.copyOf(remedies);
    this.command = command;
    this.colours =
        new NodeColours(
            Stream.concat(
                    Stream.of(findings.loads().topology()),
                    findings.movement().map(m -> m.after().topology()).stream())
                .flatMap(topology -> topology.nodes().stream())
                .map(Node::id)
                .toList());
  }

  /** The page. */
  public String html() {
    page.reading(reading);
    page.inShort(inShort());
    load();
    findings.movement().ifPresent(this::movement);
    hotKeys();
    remedies();
    parameters();
    return page.html();
  }

  private List<String> inShort() {
    List<String> sentences = new ArrayList<>();
    NodeLoads loads = findings.loads();
    LoadReport requests = loads.byRequests();
    requests
        .fullest()
        .ifPresent(
            fullest ->
                sentences.add(
                    String.format(
                        Locale.ROOT,
                        "%s gets the most: %s × its fair share of the requests; by the topology"
                            + " alone the fullest node would get %s ×.",
                        fullest.id(),
                        Amounts.ratio(fullest.overFair()),
                        Amounts.ratio(loads.expected().maxOverMean()))));
    findings
        .movement()
        .ifPresent(
            moved ->
                sentences.add(
                    String.format(
                        Locale.ROOT,
                        "The change moves %s of the requests, %s of them between nodes that stay.",
                        Amounts.percent(moved.requests() / (double) Math.max(1, loads.requests())),
                        Amounts.percent(moved.betweenStaying()))));
    if (!findings.hottest().keys().isEmpty()) {
      HotKey first = findings.hottest().keys().get(0);
      sentences.add(
          String.format(
              Locale.ROOT,
              "The hottest key, %s, has %s of all requests. Its node, %s, carries %s × its fair share"
                  + " with it and %s × without.",
              Printable.shortened(first.key().text(), 60),
              Amounts.percent(first.amount().estimate() / Math.max(1, loads.requests())),
              first.owner(),
              Amounts.ratio(over(requests, first.owner())),
              Amounts.ratio(over(withoutHottest, first.owner()))));
      double least = findings.leastMaxOverFair();
      if (least > 1) {
        sentences.add(
            "No number of vnodes brings the fullest node below "
                + Amounts.ratio(least)
                + " × its fair share: the hottest key alone is as much.");
      }
    }
    return sentences;
  }

  private static double over(LoadReport report, String id) {
    return report.node(id).map(NodeLoad::overFair).orElse(0.0);
  }

  private void load() {
    page.heading("What each node gets");
    NodeLoads loads = findings.loads();
    ring("The ring", placement, findings.hottest().first(Math.min(top, MOST_MARKS)).keys());
    bars("Load of each node", loads);
    table(loads);
  }

  private void ring(String caption, Placement drawn, List<HotKey> marks) {
    if (RingDrawing.isPossible(drawn)) {
      page.figure(
          caption,
          marks.isEmpty()
              ? "Who owns which part, clockwise from the top."
              : "Who owns which part, clockwise from the top; dots are the hottest keys by rank.",
          new RingDrawing((RangedPlacement) drawn, colours).draw(marks));
    }
  }

  private void bars(String caption, NodeLoads loads) {
    List<LoadBars.Series> series = new ArrayList<>();
    series.add(new LoadBars.Series("keys", loads.byKeys()));
    series.add(new LoadBars.Series("requests", loads.byRequests()));
    if (loads.bytes() > 0) {
      series.add(new LoadBars.Series("bytes", loads.byBytes()));
    }
    page.figure(
        caption,
        "The dashed line is the fair share; the strokes are what the topology gives to keys that"
            + " are spread evenly. The numbers are by "
            + series.get(series.size() - 1).name()
            + "."
            + (LoadBars.leavesOut(loads.byRequests()) ? " Only the fullest nodes are drawn." : ""),
        LoadBars.draw(loads.expected(), series));
  }

  private void table(NodeLoads loads) {
    boolean sized = loads.bytes() > 0;
    Map<String, NodeLoad> expected = loads.expected().byId();
    Map<String, NodeLoad> byKeys = loads.byKeys().byId();
    Map<String, NodeLoad> byRequests = loads.byRequests().byId();
    Map<String, NodeLoad> byBytes = loads.byBytes().byId();
    List<String> head =
        new ArrayList<>(
            List.of("node", "fair", "expected", "keys", "× fair", "requests", "× fair"));
    if (sized) {
      head.addAll(List.of("bytes", "× fair"));
    }
    List<List<String>> rows = new ArrayList<>();
    for (NodeFigures node : loads.nodes().subList(0, Math.min(MOST_ROWS, loads.nodes().size()))) {
      NodeLoad even = expected.get(node.id());
      List<String> row = new ArrayList<>();
      row.add(node.id());
      row.add(even == null ? "" : Amounts.percent(even.fair()));
      row.add(even == null ? "" : Amounts.percent(even.share()));
      row.add(Amounts.count(Math.round(node.keys().estimate())));
      row.add(over(byKeys.get(node.id())));
      row.add(Amounts.count(node.requests()));
      row.add(over(byRequests.get(node.id())));
      if (sized) {
        row.add(Amounts.bytes((double) node.bytes()));
        row.add(over(byBytes.get(node.id())));
      }
      rows.add(row);
    }
    page.table(head, rows);
    if (loads.nodes().size() > MOST_ROWS) {
      page.faint("Only the first " + MOST_ROWS + " nodes are listed.");
    }
    page.table(
        List.of("", "expected", "by keys", "by requests", sized ? "by bytes" : ""),
        List.of(
            figures("fullest node, × its fair share", loads, LoadReport::maxOverMean, false),
            figures("fullest over emptiest", loads, LoadReport::maxOverMin, false),
            figures("deviation (CV)", loads, LoadReport::cv, true)));
    loads
        .theoreticalCv()
        .ifPresent(
            cv -> page.faint("Theory gives such a ring a CV of " + Amounts.percent(cv) + "."));
    if (loads.keyError() >= 0.0005) {
      page.faint(
          String.format(
              Locale.ROOT,
              "Numbers of keys are estimates, within ± %.1f %% in 95 of 100 cases; requests and bytes"
                  + " are counted.",
              loads.keyError() * 100));
    }
  }

  private static String over(@org.jspecify.annotations.Nullable NodeLoad load) {
    return load == null ? "" : Amounts.ratio(load.overFair());
  }

  private static List<String> figures(
      String name,
      NodeLoads loads,
      java.util.function.ToDoubleFunction<LoadReport> figure,
      boolean percent) {
    List<String> row = new ArrayList<>();
    row.add(name);
    for (LoadReport report :
        List.of(loads.expected(), loads.byKeys(), loads.byRequests(), loads.byBytes())) {
      double value = figure.applyAsDouble(report);
      row.add(percent ? Amounts.percent(value) : Amounts.ratio(value));
    }
    if (loads.bytes() == 0) {
      row.set(4, "");
    }
    return row;
  }

  private void movement(LogMovement moved) {
    page.heading("What the change moves");
    NodeLoads loads = findings.loads();
    double requests = Math.max(1, loads.requests());
    page.table(
        List.of("", "move", "of all"),
        Stream.of(
                List.of(
                    "requests",
                    Amounts.count(moved.requests()),
                    Amounts.percent(moved.requests() / requests)),
                List.of(
                    "different keys",
                    Amounts.count(Math.round(moved.keys().estimate())),
                    Amounts.percent(
                        moved.keys().estimate() / Math.max(1, loads.allKeys().estimate()))),
                loads.bytes() == 0
                    ? List.<String>of()
                    : List.of(
                        "bytes",
                        Amounts.bytes((double) moved.bytes()),
                        Amounts.percent(moved.bytes() / (double) loads.bytes())),
                List.of(
                    "requests between nodes that stay",
                    Amounts.count(Math.round(moved.betweenStaying() * requests)),
                    Amounts.percent(moved.betweenStaying())))
            .filter(row -> !row.isEmpty())
            .toList());
    LoadReport before = loads.byRequests();
    LoadReport after = moved.after().byRequests();
    page.figure(
        "From whom to whom, by requests",
        "Grey stays where it is; coloured ribbons move and have the colour of their new node."
            + (FlowDrawing.leavesOut(before, after) ? " Only the largest nodes are drawn." : ""),
        new FlowDrawing(colours).draw(before, after, moved.flows()));
    ring("The ring afterwards", Placements.of(moved.after().topology()), List.of());
    bars("Load of each node afterwards", moved.after());
    table(moved.after());
  }

  private void hotKeys() {
    page.heading("The hottest keys");
    list(findings.hottest().first(top), "requests", findings.loads().requests());
    if (!findings.heaviest().keys().isEmpty()) {
      page.heading("The keys with the most bytes");
      list(findings.heaviest().first(top), "bytes", findings.loads().bytes());
    }
  }

  private void list(HotList hot, String unit, long all) {
    if (hot.keys().isEmpty()) {
      page.text(
          (hot.certain() ? "No" : "Almost surely no")
              + " key has more than "
              + Amounts.count(hot.missedBelow())
              + " of "
              + Amounts.count(all)
              + " "
              + unit
              + ".");
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    for (HotKey key : hot.keys()) {
      rows.add(
          List.of(
              Printable.shortened(key.key().text(), 200),
              Amounts.count(Math.round(key.amount().lower())),
              Amounts.count(Math.round(key.amount().upper())),
              Amounts.percent(key.amount().estimate() / Math.max(1, all)),
              Amounts.percent(key.reads()),
              key.owner()));
    }
    page.table(List.of("key", unit + " at least", "at most", "share", "reads", "owner"), rows);
    if (hot.missedBelow() > 0) {
      page.faint(
          "A key that is not shown has "
              + Amounts.count(hot.missedBelow())
              + (hot.certain() ? " at most." : " at most, almost surely."));
    }
  }

  private void remedies() {
    page.heading("What would help against hot keys");
    page.text(
        "Computed on this topology, by requests; fair shares are those of today."
            + " Parts and copies share the reads of a key; each of"
            + " its writes goes to all of them.");
    LoadReport now = findings.loads().byRequests();
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "as it is",
            Amounts.ratio(now.maxOverMean()),
            now.fullest().map(NodeLoad::id).orElse(""),
            Amounts.percent(1)));
    for (Remedy remedy : remedies) {
      rows.add(
          List.of(
              remedy.describe(),
              Amounts.ratio(remedy.requests().maxOverMean()),
              remedy.requests().fullest().map(NodeLoad::id).orElse(""),
              Amounts.percent(remedy.overBefore())));
    }
    page.table(
        List.of("", "fullest node, × fair share of today", "which", "requests that reach nodes"),
        rows);
  }

  private void parameters() {
    page.heading("How this was made");
    page.code(command);
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("topology", findings.loads().topology()));
    findings.movement().ifPresent(m -> rows.add(row("after", m.after().topology())));
    page.table(List.of("", "epoch", "algorithm", "hash", "nodes", "size", "fingerprint"), rows);
  }

  static List<String> row(String name, Topology topology) {
    return List.of(
        name,
        Long.toString(topology.epoch()),
        topology.rule().algorithm(),
        topology.rule().partitioner().hash().name(),
        Amounts.count(topology.nodes().size()),
        Amounts.count(topology.tokens()) + " " + topology.rule().sizeUnit(),
        topology.fingerprint().hex());
  }
}
