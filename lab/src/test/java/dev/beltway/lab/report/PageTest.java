package dev.beltway.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.balance.LoadReport;
import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.load.LoadFindings;
import dev.beltway.lab.load.LoadSurvey;
import dev.beltway.lab.load.Remedies;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Requests;
import dev.beltway.lab.replay.CacheSize;
import dev.beltway.lab.replay.Replay;
import dev.beltway.lab.replay.Strategy;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.io.StringReader;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class PageTest {

  private static final String HOSTILE = "<script>alert('&\"')</script>\u0000\ud800";

  private static List<String> ids(int count) {
    return IntStream.range(0, count).mapToObj(i -> "node-" + i).toList();
  }

  private static String logReport(Topology before, Optional<Topology> after, String hotKey) {
    Placement placement = Placements.of(before);
    LoadSurvey survey =
        LoadSurvey.sketched(placement, after.map(Placements::of), LogFormat.twitter());
    for (int i = 0; i < 3_000; i++) {
      survey.add(Requests.request("k" + i % 500, Operation.READ, 1, 10));
      survey.add(Requests.request(hotKey, Operation.READ, 1, 10));
    }
    LoadFindings findings = survey.findings(20);
    Remedies remedies = new Remedies(placement, findings);
    return new LogReport(
            "Report of " + hotKey,
            List.of("PARTIAL: " + hotKey, "3 lines"),
            findings,
            placement,
            10,
            remedies.withoutHottest(),
            List.of(remedies.salt(4, 10), remedies.nearCache(10)),
            "beltway lab log '" + hotKey + "'")
        .html();
  }

  private static String replayReport(int before, int after) {
    Replay replay =
        new Replay(
            Strategy.of(
                Topology.of(RingRule.DEFAULT, ids(before)),
                Topology.of(RingRule.DEFAULT, ids(after))),
            CacheSize.UNLIMITED,
            2_000,
            2);
    for (int i = 0; i < 4_000; i++) {
      replay.add(Requests.read("k" + i % 700));
    }
    return new ReplayReport(
            "A replay", List.of("4,000 requests"), replay.result().orElseThrow(), "beltway …")
        .html();
  }

  /** Each drawing is well-formed XML, and no number in it is no number. */
  private static List<Document> drawings(String html) throws Exception {
    List<Document> drawings = new java.util.ArrayList<>();
    Matcher svg = Pattern.compile("<svg .*?</svg>", Pattern.DOTALL).matcher(html);
    while (svg.find()) {
      assertThat(svg.group()).doesNotContain("NaN").doesNotContain("Infinity");
      drawings.add(
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(svg.group()))));
    }
    return drawings;
  }

  private static void standsAlone(String html) {
    assertThat(html)
        .startsWith(Page.BEGIN)
        .contains("default-src 'none'")
        .doesNotContain("http:")
        .doesNotContain("https:")
        .doesNotContain("src=")
        .doesNotContain("url(")
        .doesNotContain("@import")
        .doesNotContain("<script");
  }

  @Test
  void reportsStandAloneAndTheirDrawingsAreWellFormed() throws Exception {
    Topology eight = Topology.of(RingRule.DEFAULT, ids(8));
    Topology ten = Topology.of(RingRule.DEFAULT, ids(10));
    String log = logReport(eight, Optional.of(ten), "hot");
    standsAlone(log);
    assertThat(drawings(log)).hasSize(5); // Two rings, two of bars, one of flows.
    String replay = replayReport(8, 10);
    standsAlone(replay);
    assertThat(drawings(replay)).hasSize(6);
    assertThat(replay).contains("Each step of the curves sums up ");
  }

  @Test
  void unusualTopologiesCanBeDrawn() throws Exception {
    Topology one = Topology.of(RingRule.DEFAULT, ids(1));
    assertThat(drawings(logReport(one, Optional.empty(), "hot"))).hasSize(2);
    Topology many = Topology.of(RingRule.DEFAULT, ids(300));
    assertThat(drawings(logReport(many, Optional.of(one), "hot"))).hasSize(5);
    Topology jump = Topology.of(new JumpRule(HashFunctions.XXH3_64, false), ids(3));
    assertThat(drawings(logReport(jump, Optional.of(one), "hot"))).hasSize(4); // No ring of jump.
    Topology slots = Topology.of(SlotsRule.REDIS, ids(3));
    assertThat(drawings(logReport(slots, Optional.empty(), "hot"))).hasSize(2);
  }

  /** Names come from logs of strangers. */
  @Test
  void nothingInANameIsMarkup() throws Exception {
    Topology hostile =
        Topology.of(RingRule.DEFAULT, List.of("<b>&\"'", "a", "</svg><img onerror=x>"));
    String html = logReport(hostile, Optional.of(hostile), HOSTILE);
    standsAlone(html);
    drawings(html);
    assertThat(html)
        .doesNotContain("<b>&\"")
        .doesNotContain("<img")
        .doesNotContain("\u0000")
        .contains("&lt;script&gt;")
        .contains("&lt;/svg&gt;");
  }

  @Test
  void barsAreAsLongAsTheirNumbers() throws Exception {
    Topology three = Topology.of(RingRule.DEFAULT, ids(3));
    LoadReport report =
        LoadReport.ofCounts(three, java.util.Map.of("node-0", 100L, "node-1", 50L, "node-2", 0L));
    Svg svg =
        LoadBars.draw(
            LoadReport.of(Placements.of(three)), List.of(new LoadBars.Series("keys", report)));
    NodeList rects = drawings(svg.toString()).get(0).getElementsByTagName("rect");
    assertThat(rects.getLength()).isEqualTo(4); // One in the legend.
    double full = Double.parseDouble(((Element) rects.item(1)).getAttribute("width"));
    double half = Double.parseDouble(((Element) rects.item(2)).getAttribute("width"));
    double none = Double.parseDouble(((Element) rects.item(3)).getAttribute("width"));
    assertThat(half / full).isBetween(0.499, 0.501);
    assertThat(none).isZero();
  }

  /** The drawing of the ring shows each node with the part that it owns. */
  @Test
  void arcsAddUpToShares() throws Exception {
    Topology three = Topology.of(RingRule.DEFAULT, ids(3));
    Placement placement = Placements.of(three);
    Svg svg =
        new RingDrawing((dev.beltway.placement.RangedPlacement) placement, new NodeColours(ids(3)))
            .draw(List.of());
    NodeList paths = drawings(svg.toString()).get(0).getElementsByTagName("path");
    double[] angles = new double[3];
    Pattern ends = Pattern.compile("M([\\d.]+) ([\\d.]+)A[\\d. ]+? 0 (\\d) 1 ([\\d.]+) ([\\d.]+)");
    for (int i = 0; i < paths.getLength(); i++) {
      Element path = (Element) paths.item(i);
      Matcher arc = ends.matcher(path.getAttribute("d"));
      assertThat(arc.find()).isTrue();
      double begin = angle(arc.group(1), arc.group(2));
      double end = angle(arc.group(4), arc.group(5));
      int node = path.getAttribute("class").charAt(1) - '0';
      angles[node] += ((end - begin) % 1 + 1) % 1;
    }
    LoadReport shares = LoadReport.of(placement);
    for (int i = 0; i < 3; i++) {
      assertThat(angles[i])
          .isBetween(shares.nodes().get(i).share() - 0.03, shares.nodes().get(i).share() + 0.03);
    }
  }

  private static double angle(String x, String y) {
    double dx = Double.parseDouble(x) - Svg.WIDTH / 2;
    double dy = Svg.WIDTH / 2 - Double.parseDouble(y);
    return Math.atan2(dx, dy) / (2 * Math.PI);
  }

  @Test
  void numbersAreShort() {
    assertThat(Markup.number(1.0)).isEqualTo("1");
    assertThat(Markup.number(-0.001)).isEqualTo("0");
    assertThat(Markup.number(12.345)).isIn("12.35", "12.34");
    assertThat(Markup.number(100)).isEqualTo("100");
    assertThat(dev.beltway.lab.log.Printable.shortened("节点节点", 3)).isEqualTo("节点…");
  }
}
