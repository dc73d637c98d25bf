package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.testing.Seeded;
import dev.beltway.topology.Ability;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Peer;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random lives of a cluster: nodes join, leave, are re-weighted and fail, and after each step all
 * that is promised about movement, order, failover, replicas and bounds is checked, by ways that
 * share nothing with the code under test but the walk itself.
 */
class RandomHistoriesTest {

  private static final int POSITIONS = 400;
  private static final int STEPS = 15;

  static List<PlacementRule> rules() {
    List<PlacementRule> rules = new ArrayList<>();
    rules.add(RingRule.DEFAULT.withVnodes(20));
    rules.add(SlicesRule.DEFAULT);
    rules.add(SlicesRule.DEFAULT.withTolerance(0.2));
    for (KetamaVariant variant : KetamaVariant.values()) {
      rules.add(KetamaRule.of(variant));
    }
    rules.add(NginxRule.DEFAULT);
    rules.add(WorkflowRule.DEFAULT);
    rules.add(new HaproxyRule("djb2", true));
    return rules;
  }

  @ParameterizedTest
  @MethodSource("rules")
  void everyPromiseHoldsAfterEveryStep(PlacementRule rule) {
    Seeded.forSeeds(
        4,
        random -> {
          List<Node> nodes = new ArrayList<>();
          for (int i = 0; i < random.between(2, 7); i++) {
            nodes.add(node(rule, "node-" + i, i + 1, random));
          }
          Topology topology = new Topology(0, rule, nodes);
          Placement placement = Placements.of(topology);
          for (int step = 0; step < STEPS; step++) {
            Topology next = changed(rule, topology, step, random);
            Placement after = Placements.of(next, placement);
            check(topology, placement, next, after, random);
            topology = next;
            placement = after;
          }
        });
  }

  /** HAProxy's ids are stated, or removing a node would renumber the rest. */
  private static Node node(PlacementRule rule, String id, int number, Seeded random) {
    Node node = Node.of(id).withZone("zone-" + random.nextInt(4));
    return rule instanceof HaproxyRule ? node.withPeer(Peer.numbered(number)) : node;
  }

  private static Topology changed(PlacementRule rule, Topology topology, int step, Seeded random) {
    Node any = random.pick(topology.nodes());
    long active = topology.nodes().stream().filter(node -> !node.isDrained()).count();
    boolean last = !any.isDrained() && active < 3;
    return switch (random.nextInt(4)) {
      case 0 -> topology.plus(node(rule, "new-" + step, 100 + step, random));
      case 1 -> last ? topology : topology.minus(any.id());
      case 2 ->
          rule.can(Ability.WEIGHTS)
              ? topology.with(any.withWeight(weight(rule, random)))
              : topology;
      default -> last || !rule.can(Ability.WEIGHTS) ? topology : topology.with(any.withWeight(0));
    };
  }

  private static double weight(PlacementRule rule, Seeded random) {
    boolean fractions = rule instanceof RingRule || rule instanceof SlicesRule;
    return fractions ? random.between(3, 50) / 10.0 : random.between(1, 6);
  }

  private static void check(
      Topology before, Placement was, Topology next, Placement is, Seeded random) {
    long[] positions = IntStream.range(0, POSITIONS).mapToLong(i -> random.nextLong()).toArray();
    Placement anew = Placements.of(next);
    Map<String, Integer> had = before.holdings();
    Map<String, Integer> has = next.holdings();
    for (long position : positions) {
      Node to = is.ownerAt(position);
      assertThat(anew.ownerAt(position)).isEqualTo(to);
      Node from = was.ownerAt(position);
      if (!from.id().equals(to.id())) {
        boolean grew = has.getOrDefault(to.id(), 0) > had.getOrDefault(to.id(), 0);
        boolean shrank = has.getOrDefault(from.id(), 0) < had.getOrDefault(from.id(), 0);
        assertThat(grew || shrank).as("%s to %s", from, to).isTrue();
        if (next.rule() instanceof SlicesRule) {
          assertThat(grew && shrank).as("%s to %s", from, to).isTrue();
        }
      }
    }
    if (is instanceof OrderedPlacement ordered) {
      for (long position : positions) {
        walk(ordered, position);
      }
      failover(ordered, positions, random);
      replicas(ordered, positions, random);
      bounds(ordered, positions, random);
    }
    if (was instanceof ClockwisePlacement first
        && is instanceof ClockwisePlacement second
        && next.rule().can(Ability.REMOVAL_ANYWHERE)) {
      unrelatedNodesKeepTheirOrder(first, second, had, has, positions);
    }
  }

  private static void walk(OrderedPlacement placement, long position) {
    Set<Integer> met = new HashSet<>();
    for (int stop = 0; stop < placement.stops(); stop++) {
      met.add(placement.stopAt(position, stop));
    }
    assertThat(met).hasSize(placement.owners().size());
    assertThat(placement.stopAt(position, 0)).isEqualTo(placement.ownerIndexAt(position));
    List<Node> all = placement.preferenceList(position, placement.owners().size());
    assertThat(all).containsExactlyInAnyOrderElementsOf(placement.owners());
    assertThat(all.get(0)).isEqualTo(placement.ownerAt(position));
  }

