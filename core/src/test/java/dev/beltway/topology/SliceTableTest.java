package dev.beltway.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.testing.Seeded;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SliceTableTest {

  private static List<Node> nodes(int count) {
    return IntStream.range(0, count).mapToObj(i -> Node.of("node-" + i)).toList();
  }

  /** The exact share of a node in units, as a fraction. */
  private static BigDecimal fair(List<Node> nodes, Node node) {
    BigDecimal sum =
        nodes.stream()
            .map(n -> new BigDecimal(n.weight().value()))
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    return new BigDecimal(node.weight().value())
        .multiply(BigDecimal.valueOf(SliceTable.UNITS))
        .divide(sum, java.math.MathContext.DECIMAL128);
  }

  /** Everything that must hold after a change, whatever the change was. */
  private static void check(SliceTable before, SliceTable after, List<Node> nodes, long tolerance) {
    Map<String, Long> had = before.units();
    Map<String, Long> has = after.units();
    long sum = has.values().stream().mapToLong(Long::longValue).sum();
    assertThat(sum).isEqualTo(SliceTable.UNITS);
    for (Node node : nodes) {
      BigDecimal fair = fair(nodes, node);
      BigDecimal off = BigDecimal.valueOf(has.getOrDefault(node.id(), 0L)).subtract(fair).abs();
      BigDecimal allowed =
          fair.multiply(BigDecimal.valueOf(tolerance, 6)).add(BigDecimal.valueOf(1.0001));
      assertThat(off).as("share of %s", node.id()).isLessThanOrEqualTo(allowed);
      // 1 part in 2³² of the share itself, for all shares that this test makes.
      if (tolerance == 0 && !node.weight().isZero()) {
        assertThat(off.doubleValue() / fair.doubleValue()).isLessThan(0x1p-32);
      }
    }
    long gains = 0;
    for (Map.Entry<String, Long> entry : has.entrySet()) {
      gains += Math.max(0, entry.getValue() - had.getOrDefault(entry.getKey(), 0L));
    }
    assertThat(before.unitsMovedTo(after)).isEqualTo(gains);
    for (int i = 1; i < after.intervals(); i++) {
      assertThat(after.ownerIndex(i)).isNotEqualTo(after.ownerIndex(i - 1));
    }
    assertThat(after.changedTo(nodes, tolerance)).isSameAs(after);
    assertThat(SliceTable.decoded(after.owners(), after.encoded())).isEqualTo(after);
  }

  @Test
  void aFreshTableHasOneIntervalANode() {
    SliceTable table = SliceTable.EMPTY.changedTo(nodes(1000), 0);
    assertThat(table.intervals()).isEqualTo(1000);
    check(SliceTable.EMPTY, table, nodes(1000), 0);
    assertThat(table.owners().get(1)).isEqualTo("node-1");
    assertThat(table.owners().get(2)).isEqualTo("node-10");
  }

  @Test
  void oneNodeOwnsTheWholeRing() {
    SliceTable one = SliceTable.EMPTY.changedTo(nodes(1), 0);
    assertThat(one.intervals()).isEqualTo(1);
    assertThat(one.lastPosition(0)).isEqualTo(-1L);
    SliceTable two = one.changedTo(nodes(2), 0);
    assertThat(two.intervals()).isEqualTo(2);
    assertThat(two.changedTo(List.of(Node.of("node-1")), 0).owners()).containsExactly("node-1");
  }

  @Test
  void growingOneByOneMovesTheMinimumEachTime() {
    SliceTable table = SliceTable.EMPTY;
    for (int count = 1; count <= 100; count++) {
      SliceTable next = table.changedTo(nodes(count), 0);
      check(table, next, nodes(count), 0);
      table = next;
    }
    assertThat(table.intervals()).isLessThan(3_000);
  }

  @Test
  void nothingGrowsOutOfBoundsInALongLife() {
    List<Node> nodes = new ArrayList<>(nodes(20));
    SliceTable table = SliceTable.EMPTY.changedTo(nodes, 0);
    for (int round = 0; round < 300; round++) {
      nodes.remove(0);
      nodes.add(Node.of("later-" + round));
      table = table.changedTo(nodes, 0);
    }
    assertThat(table.intervals()).isLessThan(1_000);
  }

  @Test
  void randomHistoriesKeepAllPromises() {
    Seeded.forSeeds(
        12,
        random -> {
          long tolerance = random.oneIn(3) ? 100_000 : 0;
          List<Node> nodes = new ArrayList<>(nodes(random.between(1, 30)));
          SliceTable table = SliceTable.EMPTY.changedTo(nodes, tolerance);
          for (int step = 0; step < 50; step++) {
            for (int changes = random.between(1, 3); changes > 0; changes--) {
              int at = random.nextInt(nodes.size());
              switch (random.nextInt(4)) {
                case 0 -> nodes.add(Node.of("new-" + step + "-" + changes));
                case 1 -> {
                  if (nodes.size() > 1) {
                    nodes.remove(at);
                  }
                }
                case 2 -> {
                  double weight = random.between(1, 5000) / 100.0;
                  nodes.set(at, Node.of(nodes.get(at).id()).withWeight(weight));
                }
                default -> {
                  if (nodes.stream().filter(n -> !n.isDrained()).count() > 1) {
                    nodes.set(at, Node.of(nodes.get(at).id()).withWeight(0));
                  }
                }
              }
            }
            if (nodes.stream().allMatch(Node::isDrained)) {
              nodes.add(Node.of("rescue-" + step));
            }
            SliceTable next = table.changedTo(nodes, tolerance);
            check(table, next, nodes, tolerance);
            assertThat(table.changedTo(random.shuffled(nodes), tolerance)).isEqualTo(next);
            table = next;
          }
        });
  }

  @Test
  void onlyThoseThatMustGiveGive() {
    List<Node> nodes = nodes(10);
    SliceTable table = SliceTable.EMPTY.changedTo(nodes, 0);
    List<Node> grown = new ArrayList<>(nodes);
    grown.set(3, Node.of("node-3").withWeight(2));
    SliceTable next = table.changedTo(grown, 0);
    check(table, next, grown, 0);
    Map<String, Long> had = table.units();
    next.units()
        .forEach(
            (id, units) -> {
              if (id.equals("node-3")) {
                assertThat(units).isGreaterThan(had.get(id));
              } else {
                assertThat(units).isLessThan(had.get(id));
              }
            });
  }

  @Test
  void aToleranceSavesMovementAndIntervals() {
    Map<Long, Integer> intervals = new TreeMap<>();
    Map<Long, Long> moved = new TreeMap<>();
    for (long tolerance : new long[] {0, 50_000, 200_000}) {
      SliceTable table = SliceTable.EMPTY;
      long sum = 0;
      for (int count = 1; count <= 60; count++) {
        SliceTable next = table.changedTo(nodes(count), tolerance);
        check(table, next, nodes(count), tolerance);
        sum += table.unitsMovedTo(next) >>> 16;
        table = next;
      }
      intervals.put(tolerance, table.intervals());
      moved.put(tolerance, sum);
    }
    assertThat(intervals.get(200_000L))
        .isLessThan(intervals.get(50_000L))
        .isLessThan(intervals.get(0L));
    assertThat(moved.get(200_000L)).isLessThan(moved.get(0L));
  }

  @Test
  void weightsFarApartAreStillExact() {
    List<Node> nodes =
        List.of(
            Node.of("huge").withWeight(1_000_000),
            Node.of("tiny").withWeight(0.000001),
            Node.of("odd").withWeight(1 / 3.0));
    Map<String, Long> units = SliceTable.EMPTY.changedTo(nodes, 0).units();
    for (Node node : nodes) {
      assertThat(
              BigDecimal.valueOf(units.getOrDefault(node.id(), 0L))
                  .subtract(fair(nodes, node))
                  .abs())
          .isLessThanOrEqualTo(BigDecimal.valueOf(1.0001));
    }
    // A share below one unit still gets one: a node with a weight owns something.
    List<Node> many = new ArrayList<>(List.of(Node.of("tiny").withWeight(0.000001)));
    for (int i = 0; i < 200; i++) {
      many.add(Node.of("huge-" + i).withWeight(1_000_000));
    }
    SliceTable table = SliceTable.EMPTY.changedTo(many, 0);
    assertThat(table.units().get("tiny")).isPositive();
    assertThat(table.units().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(SliceTable.UNITS);
  }

  @Test
  void drainedTopologiesOwnNothingAndStartAnew() {
    List<Node> drained = List.of(Node.of("a").withWeight(0));
    SliceTable table = SliceTable.EMPTY.changedTo(nodes(3), 0);
    assertThat(table.changedTo(drained, 0)).isEqualTo(SliceTable.EMPTY);
    assertThat(SliceTable.EMPTY.changedTo(List.of(), 0)).isEqualTo(SliceTable.EMPTY);
    assertThat(SliceTable.decoded(List.of(), "")).isEqualTo(SliceTable.EMPTY);
  }

  @Test
  void damagedTablesAreRefused() {
    SliceTable table = SliceTable.EMPTY.changedTo(nodes(5), 0).changedTo(nodes(6), 0);
    String text = table.encoded();
    assertThat(SliceTable.decoded(table.owners(), text)).isEqualTo(table);
    assertThatThrownBy(() -> SliceTable.decoded(table.owners(), text.substring(0, 20)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SliceTable.decoded(table.owners(), text + "!"))
        .hasMessageContaining("is not Base64");
    assertThatThrownBy(() -> SliceTable.decoded(List.of("b", "a"), text))
        .hasMessageContaining("not in the order of their ids");
    assertThatThrownBy(() -> SliceTable.decoded(List.of("a"), text))
        .hasMessageContaining("and owner");
    Seeded.forSeeds(
        300,
        random -> {
          StringBuilder damaged = new StringBuilder(text);
          int at = random.nextInt(text.length());
          damaged.setCharAt(at, "ABCDwxyz0189+/".charAt(random.nextInt(14)));
          try {
            SliceTable read = SliceTable.decoded(table.owners(), damaged.toString());
            BigInteger sum =
                read.units().values().stream()
                    .map(BigInteger::valueOf)
                    .reduce(BigInteger.ZERO, BigInteger::add);
            assertThat(sum).isEqualTo(BigInteger.valueOf(SliceTable.UNITS));
          } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotEmpty();
          }
        });
  }

  @Test
  void aTableDoesNotKeepItsSuccessors() {
    SliceTable first = SliceTable.EMPTY.changedTo(nodes(3), 0);
    java.lang.ref.WeakReference<SliceTable> later = new java.lang.ref.WeakReference<>(first);
    SliceTable table = first;
    for (int count = 4; count < 40; count++) {
      table = table.changedTo(nodes(count), 0);
      if (count == 20) {
        later = new java.lang.ref.WeakReference<>(table);
      }
    }
    assertThat(later.refersTo(first)).isFalse();
    for (int i = 0; i < 100 && later.get() != null; i++) {
      System.gc();
    }
    assertThat(later.get()).isNull();
    assertThat(first.changedTo(nodes(3), 0)).isSameAs(first);
    assertThat(table.intervals()).isGreaterThan(39);
  }
}
