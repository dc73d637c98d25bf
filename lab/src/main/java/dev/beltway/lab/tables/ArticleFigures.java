package dev.beltway.lab.tables;

import static java.util.Locale.ROOT;

import dev.beltway.balance.Spread;
import dev.beltway.balance.Theory;
import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.topology.MachineWeights;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** How each published figure is computed, by the article's number and the figure's name. */
final class ArticleFigures {

  private static final int[] VNODES = {1, 10, 50, 150, 500, 1000};

  private ArticleFigures() {}

  static Map<String, Supplier<Object>> all() {
    Map<String, Supplier<Object>> figures = new LinkedHashMap<>();
    article000(figures);
    article001(figures);
    article003(figures);
    article004(figures);
    // Article 002 has formulas only: there is nothing to compute.
    figures.put("002 weighted virtual nodes", () -> Optional.empty().orElse(null));
    return figures;
  }

  private static KeyPositions keys(HashFunction hash, int count, IntFunction<String> name) {
    return new KeyPositions(
        IntStream.range(0, count).mapToLong(i -> hash.position(name.apply(i))).toArray());
  }

  private static double[] asDoubles(int[] loads) {
    return Arrays.stream(loads).asDoubleStream().toArray();
  }

  private static String format(String pattern, Object... values) {
    return String.format(ROOT, pattern, values);
  }

  private static void article000(Map<String, Supplier<Object>> figures) {
    HashFunction misprinted = ArticleHashes.MISPRINTED_FINALIZED;
    HashFunction weak = ArticleHashes.MISPRINTED_PLAIN;
    figures.put("000 v / max:mean / CV / migration 3->4", () -> saltTable(misprinted));
    figures.put(
        "000 control: same table with the STANDARD FNV-1a basis",
        () -> saltTable(HashFunctions.FNV1A_64_SPLITMIX64));
    figures.put(
        "000 control: same table without the finalizer (printed basis)", () -> saltTable(weak));
    figures.put(
        "000 one token per node: 64.7 / 28.3 / 7.0",
        () -> percentages(misprinted, 1, 100_000, "key-", "%.1f"));
    figures.put(
        "000 weak hash (no finalizer), 3 nodes, v=10, 10 000 keys: 4% / 3% / 93%",
        () -> percentages(weak, 10, 10_000, "k-", "%.0f%%"));
    figures.put(
        "000 weak hash, article key format", () -> percentages(weak, 10, 10_000, "key-", "%.0f%%"));
    figures.put(
        "000 vnodesFor(capacityGB, maxGB, base), integer division, minimum 10",
        ArticleFigures::vnodesByCapacity);
  }

  private static List<List<Object>> saltTable(HashFunction hash) {
    int salts = 30;
    KeyPositions keys = keys(hash, 100_000, i -> "key-" + i);
    List<List<Object>> table = new ArrayList<>();
    for (int vnodes : new int[] {1, 10, 100, 1000}) {
      double maxOverMean = 0;
      double cv = 0;
      double migration = 0;
      for (int salt = 0; salt < salts; salt++) {
        ArticleRing three = ArticleRing.of(saltedNodes("t" + salt, 3), vnodes, hash);
        ArticleRing four = ArticleRing.of(saltedNodes("t" + salt, 4), vnodes, hash);
        Spread spread = Spread.of(asDoubles(keys.loads(three.tokens())));
        maxOverMean += spread.maxOverMean() / salts;
        cv += spread.cv() / salts;
        double moved = keys.moved(three.tokens(), four.tokens()).total();
        migration += moved / keys.size() / salts;
      }
      table.add(
          List.of(
              vnodes,
              format("%.2f", maxOverMean),
              format("%.2f", cv),
              format("%.1f%%", migration * 100)));
    }
    return table;
  }

  private static List<String> saltedNodes(String salt, int count) {
    return IntStream.range(0, count).mapToObj(node -> salt + "-" + node).toList();
  }

  private static List<String> percentages(
      HashFunction hash, int vnodes, int count, String prefix, String pattern) {
    KeyPositions keys = keys(hash, count, i -> prefix + i);
    ArticleRing ring = ArticleRing.of(saltedNodes("node", 3), vnodes, hash);
    return Arrays.stream(keys.loads(ring.tokens()))
        .mapToObj(load -> format(pattern, 100.0 * load / count))
        .toList();
  }

