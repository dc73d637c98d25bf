package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.testing.Seeded;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedLoadsTest {

  private static Topology weighted(Seeded random, int nodes) {
    return new Topology(
        0,
        random.oneIn(2) ? RingRule.DEFAULT.withVnodes(20) : SlicesRule.DEFAULT,
        IntStream.range(0, nodes)
            .mapToObj(i -> Node.of("node-" + i).withWeight(random.between(1, 40) / 10.0))
            .toList());
  }

  /** ⌈c · share · total⌉ in exact arithmetic, from decimal weights. */
  private static long exactCap(Topology topology, Node node, double factor, long total) {
    BigDecimal sum =
        topology.nodes().stream()
            .map(n -> BigDecimal.valueOf(n.weight().value()))
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    return BigDecimal.valueOf(factor)
        .multiply(BigDecimal.valueOf(node.weight().value()))
        .multiply(BigDecimal.valueOf(total))
        .divide(sum, new MathContext(40))
        .setScale(20, RoundingMode.HALF_UP)
        .setScale(0, RoundingMode.CEILING)
        .longValueExact();
  }

  @Test
  void oneThreadTakesTheFirstNodeWithRoomByExactCaps() {
    Seeded.forSeeds(
        30,
        random -> {
          Topology topology = weighted(random, random.between(1, 12));
          OrderedPlacement placement = Placements.ordered(topology);
          double factor = 1 + random.nextInt(8) / 8.0;
          BoundedLoads loads = BoundedLoads.of(placement, factor);
          long[] model = new long[placement.owners().size()];
          List<Integer> held = new ArrayList<>();
          for (int i = 0; i < 600; i++) {
            if (held.isEmpty() || random.nextInt(5) < 3) {
              long position = random.nextLong();
              long total = held.size() + 1L;
              int expected = -1;
              for (int stop = 0; expected < 0; stop++) {
                int owner = placement.stopAt(position, stop);
                long cap = exactCap(topology, placement.owners().get(owner), factor, total);
                expected = model[owner] < cap ? owner : -1;
              }
              assertThat(loads.acquire(position)).isEqualTo(expected);
              model[expected]++;
              held.add(expected);
            } else {
              int owner = held.remove(random.nextInt(held.size()));
              model[owner]--;
              if (random.oneIn(2)) {
                loads.release(owner);
              } else {
                loads.release(placement.owners().get(owner));
              }
            }
            assertThat(loads.total()).isEqualTo(held.size());
          }
          for (int owner = 0; owner < model.length; owner++) {
            assertThat(loads.load(placement.owners().get(owner).id())).isEqualTo(model[owner]);
          }
        });
  }

  @Test
  void capsAreExactUpToLargeTotals() {
    Seeded.forSeeds(
        50,
        random -> {
          Topology topology = weighted(random, random.between(1, 20));
          OrderedPlacement placement = Placements.ordered(topology);
          double factor = 1 + random.nextInt(100) / 100.0;
          BoundedLoads loads = BoundedLoads.of(placement, factor);
          for (int i = 0; i < 50; i++) {
            long total = 1 + Long.remainderUnsigned(random.nextLong(), 1L << random.between(1, 30));
            long sum = 0;
            for (int owner = 0; owner < placement.owners().size(); owner++) {
              long cap = loads.cap(owner, total);
              sum += cap;
              assertThat(cap)
                  .isEqualTo(exactCap(topology, placement.owners().get(owner), factor, total));
            }
            assertThat(sum).isGreaterThanOrEqualTo(total);
          }
        });
  }

  @Test
  void loadsSurviveAChangeOfTopology() {
    Topology topology = Topology.ring("a", "b", "c");
    BoundedLoads before = BoundedLoads.of(Placements.ordered(topology), 1.25);
    List<Node> held = IntStream.range(0, 90).mapToObj(i -> before.acquire("key-" + i)).toList();
    BoundedLoads after = before.with(Placements.ordered(topology.minus("b").plus(Node.of("d"))));
    assertThat(after.total()).isEqualTo(90);
    // What is still on the node that left counts, and can be given back through either.
    long onB = after.load("b");
    assertThat(onB).isPositive();
    for (int i = 0; i < 90; i++) {
      (i % 2 == 0 ? before : after).release(held.get(i));
    }
    assertThat(after.total()).isZero();
    assertThat(after.load("b")).isZero();
    assertThat(after.acquire("key-1").id()).isNotEqualTo("b");
  }

  @Test
  void whatWasNotTakenCantBeGivenBack() {
    BoundedLoads loads = BoundedLoads.of(Placements.ordered(Topology.ring("a", "b")), 2);
    int owner = loads.acquire(5);
    loads.release(owner);
    assertThatThrownBy(() -> loads.release(owner))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("carries nothing that could be released");
    assertThatThrownBy(() -> loads.release(Node.of("stranger")))
        .hasMessage("node stranger has never carried anything");
    assertThat(loads.total()).isZero();
  }

  @Test
  void manyThreadsLoseNothingAndStayWithinTheCaps() throws Exception {
    OrderedPlacement placement = Placements.ordered(Topology.ring("a", "b", "c", "d", "e"));
    BoundedLoads loads = BoundedLoads.of(placement, 1);
    int threads = 4;
    int each = 30_000;
    int heldAtMost = 50;
    long mostCap = loads.cap(0, (long) threads * (heldAtMost + 1));
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Long>> results = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int number = thread;
        results.add(
            pool.submit(
                () -> {
                  start.await();
                  return work(loads, new Seeded(number), each, heldAtMost);
                }));
      }
      start.countDown();
      for (Future<Long> result : results) {
        assertThat(result.get()).isLessThanOrEqualTo(mostCap);
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(loads.total()).isZero();
    for (Node node : placement.owners()) {
      assertThat(loads.load(node.id())).isZero();
    }
  }

  /** Acquires and releases; returns the largest load seen on a node. */
  private static long work(BoundedLoads loads, Seeded random, int operations, int heldAtMost) {
    List<Node> held = new ArrayList<>();
    long most = 0;
    for (int i = 0; i < operations; i++) {
      if (held.isEmpty() || held.size() < heldAtMost && random.oneIn(2)) {
        Node node = loads.acquire("key-" + random.nextInt(1000));
        most = Math.max(most, loads.load(node.id()));
        held.add(node);
      } else {
        loads.release(held.remove(random.nextInt(held.size())));
      }
    }
    held.forEach(loads::release);
    return most;
  }
}
