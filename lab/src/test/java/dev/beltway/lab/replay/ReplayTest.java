package dev.beltway.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.log.KeyLog;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Request;
import dev.beltway.lab.log.Requests;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplayTest {

  private static final Path DATA = Path.of("../examples/data");

  private static List<String> ids(int nodes) {
    return IntStream.range(0, nodes).mapToObj(i -> "cache-" + (char) ('a' + i)).toList();
  }

  private static Topology ring(int nodes) {
    return Topology.of(RingRule.DEFAULT, ids(nodes));
  }

  private static Topology modulo(int nodes) {
    return Topology.of(new ModuloRule(HashFunctions.XXH3_64, false), ids(nodes));
  }

  private static Strategy modulo(int before, int after) {
    return new Strategy("modulo", Placements.of(modulo(before)), Placements.of(modulo(after)));
  }

  private static Outcome outcome(ReplayResult result, String strategy, Mode mode) {
    return result.comparisons().stream()
        .filter(comparison -> comparison.strategy().name().equals(strategy))
        .flatMap(
            comparison ->
                mode == Mode.UNCHANGED
                    ? java.util.stream.Stream.of(comparison.unchanged())
                    : comparison.changed().stream().filter(outcome -> outcome.mode() == mode))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Keys of a modulo cluster of one node, one of which moves and one of which stays when it grows.
   */
  private static String key(boolean moves) {
    Placement two = Placements.of(modulo(2));
    for (int i = 0; ; i++) {
      if (two.owner("k" + i).id().equals("cache-b") == moves) {
        return "k" + i;
      }
    }
  }

  /**
   * One node becomes two. S stays, M moves. By hand:
   *
   * <pre>
   *            S M S M | M   S   M    new  S S
   * unchanged  - - h h | h   h   h    -    h h
   * cold       - - h h | -   h   h    -    h h
   * warm       - - h h | h*  h   h    -    h h   * by reading the old node once
   * live       - - h h | h   h   h    -    h h
   * </pre>
   */
  @Test
  void aTinyLogByHand() {
    String stays = key(false);
    String moves = key(true);
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 4, 2);
    for (String key :
        List.of(stays, moves, stays, moves, moves, stays, moves, "new", stays, stays)) {
      replay.add(Requests.read(key));
    }
    ReplayResult result = replay.result().orElseThrow();
    assertThat(result.requests()).isEqualTo(10);
    assertThat(outcome(result, "modulo", Mode.UNCHANGED).windows())
        .containsExactly(
            new Window(-4, 2, 2, 0, 0, 0, 0, 0, 0),
            new Window(-2, 2, 2, 2, 0, 0, 0, 0, 0),
            new Window(0, 2, 2, 2, 0, 2, 0, 2, 0),
            new Window(2, 2, 2, 1, 0, 1, 0, 0, 0),
            new Window(4, 2, 2, 2, 0, 2, 0, 0, 0));
    assertThat(outcome(result, "modulo", Mode.COLD).windows().subList(2, 5))
        .containsExactly(
            new Window(0, 2, 2, 1, 0, 2, 1, 2, 1),
            new Window(2, 2, 2, 1, 0, 1, 0, 0, 0),
            new Window(4, 2, 2, 2, 0, 2, 0, 0, 0));
    Outcome warm = outcome(result, "modulo", Mode.WARM);
    long newMoves = Placements.of(modulo(2)).owner("new").id().equals("cache-b") ? 1 : 0;
    assertThat(warm.windows().subList(2, 5))
        .containsExactly(
            new Window(0, 2, 2, 2, 1, 2, 0, 2, 0),
            new Window(2, 2, 2, 1, newMoves, 1, 0, 0, 0),
            new Window(4, 2, 2, 2, 0, 2, 0, 0, 0));
    Outcome live = outcome(result, "modulo", Mode.LIVE);
    assertThat(live.first()).isEqualTo(new Window(0, 2, 2, 2, 0, 2, 0, 2, 0));
    assertThat(live.movedKeys()).isOne();
    Outcome cold = outcome(result, "modulo", Mode.COLD);
    Outcome unchanged = outcome(result, "modulo", Mode.UNCHANGED);
    assertThat(cold.recovered(unchanged)).hasValue(2);
    assertThat(live.recovered(unchanged)).hasValue(0);
    assertThat(cold.worst(unchanged).orElseThrow().start()).isZero();
    assertThat(live.worst(unchanged)).isEmpty();
    assertThat(cold.first().lostPart()).isEqualTo(0.5);
    assertThat(cold.first().backend()).isOne();
  }

  /** A request that stands for many misses once and then hits. */
  @Test
  void countsStandForRequestsInARow() {
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 5, 10);
    String moves = key(true);
    replay.add(Requests.request(moves, Operation.READ, 5, 0));
    replay.add(Requests.request(moves, Operation.READ, 7, 0));
    ReplayResult result = replay.result().orElseThrow();
    assertThat(outcome(result, "modulo", Mode.UNCHANGED).before().hits()).isEqualTo(4);
    assertThat(outcome(result, "modulo", Mode.COLD).first())
        .isEqualTo(new Window(0, 7, 7, 6, 0, 7, 1, 1, 1));
    assertThat(outcome(result, "modulo", Mode.WARM).first())
        .isEqualTo(new Window(0, 7, 7, 7, 1, 7, 0, 1, 0));
    // A cache too small for anything: all miss.
    Replay tiny =
        new Replay(List.of(modulo(1, 2)), new CacheSize(3, CacheSize.Unit.BYTES, false), 1, 10);
    tiny.add(Requests.request("large", Operation.READ, 6, 100));
    tiny.add(Requests.read("x"));
    assertThat(outcome(tiny.result().orElseThrow(), "modulo", Mode.UNCHANGED).before().hits())
        .isZero();
  }

  @Test
  void writesStoreAndDeletesRemoveOnBothNodes() {
    String moves = key(true);
    for (Operation operation : List.of(Operation.WRITE, Operation.DELETE)) {
      Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 1, 10);
      replay.add(Requests.read(moves));
      replay.add(Requests.request(moves, operation, 1, 0));
      replay.add(Requests.read(moves));
      replay.add(Requests.request(moves, Operation.OTHER, 1, 0));
      ReplayResult result = replay.result().orElseThrow();
      long hits = operation == Operation.WRITE ? 1 : 0;
      for (Mode mode : Mode.values()) {
        Window after = outcome(result, "modulo", mode).after();
        assertThat(after.reads()).isOne();
        assertThat(after.hits()).as(operation + " " + mode).isEqualTo(hits);
      }
      assertThat(result.other()).isOne();
    }
  }

  /** A key read from the old node must not outlive what the log said. */
  @Test
  void timesToLiveHold() {
    String moves = key(true);
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 2, 1);
    replay.add(Requests.request(moves, Operation.WRITE, 1, 0, 1_000, 5_000));
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 2_000, 0));
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 3_000, 0)); // Warm: from the old node.
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 6_000, 0)); // Over.
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 10_000, 0)); // Filled for 5 s again.
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 11_000, 0)); // Over again.
    ReplayResult result = replay.result().orElseThrow();
    for (Mode mode : List.of(Mode.UNCHANGED, Mode.WARM, Mode.LIVE)) {
      assertThat(
              outcome(result, "modulo", mode).windows().stream()
                  .filter(w -> w.start() >= 0)
                  .map(Window::hits))
          .as(mode.name())
          .containsExactly(1L, 0L, 1L, 0L);
    }
  }

  /** The change forgets no TTL: what is read again lives as long as before, whatever the way. */
  @Test
  void timesToLiveOutliveTheChange() {
    String moves = key(true);
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 1, 1);
    replay.add(Requests.request(moves, Operation.WRITE, 1, 0, 1_000, 5_000));
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 7_000, 0)); // Over; filled for 5 s.
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 11_000, 0));
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 13_000, 0)); // Over again.
    ReplayResult result = replay.result().orElseThrow();
    for (Mode mode : Mode.values()) {
      assertThat(
              outcome(result, "modulo", mode).windows().stream()
                  .filter(w -> w.start() >= 0)
                  .map(Window::hits))
          .as(mode.name())
          .containsExactly(0L, 1L, 0L);
    }
  }

  /** What was read from the old node must not outlive, there, what the new one was told. */
  @Test
  void expiringReachesTheOldNodesCopy() {
    String moves = key(true);
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 1, 1);
    replay.add(Requests.request(moves, Operation.WRITE, 1, 0, 0, 1_000_000));
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 1_000, 0));
    replay.add(Requests.request(moves, Operation.EXPIRE, 1, 0, 2_000, 5_000));
    replay.add(Requests.request(moves, Operation.READ, 1, 0, 10_000, 0));
    ReplayResult result = replay.result().orElseThrow();
    for (Mode mode : List.of(Mode.UNCHANGED, Mode.WARM, Mode.LIVE)) {
      assertThat(outcome(result, "modulo", mode).after().hits()).as(mode.name()).isEqualTo(1);
    }
  }

  /** Draining is how nodes leave: the drained node's cache is still there to be read. */
  @Test
  void aDrainedNodeMayStillBeAsked() {
    Topology before = ring(3);
    Topology after =
        new Topology(
            2,
            RingRule.DEFAULT,
            List.of(Node.of("cache-a"), Node.of("cache-b"), Node.of("cache-c").withWeight(0)));
    Replay replay =
        new Replay(
            Strategy.of(before, after),
            new CacheSize(1_000, CacheSize.Unit.ENTRIES, false),
            500,
            500);
    for (int i = 0; i < 1_000; i++) {
      replay.add(Requests.read("k" + i % 500));
    }
    assertThat(outcome(replay.result().orElseThrow(), "ring", Mode.WARM).after().lost()).isZero();
  }

  /** A line that stands for many requests stands on both sides of the change. */
  @Test
  void countsAreSplitAtTheChangeAndAtWindows() {
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 50, 20);
    replay.add(Requests.request(key(true), Operation.READ, 95, 0));
    ReplayResult result = replay.result().orElseThrow();
    assertThat(result.requests()).isEqualTo(95);
    List<Window> cold = outcome(result, "modulo", Mode.COLD).windows();
    assertThat(cold.stream().map(Window::start)).containsExactly(-50L, -40L, -20L, 0L, 20L, 40L);
    assertThat(cold.stream().map(Window::reads)).containsExactly(10L, 20L, 20L, 20L, 20L, 5L);
    assertThat(cold.stream().map(Window::hits)).containsExactly(9L, 20L, 20L, 19L, 20L, 5L);
  }

  /** As long as a value that never fits is asked for, it takes no longer than one that does. */
  @Test
  void aHugeCountTakesNoTime() {
    Replay replay =
        new Replay(
            List.of(modulo(1, 2)), new CacheSize(10, CacheSize.Unit.BYTES, false), 1, 1L << 30);
    for (int i = 0; i < 1_000; i++) {
      replay.add(Requests.request(key(true), Operation.READ, 1 << 20, 1_000));
    }
    ReplayResult result = replay.result().orElseThrow();
    assertThat(outcome(result, "modulo", Mode.WARM).after().oldReads())
        .isEqualTo(1_000L * (1 << 20) - 1);
  }

  @Test
  void modifyingKeepsTheTimeAndExpiringChangesIt() {
    String key = key(false);
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 1, 100);
    replay.add(Requests.request(key, Operation.WRITE, 1, 0, 1_000, 5_000));
    replay.add(Requests.request(key, Operation.MODIFY, 1, 0, 2_000, 0));
    replay.add(Requests.request(key, Operation.READ, 1, 0, 5_999, 0)); // A hit.
    replay.add(Requests.request(key, Operation.EXPIRE, 1, 0, 5_999, 10_000));
    replay.add(Requests.request(key, Operation.READ, 1, 0, 15_998, 0)); // A hit.
    replay.add(Requests.request(key, Operation.READ, 1, 0, 15_999, 0)); // Over.
    replay.add(Requests.request("absent", Operation.EXPIRE, 1, 0, 16_000, 10_000));
    replay.add(Requests.request("absent", Operation.READ, 1, 0, 16_001, 0)); // Nothing was stored.
    ReplayResult result = replay.result().orElseThrow();
    for (Mode mode : Mode.values()) {
      assertThat(outcome(result, "modulo", mode).after().hits()).as(mode.name()).isEqualTo(2);
    }
  }

  /** Whoever is used longest ago goes first, on the new node too. */
  @Test
  void aFullCacheKeepsTheKeysUsedLast() {
    CacheSize two = new CacheSize(2, CacheSize.Unit.ENTRIES, false);
    Topology before = new Topology(1, modulo(2).rule(), modulo(2).nodes());
    Topology after = modulo(1);
    Strategy strategy = new Strategy("shrink", Placements.of(before), Placements.of(after));
    Replay replay = new Replay(List.of(strategy), two, 4, 10);
    String stays1 = key(false);
    String leaves1 = key(true);
    List<String> stay = new ArrayList<>();
    List<String> leave = new ArrayList<>();
    Placement placement = Placements.of(before);
    for (int i = 0; stay.size() < 2 || leave.size() < 2; i++) {
      (placement.owner("k" + i).id().equals("cache-a") ? stay : leave).add("k" + i);
    }
    assertThat(stay.get(0)).isEqualTo(stays1);
    assertThat(leave.get(0)).isEqualTo(leaves1);
    for (String key : List.of(stay.get(0), leave.get(0), stay.get(1), leave.get(1))) {
      replay.add(Requests.read(key));
    }
    replay.add(Requests.read(leave.get(1)));
    replay.add(Requests.read(stay.get(1)));
    replay.add(Requests.read(stay.get(0)));
    Outcome live = outcome(replay.result().orElseThrow(), "shrink", Mode.LIVE);
    assertThat(live.movedKeys()).isEqualTo(2);
    assertThat(live.first().hits()).isEqualTo(2); // The two used last, one from either node.
    assertThat(live.entries()).isEqualTo(2);
  }

  @Test
  void aTotalIsSharedOutByWeightAndStaysTheSame() {
    CacheSize total = new CacheSize(1_000, CacheSize.Unit.ENTRIES, true);
    assertThat(total.of(Map.of("a", 1.0, "b", 6.0, "c", 3.0)))
        .isEqualTo(Map.of("a", 100L, "b", 600L, "c", 300L));
    assertThat(
            new CacheSize(4, CacheSize.Unit.ENTRIES, true)
                .of(Map.of("a", 1.0, "b", 1.0, "c", 1.0, "gone", 0.0)))
        .isEqualTo(Map.of("a", 2L, "b", 1L, "c", 1L, "gone", 0L));
    CacheSize each = new CacheSize(1_000, CacheSize.Unit.ENTRIES, false);
    assertThat(each.of(Map.of("a", 2.5))).isEqualTo(Map.of("a", 2_500L));
    assertThat(CacheSize.UNLIMITED.of(Map.of("a", 2.0))).isEqualTo(Map.of("a", Long.MAX_VALUE));
    Replay replay = new Replay(List.of(modulo(1, 2)), total, 5_000, 1_000);
    for (int i = 0; i < 10_000; i++) {
      replay.add(Requests.read("k" + i));
    }
    ReplayResult result = replay.result().orElseThrow();
    assertThat(outcome(result, "modulo", Mode.LIVE).entries()).isEqualTo(1_000);
    assertThat(outcome(result, "modulo", Mode.COLD).entries()).isEqualTo(1_000);
    assertThatThrownBy(() -> new CacheSize(0, CacheSize.Unit.BYTES, true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static ReplayResult shop(String name, CacheSize size, double at) throws Exception {
    long requests = name.contains("orm") ? 200_000 : 95_607;
    Replay replay = new Replay(Strategy.of(ring(8), ring(10)), size, (long) (at * requests), 2_000);
    try (InputStream in = Files.newInputStream(DATA.resolve(name))) {
      KeyLog.read(in, LogFormat.lines(), replay::add);
    }
    return replay.result().orElseThrow();
  }

  private static final List<String> SHOPS =
      List.of("ecommerce_orm_busy_200k.txt", "ecommerce_web12_product_pages.txt");

  /**
   * The accident on real logs: of the keys that the unchanged caches would have answered, modulo
   * loses four in five when they are first asked for, ring and slices one in five, moving none.
   */
  @Test
  void theAccidentOnTheShopLogs() throws Exception {
    for (String shop : SHOPS) {
      ReplayResult result = shop(shop, CacheSize.UNLIMITED, 0.5);
      Map<String, Double> expected = Map.of("modulo", 0.80, "ring", 0.20, "slices", 0.20);
      for (Map.Entry<String, Double> each : expected.entrySet()) {
        String strategy = each.getKey();
        Window cold = outcome(result, strategy, Mode.COLD).first();
        assertThat(cold.firstLostPart())
            .as(shop + " " + strategy)
            .isCloseTo(each.getValue(), within(0.03));
        Window later = outcome(result, strategy, Mode.COLD).after();
        assertThat(later.firstLostPart()).isCloseTo(each.getValue(), within(0.012));
        assertThat(outcome(result, strategy, Mode.LIVE).after().lost()).isZero();
        Outcome warm = outcome(result, strategy, Mode.WARM);
        assertThat(warm.after().lost()).isZero();
        assertThat(warm.first().oldReads()).isGreaterThanOrEqualTo(cold.firstLost());
      }
      long least = outcome(result, "slices", Mode.LIVE).movedKeys();
      assertThat(outcome(result, "modulo", Mode.LIVE).movedKeys()).isGreaterThan(3 * least);
    }
  }

  /** With small caches the picture is the same: what is lost is lost by those who move. */
  @Test
  void theAccidentWithSmallCaches() throws Exception {
    for (String shop : SHOPS) {
      ReplayResult result = shop(shop, new CacheSize(500, CacheSize.Unit.ENTRIES, false), 0.5);
      double modulo = outcome(result, "modulo", Mode.COLD).first().lostPart();
      double ring = outcome(result, "ring", Mode.COLD).first().lostPart();
      double slices = outcome(result, "slices", Mode.COLD).first().lostPart();
      assertThat(modulo).isGreaterThan(3 * ring).isGreaterThan(3 * slices);
      for (String strategy : List.of("modulo", "ring", "slices")) {
        assertThat(outcome(result, strategy, Mode.LIVE).first().lostPart()).isZero();
      }
    }
  }

  @Test
  void theSameLogGivesTheSameResult() throws Exception {
    CacheSize size = new CacheSize(1_000, CacheSize.Unit.ENTRIES, true);
    List<Outcome> first = shop(SHOPS.get(1), size, 0.3).comparisons().get(1).changed();
    List<Outcome> second = shop(SHOPS.get(1), size, 0.3).comparisons().get(1).changed();
    assertThat(second).isEqualTo(first);
  }

  /** The slow way: lists and maps, the cold switch alone. */
  @Test
  void aColdSwitchAsTheDumbWayGivesIt() throws Exception {
    List<String> keys = Files.readAllLines(DATA.resolve(SHOPS.get(1))).subList(0, 30_000);
    for (int capacity : new int[] {100, 1_000}) {
      Replay replay =
          new Replay(
              Strategy.of(ring(5), ring(6)),
              new CacheSize(capacity, CacheSize.Unit.ENTRIES, false),
              20_000,
              1_000);
      keys.forEach(key -> replay.add(Requests.read(key)));
      ReplayResult result = replay.result().orElseThrow();
      for (ReplayResult.Comparison comparison : result.comparisons()) {
        Map<String, java.util.LinkedHashMap<String, Boolean>> caches = new java.util.HashMap<>();
        long hitsBefore = 0;
        long hitsAfter = 0;
        for (int i = 0; i < keys.size(); i++) {
          String key = keys.get(i);
          Strategy strategy = comparison.strategy();
          String node = (i < 20_000 ? strategy.before() : strategy.after()).owner(key).id();
          java.util.LinkedHashMap<String, Boolean> cache =
              caches.computeIfAbsent(
                  node,
                  id ->
                      new java.util.LinkedHashMap<>(16, 0.75f, true) {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                          return size() > capacity;
                        }
                      });
          boolean hit = cache.put(key, true) != null;
          hitsBefore += hit && i < 20_000 ? 1 : 0;
          hitsAfter += hit && i >= 20_000 ? 1 : 0;
        }
        Outcome cold = outcome(result, comparison.strategy().name(), Mode.COLD);
        assertThat(cold.before().hits()).isEqualTo(hitsBefore);
        assertThat(cold.after().hits()).isEqualTo(hitsAfter);
      }
    }
  }

  @Test
  void strategiesAreTheFilesOwnWhereTheyUseThem() {
    assertThat(Strategy.of(ring(3), ring(4)).stream().map(Strategy::name))
        .containsExactly("modulo", "ring", "slices");
    RingRule fewer = RingRule.DEFAULT.withVnodes(7);
    Strategy own = Strategy.of(Topology.of(fewer, ids(3)), Topology.of(fewer, ids(4))).get(1);
    assertThat(own.before().topology().rule()).isEqualTo(fewer);
    Topology jump = Topology.of(new JumpRule(HashFunctions.XXH3_64, false), ids(3));
    assertThat(Strategy.of(jump, ring(4)).stream().map(Strategy::name))
        .containsExactly("jump to ring", "modulo", "ring", "slices");
    Topology weighted =
        new Topology(
            1,
            RingRule.DEFAULT,
            List.of(Node.of("a").withWeight(2), Node.of("b").withWeight(0), Node.of("c")));
    List<Strategy> all = Strategy.of(weighted, ring(2));
    assertThat(all.get(0).before().owners()).hasSize(2); // Modulo knows no drained node.
    Topology counted =
        new Topology(
            1,
            RingRule.DEFAULT,
            List.of(Node.of("a").withVnodes(300), Node.of("b").withVnodes(0), Node.of("c")));
    for (Strategy each : Strategy.of(counted, counted)) {
      assertThat(each.before().owners().stream().map(Node::id)).doesNotContain("b");
      assertThat(each.weightsBefore()).isEqualTo(Map.of("a", 2.0, "b", 0.0, "c", 1.0));
    }
    assertThat(Strategy.of(counted, counted).get(2).before().topology().fairShares().get("a"))
        .isCloseTo(2 / 3.0, within(1e-9));
  }

  @Test
  void aLogThatEndsBeforeTheChangeHasNoResult() {
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 2, 10);
    replay.add(Requests.read("a"));
    replay.add(Requests.read("b"));
    assertThat(replay.result()).isEmpty();
    replay.add(Requests.read("c"));
    assertThat(replay.result()).isPresent();
  }

  @Test
  void windowsAreBounded() {
    Replay replay = new Replay(List.of(modulo(1, 2)), CacheSize.UNLIMITED, 1, 1);
    Request request = Requests.read("a");
    for (int i = 0; i < Windows.MOST; i++) {
      replay.add(request);
    }
    assertThatThrownBy(() -> replay.add(request))
        .isInstanceOf(TooManyWindowsException.class)
        .hasMessageContaining("20,000 windows of 1 requests");
    assertThatThrownBy(() -> new Replay(List.of(), CacheSize.UNLIMITED, -1, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