  private static List<List<Integer>> vnodesByCapacity() {
    int[][] cases = {
      {128, 128, 400}, {32, 128, 400}, {128, 128, 100}, {32, 128, 100}, {64, 128, 100},
      {1, 128, 100}, {12, 128, 100}, {13, 128, 100}, {100, 128, 100}, {127, 128, 100},
      {256, 128, 100}, {7, 64, 150}, {48, 96, 200}, {16, 128, 150}, {0, 128, 100}
    };
    return Arrays.stream(cases)
        .map(c -> List.of(c[0], c[1], c[2], MachineWeights.vnodesByCapacity(c[0], c[1], c[2], 10)))
        .toList();
  }

  private static void article001(Map<String, Supplier<Object>> figures) {
    figures.put(
        "001 demo output",
        () -> {
          HashFunction md5 = HashFunctions.MD5;
          int count = 5000;
          KeyPositions keys = keys(md5, count, i -> "key:" + i);
          List<String> three = List.of("node-A", "node-B", "node-C");
          List<String> four = List.of("node-A", "node-B", "node-C", "node-D");
          Map<String, Object> cv = new LinkedHashMap<>();
          Map<String, Object> loads = new LinkedHashMap<>();
          for (int vnodes : new int[] {1, 10, 100, 500}) {
            int[] load = keys.loads(ArticleRing.of(three, vnodes, md5).tokens());
            cv.put("" + vnodes, format("%.4f", Spread.of(asDoubles(load)).cv()));
            loads.put("" + vnodes, load);
          }
          KeyPositions.Moved moved =
              keys.moved(
                  ArticleRing.of(three, 100, md5).tokens(),
                  ArticleRing.of(four, 100, md5).tokens());
          Map<String, Object> demo = new LinkedHashMap<>();
          demo.put("cv", cv);
          demo.put("loads", loads);
          demo.put("ring_migration", format("%.2f%%", 100.0 * moved.total() / count));
          demo.put("moved_between_old_nodes", moved.betweenOld());
          demo.put(
              "modulo_migration_3_to_4",
              format(
                  "%.2f%%",
                  100 * movedByModulo(count, i -> "key:" + i, ArticleFigures::md5Number, 3, 4)));
          return demo;
        });
  }