  private static void failover(OrderedPlacement placement, long[] positions, Seeded random) {
    Set<String> down = new HashSet<>();
    for (Node node : placement.owners()) {
      if (random.oneIn(3) && down.size() + 1 < placement.owners().size()) {
        down.add(node.id());
      }
    }
    Predicate<Node> up = node -> !down.contains(node.id());
    boolean asIfGone =
        placement instanceof ClockwisePlacement
            && placement.topology().rule().can(Ability.REMOVAL_ANYWHERE);
    Topology without = placement.topology();
    if (asIfGone) {
      for (String id : down) {
        without = without.minus(id);
      }
    }
    Placement rest = Placements.of(without);
    Failover decorated = Failover.of(placement, down);
    for (long position : positions) {
      Node owner = placement.ownerAmong(position, up);
      List<Node> order = placement.preferenceList(position, placement.owners().size());
      assertThat(owner).isEqualTo(order.stream().filter(up).findFirst().orElseThrow());
      assertThat(decorated.ownerAt(position)).isEqualTo(owner);
      assertThat(decorated.stopAt(position, 0)).isEqualTo(decorated.ownerIndexAt(position));
      assertThat(decorated.preferenceList(position, 100))
          .isEqualTo(order.stream().filter(up).toList());
      if (asIfGone) {
        assertThat(owner.id()).isEqualTo(rest.ownerAt(position).id());
      }
    }
  }

  private static void replicas(OrderedPlacement placement, long[] positions, Seeded random) {
    int wanted = random.between(1, 5);
    Replicas replicas = Replicas.of(placement, wanted, FailureDomain.ZONE);
    Set<String> zones = new HashSet<>();
    placement.owners().forEach(node -> zones.add(node.zone().orElseThrow()));
    assertThat(replicas.domains()).isEqualTo(zones.size());
    for (long position : positions) {
      List<Node> list = replicas.list(position);
      assertThat(list).hasSize(Math.min(wanted, placement.owners().size()));
      assertThat(list).doesNotHaveDuplicates();
      assertThat(list.get(0)).isEqualTo(placement.ownerAt(position));
      int apart = Math.min(list.size(), zones.size());
      assertThat(list.subList(0, apart).stream().map(node -> node.zone().orElseThrow()))
          .doesNotHaveDuplicates();
      assertThat(replicas.fewerDomains()).isEqualTo(apart < list.size());
      // The plainest way to say it: take the order, first those of new zones, then the rest.
      List<Node> order = placement.preferenceList(position, placement.owners().size());
      List<Node> expected = new ArrayList<>();
      Set<String> used = new HashSet<>();
      order.stream()
          .filter(n -> used.add(n.zone().orElseThrow()))
          .limit(wanted)
          .forEach(expected::add);
      order.stream()
          .filter(n -> !expected.contains(n))
          .limit(wanted - expected.size())
          .toList()
          .forEach(expected::add);
      assertThat(list).isEqualTo(expected);
    }
  }

  private static void bounds(OrderedPlacement placement, long[] positions, Seeded random) {
    double factor = 1 + random.nextInt(6) / 4.0;
    BoundedAssignment assignment = BoundedAssignment.of(placement, factor, positions);
    Map<String, Double> fair = placement.topology().fairShares();
    double owned =
        placement.owners().stream().mapToDouble(node -> fair.getOrDefault(node.id(), 0.0)).sum();
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < positions.length; i++) {
      List<Node> order = placement.preferenceList(positions[i], placement.owners().size());
      Node node = assignment.node(i);
      for (Node earlier : order) {
        if (earlier.equals(node)) {
          break;
        }
        int index = placement.owners().indexOf(earlier);
        assertThat(counts.getOrDefault(earlier.id(), 0)).isEqualTo((int) assignment.cap(index));
      }
      counts.merge(node.id(), 1, Integer::sum);
    }
    for (int owner = 0; owner < placement.owners().size(); owner++) {
      String id = placement.owners().get(owner).id();
      double exact = factor * positions.length * fair.getOrDefault(id, 0.0) / owned;
      assertThat((double) assignment.cap(owner)).isBetween(exact - 1e-6, exact + 1);
      assertThat(assignment.load(owner)).isEqualTo((long) counts.getOrDefault(id, 0));
      assertThat(assignment.load(owner)).isLessThanOrEqualTo(assignment.cap(owner));
    }
  }

  private static void unrelatedNodesKeepTheirOrder(
      ClockwisePlacement was,
      ClockwisePlacement is,
      Map<String, Integer> had,
      Map<String, Integer> has,
      long[] positions) {
    Predicate<Node> untouched =
        node -> had.getOrDefault(node.id(), 0).equals(has.getOrDefault(node.id(), 0));
    for (long position : positions) {
      List<String> first =
          was.preferenceList(position, was.owners().size()).stream()
              .filter(untouched)
              .map(Node::id)
              .toList();
      List<String> second =
          is.preferenceList(position, is.owners().size()).stream()
              .filter(untouched)
              .map(Node::id)
              .toList();
      assertThat(second).isEqualTo(first);
    }
  }

  @org.junit.jupiter.api.Test
  void failoverOfThousandsOfNodesStillAnswersAtOnce() {
    OrderedPlacement placement =
        Placements.ordered(
            Topology.of(
                RingRule.DEFAULT, IntStream.range(0, 3_000).mapToObj(i -> "n" + i).toList()));
    List<String> down = IntStream.range(2, 3_000).mapToObj(i -> "n" + i).toList();
    Failover failover = Failover.of(placement, down);
    org.junit.jupiter.api.Assertions.assertTimeout(
        java.time.Duration.ofSeconds(10),
        () -> {
          for (int i = 0; i < 100; i++) {
            assertThat(failover.preferenceList(i * 0x123456789abcdefL, new int[3])).isEqualTo(2);
            assertThat(failover.topology()).isEqualTo(placement.topology());
          }
        });
  }
}
