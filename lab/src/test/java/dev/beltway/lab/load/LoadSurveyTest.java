package dev.beltway.lab.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.log.Columns;
import dev.beltway.lab.log.KeyLog;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Request;
import dev.beltway.lab.log.RequestVisitor;
import dev.beltway.lab.log.Requests;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoadSurveyTest {

  private static final Path DATA = Path.of("../examples/data");

  private static Placement ring(int nodes) {
    List<String> ids = IntStream.range(0, nodes).mapToObj(i -> "node-" + i).toList();
    return Placements.of(Topology.of(RingRule.DEFAULT, ids));
  }

  /** A source of requests that can be run again and again. */
  private interface Log {
    void run(RequestVisitor visitor) throws IOException;
  }

  private static Log file(String name, LogFormat format) {
    return visitor -> {
      try (InputStream in = Files.newInputStream(DATA.resolve(name))) {
        KeyLog.read(in, format, visitor);
      } catch (dev.beltway.lab.log.KeyLogException e) {
        throw new AssertionError(e);
      }
    };
  }

  /** Keys by Zipf's law or evenly, with weights and sizes. */
  private static Log madeUp(long seed, int requests, int keys, double exponent) {
    double[] sums = new double[keys];
    double sum = 0;
    for (int i = 0; i < keys; i++) {
      sum += Math.pow(i + 1, -exponent);
      sums[i] = sum;
    }
    double all = sum;
    return visitor -> {
      Random random = new Random(seed);
      for (int i = 0; i < requests; i++) {
        int at = java.util.Arrays.binarySearch(sums, random.nextDouble() * all);
        int key = Math.min(keys - 1, at < 0 ? -at - 1 : at);
        visitor.visit(
            Requests.request(
                "key:" + key,
                random.nextInt(10) == 0 ? Operation.WRITE : Operation.READ,
                1 + random.nextInt(3),
                (long) key % 97 * 10));
      }
    };
  }

  private static LoadFindings survey(LoadSurvey survey, Log log, int hot) throws IOException {
    log.run(survey::add);
    return survey.findings(hot);
  }

  /** The sketches keep within the bounds that they state, on real logs and made-up ones. */
  @Test
  void sketchesKeepTheirBounds() throws Exception {
    LogFormat apache =
        LogFormat.tsv(
            new Columns(
                "3",
                Optional.of("2"),
                Optional.of("5"),
                Optional.empty(),
                Optional.of("1"),
                Optional.empty(),
                false));
    Map<String, Log> logs = new TreeMap<>();
    logs.put("apache", file("apache_paths_10k.tsv", apache));
    logs.put("wiki", file("wiki_edits_keys.txt", LogFormat.lines()));
    logs.put("orm", file("ecommerce_orm_busy_200k.txt", LogFormat.lines()));
    logs.put("web12", file("ecommerce_web12_product_pages.txt", LogFormat.lines()));
    logs.put("words", file("words_alpha_crlf.txt.gz", LogFormat.lines()));
    logs.put("meta", file("meta_kvcache_trace_1.csv", LogFormat.meta()));
    logs.put("skewed", madeUp(1, 400_000, 200_000, 1.0));
    logs.put("very skewed", madeUp(2, 300_000, 100_000, 1.4));
    logs.put("flat", madeUp(3, 300_000, 300_000, 0));
    Placement before = ring(8);
    Placement after = ring(10);
    int outside = 0;
    int numbers = 0;
    for (Map.Entry<String, Log> log : logs.entrySet()) {
      LogFormat format = LogFormat.twitter(); // Anything with sizes and operations.
      LoadFindings exact =
          survey(LoadSurvey.exact(before, Optional.of(after), format), log.getValue(), 1_000_000);
      LoadFindings sketched =
          survey(LoadSurvey.sketched(before, Optional.of(after), format), log.getValue(), 1_000);
      String name = log.getKey();
      assertThat(sketched.loads().requests()).as(name).isEqualTo(exact.loads().requests());
      for (int side = 0; side < 2; side++) {
        NodeLoads one = side == 0 ? exact.loads() : exact.movement().orElseThrow().after();
        NodeLoads two = side == 0 ? sketched.loads() : sketched.movement().orElseThrow().after();
        for (int i = 0; i < one.nodes().size(); i++) {
          NodeFigures is = one.nodes().get(i);
          NodeFigures said = two.nodes().get(i);
          assertThat(said.requests()).isEqualTo(is.requests());
          assertThat(said.bytes()).isEqualTo(is.bytes());
          numbers++;
          outside += isWithin(said.keys(), is.keys().estimate()) ? 0 : 1;
        }
      }
      numbers += 2;
      outside += isWithin(sketched.loads().allKeys(), exact.loads().allKeys().estimate()) ? 0 : 1;
      LogMovement moved = sketched.movement().orElseThrow();
      LogMovement really = exact.movement().orElseThrow();
      outside += isWithin(moved.keys(), really.keys().estimate()) ? 0 : 1;
      assertThat(moved.requests()).isEqualTo(really.requests());
      assertThat(moved.bytes()).isEqualTo(really.bytes());
      assertThat(moved.flows()).isEqualTo(really.flows());
      hotKeysKeepTheirBounds(name + " requests", exact.hottest(), sketched.hottest());
      hotKeysKeepTheirBounds(name + " bytes", exact.heaviest(), sketched.heaviest());
    }
    // Bounds of numbers of keys hold in 95 of 100 cases; these have some in common.
    assertThat(outside).isLessThanOrEqualTo(numbers / 10);
  }

  private static boolean isWithin(Count said, double is) {
    return said.lower() - 0.5 <= is && is <= said.upper() + 0.5;
  }

  private static void hotKeysKeepTheirBounds(String name, HotList exact, HotList sketched) {
    Map<Key, Double> truth = new HashMap<>();
    exact.keys().forEach(key -> truth.put(key.key(), key.amount().estimate()));
    for (HotKey said : sketched.keys()) {
      double is = truth.getOrDefault(said.key(), 0.0);
      assertThat(said.amount().lower()).as(name + " " + said.key()).isLessThanOrEqualTo(is);
      assertThat(said.amount().upper()).as(name + " " + said.key()).isGreaterThanOrEqualTo(is);
      assertThat(said.amount().estimate() - is).isLessThanOrEqualTo((double) sketched.error());
    }
    List<Key> found = sketched.keys().stream().map(HotKey::key).toList();
    for (HotKey key : exact.keys()) {
      if (key.amount().estimate() > sketched.missedBelow() && found.size() < 1_000) {
        assertThat(found).as(name).contains(key.key());
      }
    }
    if (!exact.keys().isEmpty() && sketched.error() == 0) {
      assertThat(sketched.first(5).keys().stream().map(HotKey::amount))
          .isEqualTo(exact.first(5).keys().stream().map(HotKey::amount).toList());
    }
  }

  /** C39: however the words are written down, each node gets the same. */
  @Test
  void lineEndsAndPackingsGiveTheSameCounts() throws Exception {
    byte[] crlf;
    try (InputStream in = Files.newInputStream(DATA.resolve("words_alpha_crlf.txt.gz"))) {
      crlf = new java.util.zip.GZIPInputStream(in).readAllBytes();
    }
    String text = new String(crlf, java.nio.charset.StandardCharsets.ISO_8859_1);
    List<byte[]> variants = new ArrayList<>();
    variants.add(crlf);
    for (String end : List.of("\n", "\r")) {
      variants.add(
          text.replace("\r\n", end).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    }
    variants.add(com.github.luben.zstd.Zstd.compress(crlf));
    List<NodeFigures> first = null;
    for (byte[] variant : variants) {
      LoadSurvey survey = LoadSurvey.sketched(ring(8), Optional.empty(), LogFormat.lines());
      KeyLog.read(new java.io.ByteArrayInputStream(variant), LogFormat.lines(), survey::add);
      List<NodeFigures> nodes = survey.findings(1).loads().nodes();
      assertThat(survey.requests()).isEqualTo(370_099);
      first = first == null ? nodes : first;
      assertThat(nodes).isEqualTo(first);
    }
  }

  @Test
  void requestsGoToTheirOwners() {
    Placement placement =
        Placements.of(
            Topology.of(
                new ModuloRule(HashFunctions.CRC32, true), List.of("b-node", "a-node", "c-node")));
    LoadSurvey survey = LoadSurvey.sketched(placement, Optional.empty(), LogFormat.meta());
    Map<String, Long> requests = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      String key = "{" + i % 50 + "}" + i;
      survey.add(Requests.request(key, Operation.READ, 2, 7));
      requests.merge(placement.owner(key).id(), 2L, Long::sum);
    }
    LoadFindings findings = survey.findings(3);
    for (NodeFigures node : findings.loads().nodes()) {
      assertThat(node.requests()).isEqualTo(requests.getOrDefault(node.id(), 0L));
      assertThat(node.bytes()).isEqualTo(7 * node.requests());
    }
    assertThat(findings.loads().allKeys().estimate()).isCloseTo(1_000, within(0.5));
    assertThat(findings.seconds()).isEmpty();
  }

  /** What a list was cut to says how much the rest has at most. */
  @Test
  void whatIsNotShownHasNoMoreThanIsSaid() throws Exception {
    Log log = file("ecommerce_web12_product_pages.txt", LogFormat.lines());
    for (LoadSurvey survey :
        List.of(
            LoadSurvey.exact(ring(8), Optional.empty(), LogFormat.lines()),
            LoadSurvey.sketched(ring(8), Optional.empty(), LogFormat.lines()))) {
      HotList all = survey(survey, log, 20).hottest();
      assertThat(all.keys()).hasSize(20);
      double twentieth = all.keys().get(19).amount().upper();
      assertThat((double) all.missedBelow()).isBetween(twentieth / 2, twentieth);
      assertThat(all.first(5).missedBelow()).isEqualTo((long) all.keys().get(5).amount().upper());
    }
  }

  @Test
  void timesAreTheFirstAndTheLast() {
    LoadSurvey survey = LoadSurvey.sketched(ring(2), Optional.empty(), LogFormat.twitter());
    for (long time : new long[] {5_000, 2_000, 9_500, 3_000}) {
      survey.add(Requests.request("k", Operation.READ, 1, 0, time, 0));
    }
    LoadFindings findings = survey.findings(1);
    assertThat(findings.firstTime()).isEqualTo(2_000);
    assertThat(findings.seconds()).hasValue(7.5);
    assertThat(Request.NO_TIME).isLessThan(0);
  }

  @Test
  void exactSurveysRefuseTooManyKeys() {
    ExactTally byCount = new ExactTally(1, 0, 3, 1_000);
    ExactTally byBytes = new ExactTally(1, 0, 1_000, 10);
    for (String key : List.of("aaa", "bbb", "ccc", "aaa")) {
      byCount.add(Requests.read(key), 0, 0, 0, false);
      byBytes.add(Requests.read(key), 0, 0, 0, false);
    }
    assertThatThrownBy(() -> byCount.add(Requests.read("d"), 0, 0, 0, false))
        .isInstanceOf(TooManyKeysException.class);
    assertThatThrownBy(() -> byBytes.add(Requests.read("dd"), 0, 0, 0, false))
        .isInstanceOf(TooManyKeysException.class);
  }

  /** Long keys that become rare are forgotten; those that stay hot are not. */
  @Test
  void namesOfHotKeysTakeBoundedMemory() {
    HotKeySketch sketch = new HotKeySketch();
    String large = "x".repeat(1 << 19);
    for (int i = 0; i < 60; i++) {
      sketch.add(Requests.read(large + i), i, 1); // 30 MB of names, each once the hottest.
    }
    for (int i = 0; i < 1_000; i++) {
      sketch.add(Requests.read("hot"), 999, 1);
    }
    assertThat(sketch.largest(1).get(0).key()).isEqualTo(Key.of("hot"));
    assertThat(sketch.nameBytes()).isLessThanOrEqualTo(HotKeySketch.MOST_NAME_BYTES);
  }

  /** A key whose weight comes in one line, late in a long log, is found all the same. */
  @Test
  void aHotKeyMayBeASingleLine() {
    HotKeySketch sketch = new HotKeySketch();
    for (int i = 0; i < 6_000_000; i++) {
      sketch.add(Requests.read("k"), i % 30_000 + 1, 1);
    }
    for (int i = 0; i < 20; i++) {
      sketch.add(Requests.read("large-" + i), -1 - i, 10_000);
      sketch.add(Requests.read("k"), i, 1);
    }
    assertThat(sketch.missedBelow()).isLessThan(10_000);
    assertThat(sketch.largest(20).stream().map(f -> f.key().text()))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 20).mapToObj(i -> "large-" + i).toList());
  }

  @Test
  void keysAreShownSoThatNoTwoLookAlike() {
    assertThat(Key.of("plain:ключ 节点").text()).isEqualTo("plain:ключ 节点");
    assertThat(Key.of("a\nb").text()).isEqualTo("a\\x0ab");
    assertThat(Key.of("a\\x0ab").text()).isEqualTo("a\\\\x0ab");
    assertThat(Key.of("\u202eevil").text()).startsWith("\\xe2\\x80\\xae");
    assertThat(Key.of("").text()).isEmpty();
  }

  @Test
  void aCountIsOrdered() {
    assertThatThrownBy(() -> new Count(5, 6, 7)).isInstanceOf(IllegalArgumentException.class);
    assertThat(Count.exactly(5).isExact()).isTrue();
    assertThat(new Count(100, 90, 105).error()).isEqualTo(0.1);
  }

  @Test
  void weightedNodesHaveWeightedShares() throws Exception {
    Topology weighted =
        new Topology(
            1,
            RingRule.DEFAULT,
            List.of(
                Node.of("small"), Node.of("large").withWeight(3), Node.of("gone").withWeight(0)));
    LoadFindings findings =
        survey(
            LoadSurvey.sketched(Placements.of(weighted), Optional.empty(), LogFormat.lines()),
            madeUp(9, 100_000, 50_000, 0),
            3);
    assertThat(findings.loads().byKeys().node("large").orElseThrow().fair()).isEqualTo(0.75);
    assertThat(findings.loads().byKeys().maxOverMean()).isBetween(1.0, 1.3);
    assertThat(findings.loads().nodes().get(2).keys()).isEqualTo(Count.exactly(0));
    assertThat(findings.loads().largestFairShare()).isEqualTo(0.75);
  }
}