  /** MD5 as one 128-bit big-endian number. */
  private static BigInteger md5Number(String key) {
    try {
      return new BigInteger(
          1, MessageDigest.getInstance("MD5").digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks MD5", e);
    }
  }

  private static double movedByModulo(
      int count,
      IntFunction<String> name,
      Function<String, BigInteger> hash,
      int before,
      int after) {
    long moved =
        IntStream.range(0, count)
            .mapToObj(i -> hash.apply(name.apply(i)))
            .filter(
                h -> !h.mod(BigInteger.valueOf(before)).equals(h.mod(BigInteger.valueOf(after))))
            .count();
    return (double) moved / count;
  }

  private static void article003(Map<String, Supplier<Object>> figures) {
    HashFunction hash = ArticleHashes.UTF16_FINALIZED;
    List<String> five = List.of("A", "B", "C", "D", "E");
    List<String> six = List.of("A", "B", "C", "D", "E", "F");
    int count = 200_000;
    KeyPositions keys = keys(hash, count, i -> "k" + i);
    ArticleRing single = ArticleRing.of(five, 1, hash);
    ArticleRing grown = ArticleRing.of(six, 1, hash);

    figures.put("003 v=1 loads A..E", () -> byName(five, keys.loads(single.tokens())));
    figures.put(
        "003 v=1 max/min and CV",
        () -> {
          Spread spread = Spread.of(asDoubles(keys.loads(single.tokens())));
          return List.of(format("%.1f", spread.maxOverMin()), format("%.1f%%", spread.cv() * 100));
        });
    figures.put("003 v=1 loads after adding F", () -> byName(six, keys.loads(grown.tokens())));
    figures.put(
        "003 v=1 share F took",
        () -> format("%.1f%%", 100.0 * keys.loads(grown.tokens())[5] / count));
    figures.put(
        "003 removing C: moved / C held, v=1 and v=150",
        () -> {
          List<String> cells = new ArrayList<>();
          for (int vnodes : new int[] {1, 150}) {
            ArticleRing ring = ArticleRing.of(five, vnodes, hash);
            ArticleRing rest = ArticleRing.without("C", five, vnodes, hash);
            double moved = keys.moved(ring.tokens(), rest.tokens()).total();
            double held = keys.loads(ring.tokens())[2];
            cells.add(format("%.1f%%", 100 * moved / count));
            cells.add(format("%.1f%%", 100 * held / count));
          }
          return cells;
        });
    figures.put(
        "003 removing C: keys moved that were not on C",
        () -> {
          List<Integer> cells = new ArrayList<>();
          for (int vnodes : new int[] {1, 150}) {
            ArticleRing ring = ArticleRing.of(five, vnodes, hash);
            ArticleRing rest = ArticleRing.without("C", five, vnodes, hash);
            cells.add(
                keys.moved(ring.tokens(), rest.tokens()).total() - keys.loads(ring.tokens())[2]);
          }
          return cells;
        });
    figures.put(
        "003 modulo 5->6",
        () ->
            format(
                "%.2f%%",
                100
                    * movedByModulo(
                        count, i -> "k" + i, k -> BigInteger.valueOf(hash.hash(k)), 5, 6)));
    figures.put("003 naive FNV-1a 32: A#0..A#3 and differences", ArticleFigures::naiveDifferences);
    figures.put(
        "003 effective points of the naive hash, v=1,10,50,150,500,1000",
        () -> Arrays.stream(VNODES).map(ArticleFigures::effectivePoints).boxed().toList());
    Groups groups = new Groups(keys);
    figures.put(
        "003 200 node-name groups: v | migration % median p10 p90 | max old->old % | max/min median p10 p90 |"
            + " CV % median p10 p90 | naive CV % median | theory %",
        groups::table);
    figures.put(
        "003 keys moved between two old nodes over 2 hashes x 200 groups x 6 v",
        groups::movedBetweenOld);
  }

  private static Map<String, Integer> byName(List<String> names, int[] loads) {
    Map<String, Integer> byName = new LinkedHashMap<>();
    for (int i = 0; i < loads.length; i++) {
      byName.put(names.get(i), loads[i]);
    }
    return byName;
  }

  private static int naive(String text) {
    return (int) ArticleHashes.UTF16_PLAIN.hash(text);
  }

  private static List<Long> naiveDifferences() {
    long[] values = IntStream.range(0, 6).mapToLong(i -> naive("A#" + i) & 0xffffffffL).toArray();
    LongStream differences = IntStream.range(0, 5).mapToLong(i -> values[i + 1] - values[i]);
    return LongStream.concat(Arrays.stream(values, 0, 3), differences).boxed().toList();
  }

  /** FNV's prime is 2²⁴ + 403: points of one node fall on few residues modulo the prime. */
  private static int effectivePoints(int vnodes) {
    return (int)
        IntStream.range(0, vnodes)
            .mapToLong(i -> (naive("A#" + i) & 0xffffffffL) % 16_777_619)
            .distinct()
            .count();
  }

  /** The 200 groups of node names of article 003; both of its figures share one run. */
  static final class Groups {

    private static final int GROUPS = 200;

    private final KeyPositions keys;
    private final KeyPositions naiveKeys;
    private List<List<Object>> table = List.of();
    private long movedBetweenOld;

    Groups(KeyPositions keys) {
      this.keys = keys;
      this.naiveKeys = keys(ArticleHashes.UTF16_PLAIN, keys.size(), i -> "k" + i);
    }

    List<List<Object>> table() {
      run();
      return table;
    }

    long movedBetweenOld() {
      run();
      return movedBetweenOld;
    }

    private void run() {
      if (!table.isEmpty()) {
        return;
      }
      List<List<Object>> rows = new ArrayList<>();
      for (int vnodes : VNODES) {
        Trial trial = new Trial();
        Trial naive = new Trial();
        for (int group = 0; group < GROUPS; group++) {
          trial.add(group, vnodes, ArticleHashes.UTF16_FINALIZED, keys);
          naive.add(group, vnodes, ArticleHashes.UTF16_PLAIN, naiveKeys);
        }
        movedBetweenOld += trial.betweenOldTotal + naive.betweenOldTotal;
        rows.add(trial.row(vnodes, naive));
      }
      table = rows;
    }

    /** One number of vnodes over all groups. */
    private static final class Trial {

      private final double[] migration = new double[GROUPS];
      private final double[] maxOverMin = new double[GROUPS];
      private final double[] cv = new double[GROUPS];
      private double betweenOldMost;
      private long betweenOldTotal;

      void add(int group, int vnodes, HashFunction hash, KeyPositions keys) {
        List<String> five =
            List.of("A-" + group, "B-" + group, "C-" + group, "D-" + group, "E-" + group);
        List<String> six = new ArrayList<>(five);
        six.add("F-" + group);
        ArticleRing before = ArticleRing.of(five, vnodes, hash);
        ArticleRing after = ArticleRing.of(six, vnodes, hash);
        KeyPositions.Moved moved = keys.moved(before.tokens(), after.tokens());
        Spread spread = Spread.of(asDoubles(keys.loads(before.tokens())));
        migration[group] = 100.0 * moved.total() / keys.size();
        maxOverMin[group] = spread.maxOverMin();
        cv[group] = 100 * spread.cv();
        betweenOldMost = Math.max(betweenOldMost, 100.0 * moved.betweenOld() / keys.size());
        betweenOldTotal += moved.betweenOld();
      }

      List<Object> row(int vnodes, Trial naive) {
        return List.of(
            vnodes,
            percentile(migration, 0.5),
            percentile(migration, 0.1),
            percentile(migration, 0.9),
            format("%.4f", betweenOldMost),
            percentile(maxOverMin, 0.5),
            percentile(maxOverMin, 0.1),
            percentile(maxOverMin, 0.9),
            percentile(cv, 0.5),
            percentile(cv, 0.1),
            percentile(cv, 0.9),
            percentile(naive.cv, 0.5),
            format("%.1f", 100 * Theory.cv(5, vnodes)));
      }

      /** The article's percentile: sorted[⌊(n − 1) · p⌋], nothing between two values. */
      private static String percentile(double[] values, double p) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return format("%.1f", sorted[(int) Math.floor((sorted.length - 1) * p)]);
      }
    }
  }

  private static void article004(Map<String, Supplier<Object>> figures) {
    HashFunction md5 = HashFunctions.MD5_32_BE;
    List<String> four = List.of("node-a", "node-b", "node-c", "node-d");
    List<String> five = List.of("node-a", "node-b", "node-c", "node-d", "node-e");
    int count = 1000;
    ArticleRing before = ArticleRing.ofNames(four, md5);
    ArticleRing after = ArticleRing.ofNames(five, md5);
    KeyPositions keys =
        new KeyPositions(
            IntStream.range(0, count).mapToLong(i -> before.position("user:" + i)).toArray());
    figures.put(
        "004 migration 4->5 nodes",
        () ->
            format("%.2f%%", 100.0 * keys.moved(before.tokens(), after.tokens()).total() / count));
    figures.put("004 load per node, 4 nodes", () -> byName(four, keys.loads(before.tokens())));
    figures.put(
        "004 same with 100 virtual nodes <node>#<i>",
        () -> {
          ArticleRing many = ArticleRing.of(four, 100, md5).strict();
          ArticleRing more = ArticleRing.of(five, 100, md5).strict();
          KeyPositions.Moved moved = keys.moved(many.tokens(), more.tokens());
          Map<String, Object> cells = new LinkedHashMap<>();
          cells.put("load", byName(four, keys.loads(many.tokens())));
          cells.put("moved", moved.total());
          cells.put("moved_percent", format("%.2f%%", 100.0 * moved.total() / count));
          cells.put("moved_between_old", moved.betweenOld());
          cells.put("load_after", byName(five, keys.loads(more.tokens())));
          return cells;
        });
    figures.put(
        "004 modulo 4->5, 8->9, 8->10 on the same 1000 keys",
        () ->
            Arrays.stream(new int[][] {{4, 5}, {8, 9}, {8, 10}})
                .map(
                    c ->
                        Math.round(
                                1000
                                    * movedByModulo(
                                        count,
                                        i -> "user:" + i,
                                        k -> BigInteger.valueOf(md5.hash(k)),
                                        c[0],
                                        c[1]))
                            / 10.0)
                .toList());
  }
}
