package dev.beltway.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.balance.LoadReport;
import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.testing.Seeded;
import dev.beltway.token.Share;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlannerTest {

  private static final ModuloRule MODULO = new ModuloRule(HashFunctions.XXH3_64, false);

  private static Topology nodes(PlacementRule rule, String prefix, int count) {
    return Topology.of(rule, IntStream.range(0, count).mapToObj(i -> prefix + i).toList());
  }

  private static Plan plan(Topology before, Topology after) {
    return plan(before, after, Sizing.UNKNOWN, Limits.NONE, Optional.empty());
  }

  private static Plan plan(
      Topology before, Topology after, Sizing sizing, Limits limits, Optional<String> down) {
    return new Planner(before, after)
        .plan(sizing, StepSize.DEFAULT, limits, Optional.empty(), down);
  }

  private static Sizing sizing(long keys, double perSecond) {
    return new Sizing(OptionalLong.of(keys), OptionalLong.of(100), OptionalDouble.of(perSecond));
  }

  @Test
  void growingEightToTenMovesExactlyWhatTheJoiningNodesThenOwn() {
    double[] moved = new double[200];
    for (int group = 0; group < moved.length; group++) {
      Topology before = nodes(RingRule.DEFAULT, "g" + group + "-", 8);
      Topology after = nodes(RingRule.DEFAULT, "g" + group + "-", 10);
      RangedPlacement is = (RangedPlacement) Placements.of(after);
      Difference difference = Difference.between(Placements.of(before), is);
      Share sum = Share.NONE;
      for (Move move : difference.moves()) {
        assertThat(move.to()).isIn("g" + group + "-8", "g" + group + "-9");
        sum = sum.plus(move.range().share());
      }
      Share owned = Share.NONE;
      for (int i = 0; i < is.owners().size(); i++) {
        String id = is.owners().get(i).id();
        boolean joined = id.endsWith("-8") || id.endsWith("-9");
        owned = joined ? owned.plus(is.tokenMap().shares()[i]) : owned;
      }
      assertThat(sum).isEqualTo(owned); // To the last of 2⁶⁴ positions.
      moved[group] = 100 * difference.moved();
    }
    Arrays.sort(moved);
    assertThat(moved[99]).isCloseTo(20, within(0.5));
  }

  @Test
  void figuresOfAGrowthStandBesideEachOther() {
    Plan plan = plan(nodes(RingRule.DEFAULT, "n", 8), nodes(RingRule.DEFAULT, "n", 10));
    Plan.Movement moved = plan.moved();
    assertThat(moved.total()).isCloseTo(moved.joiningOwn(), within(1e-12));
    assertThat(moved.total()).isCloseTo(moved.least(), within(1e-12));
    assertThat(moved.betweenStaying()).isZero();
    assertThat(moved.unexplained()).isZero();
    assertThat(moved.joiningFair()).isCloseTo(0.2, within(1e-12));
    assertThat(moved.byModulo()).isCloseTo(0.8, within(1e-12));
    assertThat(plan.difference().isExact()).isTrue();
  }

  @Test
  void exactDifferencesAgreeWithLookups() {
    Seeded.forSeeds(
        60,
        random -> {
          PlacementRule rule =
              random.oneIn(4)
                  ? SlotsRule.REDIS
                  : RingRule.DEFAULT.withVnodes(random.between(1, 40));
          Topology before = weighted(random, rule);
          Topology after = weighted(random, rule);
          Placement was = Placements.of(before);
          Placement is = Placements.of(after);
          Difference difference = Difference.between(was, is);
          assertThat(difference.isExact()).isTrue();
          Share sum = Share.NONE;
          for (Move move : difference.moves()) {
            sum = sum.plus(move.range().share());
            for (long position : new long[] {move.range().start() + 1, move.range().end()}) {
              assertThat(was.ownerAt(position).id()).isEqualTo(move.from());
              assertThat(is.ownerAt(position).id()).isEqualTo(move.to());
            }
          }
          assertThat(sum.fraction()).isEqualTo(difference.moved());
          double flows = difference.flows().stream().mapToDouble(Flow::share).sum();
          assertThat(flows).isCloseTo(difference.moved(), within(1e-12));
          for (int i = 0; i < 300; i++) {
            long position = random.nextLong();
            boolean listed =
                difference.moves().stream().anyMatch(m -> m.range().contains(position));
            assertThat(listed)
                .isEqualTo(!was.ownerAt(position).id().equals(is.ownerAt(position).id()));
          }
        });
  }

  private static Topology weighted(Seeded random, PlacementRule rule) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      if (!random.oneIn(3) || nodes.isEmpty()) {
        nodes.add(Node.of("n" + i).withWeight(random.between(1, 20) / 10.0));
      }
    }
    return new Topology(0, rule, nodes);
  }

  @Test
  void sampledDifferencesSayThatTheyAreAndAreClose() {
    Difference difference =
        Difference.between(
            Placements.of(nodes(MODULO, "n", 8)), Placements.of(nodes(MODULO, "n", 10)));
    assertThat(difference.isExact()).isFalse();
    assertThat(difference.moved()).isCloseTo(0.8, within(0.003));
    assertThat(difference.moves()).isEmpty();
  }

  @Test
  void moduloMovementAgreesWithCountingResidues() {
    Seeded.forSeeds(
        300,
        random -> {
          List<String> before =
              random.shuffled(
                  IntStream.range(0, random.between(1, 12)).mapToObj(i -> "n" + i).toList());
          List<String> after =
              random.shuffled(
                  IntStream.range(0, random.between(1, 12)).mapToObj(i -> "n" + i).toList());
          int all = before.size() * after.size();
          int moved = 0;
          for (int hash = 0; hash < all; hash++) {
            moved +=
                before.get(hash % before.size()).equals(after.get(hash % after.size())) ? 0 : 1;
          }
          assertThat(ModuloMovement.moved(before, after))
              .isCloseTo((double) moved / all, within(1e-12));
        });
  }

  @Test
  void keysAreCountedOnceAndLinesEachTime() {
    Planner planner = new Planner(nodes(RingRule.DEFAULT, "n", 3), nodes(RingRule.DEFAULT, "n", 4));
    KeySurvey survey = planner.survey();
    Placement was = Placements.of(nodes(RingRule.DEFAULT, "n", 3));
    Placement is = Placements.of(nodes(RingRule.DEFAULT, "n", 4));
    int moved = 0;
    for (int i = 0; i < 5_000; i++) {
      byte[] key = ("key-" + i).getBytes(StandardCharsets.UTF_8);
      moved += was.owner(key).id().equals(is.owner(key).id()) ? 0 : 1;
      for (int times = 0; times <= i % 3; times++) {
        survey.add(key, 0, key.length);
      }
    }
    KeySurvey.Tally keys = survey.keys().orElseThrow();
    assertThat(keys.total()).isEqualTo(5_000);
    assertThat(keys.moved()).isEqualTo(moved);
    assertThat(keys.after().values().stream().mapToLong(n -> n).sum()).isEqualTo(5_000);
    assertThat(keys.movedByModulo()).isBetween(3_600L, 3_900L);
    assertThat(survey.requests().total()).isEqualTo(9_999);
    Plan plan =
        planner.plan(
            Sizing.UNKNOWN, StepSize.DEFAULT, Limits.NONE, Optional.of(survey), Optional.empty());
    assertThat(plan.estimate().keys()).hasValue(moved);
    assertThat(plan.sizing().keyCount()).hasValue(5_000);
  }

  @Test
  void tooManyDifferentKeysLeaveTheLines() {
    Placement placement = Placements.of(nodes(RingRule.DEFAULT, "n", 3));
    KeySurvey survey = new KeySurvey(placement, placement, 100);
    for (int i = 0; i < 150; i++) {
      byte[] key = ("key-" + i).getBytes(StandardCharsets.UTF_8);
      survey.add(key, 0, key.length);
      assertThat(survey.keyCount().isPresent()).isEqualTo(i < 100);
    }
    assertThat(survey.keys()).isEmpty();
    assertThat(survey.keysOrRequests().total()).isEqualTo(150);
  }

  @Test
  void stepsAreSmallLeadToTheGoalAndAddUp() {
    Seeded.forSeeds(
        25,
        random -> {
          RingRule rule = RingRule.DEFAULT.withVnodes(random.between(20, 200));
          Topology before = weighted(random, rule);
          Topology after = weighted(random, rule);
          List<Step> steps = plan(before, after).steps();
          java.util.Map<String, Integer> holds = new java.util.HashMap<>(before.holdings());
          boolean shrinking = false;
          for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            assertThat(step.number()).isEqualTo(i + 1);
            assertThat(step.from()).isEqualTo(holds.getOrDefault(step.node(), 0));
            shrinking |= step.to() < step.from();
            assertThat(step.to() > step.from()).as("grow before shrink").isEqualTo(!shrinking);
            boolean large = step.moved() > 0.01;
            assertThat(step.flag().isEmpty()).isEqualTo(!large);
            if (large) {
              assertThat(Math.abs(step.to() - step.from())).isEqualTo(1);
            }
            holds.put(step.node(), step.to());
          }
          holds.values().removeIf(count -> count == 0);
          java.util.Map<String, Integer> goal = new java.util.HashMap<>(after.holdings());
          goal.values().removeIf(count -> count == 0);
          assertThat(holds).isEqualTo(goal);
        });
  }

  @Test
  void aStepMayBeLargeWhereItIsQuick() {
    Topology before = nodes(RingRule.DEFAULT, "n", 8);
    Topology after = nodes(RingRule.DEFAULT, "n", 10);
    assertThat(plan(before, after, sizing(100_000, 50_000), Limits.NONE, Optional.empty()).steps())
        .hasSize(2)
        .allMatch(step -> step.flag().isEmpty());
    assertThat(
            plan(before, after, sizing(100_000_000, 50_000), Limits.NONE, Optional.empty()).steps())
        .hasSizeGreaterThan(19);
  }

  @Test
  void slotsMoveInBatchesAndTheFewestMovesAreOffered() {
    Topology before = nodes(SlotsRule.REDIS, "n", 8);
    Topology after = nodes(SlotsRule.REDIS, "n", 10);
    Planner planner = new Planner(before, after);
    Plan plan = plan(before, after);
    assertThat(plan.warnings()).anyMatch(w -> w.contains("20.00 % would do"));
    Topology better = planner.withFewestMoves().orElseThrow();
    Plan best = plan(before, better);
    assertThat(best.moved().total()).isCloseTo(0.2, within(0.0002));
    assertThat(best.moved().betweenStaying()).isZero();
    assertThat(best.warnings()).noneMatch(w -> w.contains("would do"));
    assertThat(best.steps()).allMatch(step -> step.moved() <= 0.01 && step.flag().isEmpty());
    assertThat(best.steps().stream().mapToDouble(Step::moved).sum())
        .isCloseTo(best.moved().total(), within(1e-9));
  }

  @Test
  void whatCannotBeCutIsOneFlaggedStep() {
    Topology ring = nodes(RingRule.DEFAULT, "n", 5);
    for (Topology other :
        List.of(
            nodes(MODULO, "n", 5),
            nodes(SlotsRule.REDIS, "n", 5),
            nodes(RingRule.DEFAULT.withHash(HashFunctions.XXH64), "n", 5),
            nodes(
                new RingRule(HashFunctions.XXH3_64, 150, 10, "-", false, Replication.of(1), 9999),
                "n",
                5))) {
      Plan plan = plan(ring, other);
      assertThat(plan.moved().total()).isBetween(0.6, 0.95);
      assertThat(plan.steps()).singleElement().matches(step -> !step.flag().isEmpty());
      assertThat(plan.warnings()).anyMatch(w -> w.contains("nearly every key moves"));
    }
  }

  @Test
  void nothingMovesWhenAddressesOrTheOrderChange() {
    Topology before = nodes(RingRule.DEFAULT, "n", 5);
    List<Node> reversed = new ArrayList<>(before.nodes());
    java.util.Collections.reverse(reversed);
    Plan reordered = plan(before, new Topology(1, RingRule.DEFAULT, reversed));
    assertThat(reordered.moved().total()).isZero();
    assertThat(reordered.steps()).isEmpty();
    Plan moved = plan(before, before.with(Node.of("n2").withAddress("10.0.0.1:1")));
    assertThat(moved.moved().total()).isZero();
    assertThat(moved.warnings()).singleElement().asString().contains("n2 gets another address");
  }

  @Test
  void anOutageSpreadsOverManyNodesAndMovesNothingElse() {
    Topology topology = nodes(RingRule.DEFAULT, "n", 10);
    Outage outage =
        plan(topology, topology, sizing(1_000, 10), Limits.NONE, Optional.of("n3"))
            .outage()
            .orElseThrow();
    assertThat(outage.movedBetweenOthers()).isZero();
    assertThat(outage.receivers()).hasSize(9).allMatch(r -> r.gained() > 0);
    double gained = outage.receivers().stream().mapToDouble(Outage.Receiver::gained).sum();
    assertThat(gained).isCloseTo(outage.lost(), within(1e-12));
    double load = outage.receivers().stream().mapToDouble(r -> r.load().share()).sum();
    assertThat(load).isCloseTo(1, within(1e-12));

    Outage modulo = Outage.of(nodes(MODULO, "n", 10), "n3", Sizing.UNKNOWN);
    assertThat(modulo.movedBetweenOthers()).isGreaterThan(0.5);
    Outage slots = Outage.of(nodes(SlotsRule.REDIS, "n", 4), "n3", Sizing.UNKNOWN);
    assertThat(slots.movedBetweenOthers()).isZero();
    assertThat(slots.note()).contains("unavailable");

    assertThatThrownBy(() -> Outage.of(nodes(RingRule.DEFAULT, "n", 1), "n0", Sizing.UNKNOWN))
        .hasMessage("node n0 is the only one that owns anything");
    assertThatThrownBy(() -> Outage.of(nodes(SlotsRule.REDIS, "n", 1), "n0", Sizing.UNKNOWN))
        .hasMessage("node n0 is the only one that owns anything");
    assertThatThrownBy(() -> Outage.of(topology, "zz", Sizing.UNKNOWN))
        .hasMessage("node zz is in neither topology");
  }

  @Test
  void limitsAreJudgedAtTheirEdges() {
    Topology before = nodes(RingRule.DEFAULT, "n", 4);
    Topology after = nodes(RingRule.DEFAULT, "n", 5);
    double moved = plan(before, after).moved().total();
    double over = LoadReport.of(Placements.of(after)).maxOverMean();
    assertThat(isWithin(before, after, moved, over, 1_000)).isTrue();
    assertThat(isWithin(before, after, moved - 1e-9, over, 1_000)).isFalse();
    assertThat(isWithin(before, after, moved, over - 1e-9, 1_000)).isFalse();
    assertThat(isWithin(before, after, moved, over, 200)).isFalse();
    Limits keys = new Limits(OptionalDouble.empty(), OptionalDouble.empty(), OptionalLong.of(5));
    assertThatThrownBy(() -> plan(before, after, Sizing.UNKNOWN, keys, Optional.empty()))
        .hasMessageContaining("needs the number of keys");
  }

  private static boolean isWithin(
      Topology before, Topology after, double moved, double over, long keys) {
    Limits limits =
        new Limits(OptionalDouble.of(moved), OptionalDouble.of(over), OptionalLong.of(keys));
    return plan(before, after, sizing(1_000, 10), limits, Optional.empty()).isWithinLimits();
  }

  @Test
  void littleMovedIsExplainedWhereTheNewNodeGetsNothing() {
    RingRule single =
        new RingRule(HashFunctions.XXH3_64, 1, 1, "#", false, Replication.of(1), 1_000);
    boolean warned = false;
    for (int group = 0; group < 20; group++) {
      Plan plan = plan(nodes(single, "g" + group + "-", 5), nodes(single, "g" + group + "-", 6));
      boolean little = plan.moved().joiningOwn() < 0.5 / 6;
      assertThat(plan.warnings().stream().anyMatch(w -> w.startsWith("Little moves")))
          .isEqualTo(little);
      warned |= little;
    }
    assertThat(warned).isTrue();
  }

  @Test
  void moreDataThanAMachineHasMemoryIsAWarning() {
    Topology before = nodes(RingRule.DEFAULT, "n", 3);
    Topology small =
        before.with(Node.of("n1").withMachine(dev.beltway.topology.Machine.of(1, 0.001)));
    List<String> warnings =
        plan(before, small, sizing(100_000, 10), Limits.NONE, Optional.empty()).warnings();
    assertThat(warnings).anyMatch(w -> w.startsWith("n1 gets 0.00 GiB of data on a machine"));
    assertThat(plan(before, small).warnings()).noneMatch(w -> w.contains("machine"));
  }

  @Test
  void slotStepsFollowOnEachOtherToTheGoal() {
    Topology before = nodes(SlotsRule.REDIS, "n", 3);
    Topology after =
        new Planner(before, nodes(SlotsRule.REDIS, "n", 4)).withFewestMoves().orElseThrow();
    java.util.Map<String, Integer> holds = new java.util.HashMap<>(before.holdings());
    for (Step step : plan(before, after).steps()) {
      assertThat(step.from()).isEqualTo(holds.getOrDefault(step.node(), 0));
      holds.put(step.node(), step.to());
    }
    assertThat(holds.get("n3")).isEqualTo(4096);
  }

  @Test
  void turningHashTagsOnIsNotNothing() {
    RingRule tagged =
        new RingRule(HashFunctions.XXH3_64, 150, 10, "#", true, Replication.of(1), 1_000_000);
    Plan plan = plan(nodes(RingRule.DEFAULT, "n", 5), nodes(tagged, "n", 5));
    assertThat(plan.moved().total()).isBetween(0.7, 0.9);
    assertThat(plan.steps()).hasSize(1);
    assertThat(plan.warnings()).anyMatch(w -> w.startsWith("Hash tags are turned on or off"));
  }

  @Test
  void anotherAlgorithmIsNoChangeOfWeights() {
    Plan plan = plan(nodes(MODULO, "n", 5), nodes(RingRule.DEFAULT, "n", 5));
    assertThat(plan.changes()).allMatch(change -> change.kind() == NodeChange.Kind.STAYS);
    assertThat(plan.moved().unexplained()).isCloseTo(plan.moved().total(), within(1e-9));
  }

  @Test
  void anOutageOfUnevenSlotsMovesOnlyTheLostOnes() {
    Topology uneven =
        new Topology(
            0,
            SlotsRule.REDIS,
            List.of(
                Node.of("a").withSlots(dev.beltway.topology.SlotRanges.parse("0-13106")),
                Node.of("b").withSlots(dev.beltway.topology.SlotRanges.parse("13107-14745")),
                Node.of("c").withSlots(dev.beltway.topology.SlotRanges.parse("14746-16383"))));
    Outage outage = Outage.of(uneven, "c", Sizing.UNKNOWN);
    assertThat(outage.movedBetweenOthers()).isZero();
    assertThat(outage.receivers()).allMatch(r -> Math.abs(r.gained() - outage.lost() / 2) < 1e-4);
  }

  @Test
  void drainingANodeIsLeavingForTheComparisonToo() {
    Topology before = nodes(RingRule.DEFAULT, "n", 8);
    Plan plan = plan(before, before.with(Node.of("n7").withWeight(0)));
    assertThat(plan.moved().betweenStaying()).isZero();
    assertThat(plan.moved().byModulo()).isCloseTo(1 - 7 / 56.0, within(1e-9));
  }

  @Test
  void theLastEpochCanBePlanned() {
    Topology before = nodes(RingRule.DEFAULT, "n", 3);
    Topology last = new Topology(Topology.LAST_EPOCH, RingRule.DEFAULT, before.nodes());
    assertThat(plan(last, last, Sizing.UNKNOWN, Limits.NONE, Optional.of("n1")).outage())
        .isPresent();
    assertThat(plan(before, last).warnings()).isEmpty();
  }

  @Test
  void topologiesThatOwnNothingAreRefused() {
    Topology ring = nodes(RingRule.DEFAULT, "n", 2);
    assertThatThrownBy(() -> new Planner(nodes(RingRule.DEFAULT, "n", 0), ring))
        .hasMessage("the topology before has no node that owns anything");
  }

  @Test
  void slicesMoveTheLeastInStepsThatAddUp() {
    Topology before = nodes(SlicesRule.DEFAULT, "n", 8);
    Topology after = before.withNodes(nodes(SlicesRule.DEFAULT, "n", 10).nodes());
    Plan plan = plan(before, after, sizing(1_000_000, 1_000), Limits.NONE, Optional.of("n3"));
    assertThat(plan.difference().isExact()).isTrue();
    assertThat(plan.moved().total()).isCloseTo(0.2, within(1e-9));
    assertThat(plan.moved().total()).isCloseTo(plan.moved().least(), within(1e-12));
    assertThat(plan.moved().betweenStaying()).isZero();
    assertThat(plan.moved().unexplained()).isZero();
    assertThat(plan.loadAfter().maxOverMean()).isCloseTo(1, within(1e-9));
    assertThat(plan.warnings()).isEmpty();
    assertThat(plan.steps())
        .allMatch(step -> step.moved() <= 0.01 + 1e-12 && step.flag().isEmpty())
        .allMatch(step -> step.node().equals("n8") || step.node().equals("n9"));
    assertThat(plan.steps().stream().mapToDouble(Step::moved).sum())
        .isCloseTo(plan.moved().total(), within(1e-9));
    // What a failed node had goes to all others, each about as much as its share.
    Outage outage = plan.outage().orElseThrow();
    assertThat(outage.receivers()).hasSize(9);
    assertThat(outage.receivers())
        .allMatch(receiver -> receiver.gained() > 0.008 && receiver.gained() < 0.015);
    assertThat(outage.movedBetweenOthers()).isZero();
  }

  @Test
  void slicesWithoutATableAreCutAnewAndThatIsSaid() {
    Topology before = nodes(SlicesRule.DEFAULT, "n", 8);
    Topology after = nodes(SlicesRule.DEFAULT, "n", 9);
    Planner planner = new Planner(before, after);
    Plan plan = plan(before, after);
    assertThat(plan.moved().total()).isGreaterThan(0.3);
    assertThat(plan.warnings()).anyMatch(w -> w.contains("where 11.11 % would do"));
    Topology better = planner.withFewestMoves().orElseThrow();
    assertThat(plan(before, better).moved().total()).isCloseTo(1 / 9.0, within(1e-9));
    // One node of many leaves: its ranges go out in steps of its own.
    Plan leaving = plan(better, better.minus("n0"));
    assertThat(leaving.steps()).allMatch(step -> step.node().equals("n0"));
    assertThat(leaving.steps().stream().mapToDouble(Step::moved).sum())
        .isCloseTo(1 / 9.0, within(1e-9));
  }

  @Test
  void jumpRefusesAChangeInTheMiddle() {
    JumpRule rule = new JumpRule(HashFunctions.XXH3_64, false);
    Topology before = nodes(rule, "n", 4);
    Topology middle = Topology.of(rule, List.of("n0", "n2", "n3"));
    assertThatThrownBy(() -> new Planner(before, middle))
        .hasMessageContaining("nodes join and leave at the end of the list only");
    Plan shrink = plan(before, nodes(rule, "n", 3));
    assertThat(shrink.moved().total()).isCloseTo(0.25, within(0.005));
    assertThat(shrink.moved().betweenStaying()).isZero();
    Plan grow = plan(before, nodes(rule, "n", 6), Sizing.UNKNOWN, Limits.NONE, Optional.of("n5"));
    assertThat(grow.steps()).extracting(Step::node).containsExactly("n4", "n5");
    assertThat(grow.outage().orElseThrow().note()).contains("one node less");
    assertThatThrownBy(() -> plan(before, before, Sizing.UNKNOWN, Limits.NONE, Optional.of("n1")))
        .hasMessageContaining("jump has no second owner");
  }

  @Test
  void otherSystemsChangeOneServerAtATime() {
    for (PlacementRule rule :
        List.of(
            KetamaRule.of(KetamaVariant.TWEMPROXY),
            NginxRule.DEFAULT,
            WorkflowRule.DEFAULT,
            new HaproxyRule("djb2", true))) {
      Topology before = nodes(rule, "n", 5);
      Topology after = nodes(rule, "n", 7);
      Plan plan = plan(before, after, Sizing.UNKNOWN, Limits.NONE, Optional.of("n2"));
      assertThat(plan.difference().isExact()).isTrue();
      assertThat(plan.steps()).extracting(Step::node).containsExactly("n5", "n6");
      assertThat(plan.steps()).allMatch(step -> step.flag().contains("more than 1.00 %"));
      assertThat(plan.moved().total()).isBetween(0.15, 0.45);
      // A server that is down doesn't move keys between the others, wherever it stands.
      assertThat(plan.outage().orElseThrow().movedBetweenOthers()).isZero();
    }
  }

  @Test
  void removingANumberedHaproxyServerMovesNothingElse() {
    Topology before = nodes(new HaproxyRule("djb2", true), "n", 5);
    assertThat(plan(before, before.minus("n1")).moved().betweenStaying()).isGreaterThan(0.1);
    assertThat(plan(before, before.minus("n1")).warnings())
        .anyMatch(warning -> warning.contains("haproxyId"));
    Topology stated = before.withNodes(HaproxyRule.numbered(before.nodes()));
    assertThat(plan(before, stated).moved().total()).isZero();
    Plan plan = plan(stated, stated.minus("n1"));
    assertThat(plan.moved().betweenStaying()).isZero();
    assertThat(plan.warnings()).noneMatch(warning -> warning.contains("haproxyId"));
  }

  @Test
  void withAHundredAndFiftyVnodesAFailedNodesLoadSpreads() {
    Topology topology = nodes(RingRule.DEFAULT, "n", 10);
    Outage outage =
        plan(topology, topology, Sizing.UNKNOWN, Limits.NONE, Optional.of("n4"))
            .outage()
            .orElseThrow();
    assertThat(outage.receivers()).hasSize(9);
    assertThat(outage.receivers())
        .allMatch(receiver -> receiver.gained() > 0 && receiver.gained() < outage.lost() / 4);
  }

  /** The steps of a node lead from what it held to what it holds, one after the other. */
  private static void assertStepsLead(Plan plan) {
    java.util.Map<String, Integer> holds = new java.util.HashMap<>(plan.before().holdings());
    for (Step step : plan.steps()) {
      assertThat(step.from()).isCloseTo(holds.getOrDefault(step.node(), 0), within(2));
      holds.put(step.node(), step.to());
    }
    java.util.Map<String, Integer> goal = plan.after().holdings();
    for (Step step : plan.steps()) {
      assertThat(holds.getOrDefault(step.node(), 0))
          .isCloseTo(goal.getOrDefault(step.node(), 0), within(2));
    }
    assertThat(plan.steps().stream().mapToDouble(Step::moved).sum())
        .isCloseTo(plan.moved().total(), within(1e-9));
  }

  @Test
  void theStepsOfSlicesLeadToTheGoal() {
    Topology one = nodes(SlicesRule.DEFAULT, "a", 1);
    // The whole ring moves, whose length doesn't fit into a number of positions.
    Plan whole = plan(one, one.withNodes(List.of(Node.of("b"))));
    assertThat(whole.steps()).hasSize(100).allMatch(step -> step.flag().isEmpty());
    assertStepsLead(whole);
    Topology topology = nodes(SlicesRule.DEFAULT, "n", 6);
    for (int i = 0; i < 8; i++) {
      Topology next =
          i % 3 == 2
              ? topology.minus(topology.nodes().get(i % 4).id())
              : topology.plus(Node.of("m" + i).withWeight(1 + i * 0.7));
      Plan plan = plan(topology, next);
      assertStepsLead(plan);
      assertThat(plan.steps()).allMatch(step -> step.moved() <= 0.01 + 1e-9);
      topology = next;
    }
  }

  @Test
  void stepsOfNodesThatGiveAndGetLeadToTheGoalToo() {
    // Cut anew: most nodes give here and get there.
    Topology before = nodes(SlicesRule.DEFAULT, "n", 2);
    Topology after = nodes(SlicesRule.DEFAULT, "n", 3);
    Plan plan = plan(before, after);
    java.util.Map<String, Integer> last = new java.util.HashMap<>();
    plan.steps().forEach(step -> last.put(step.node(), step.to()));
    assertThat(last.get("n2")).isCloseTo(333_333_333, within(2));
    assertThat(plan.steps()).allMatch(step -> step.from() <= 1_000_000_000 && step.to() >= 0);
    // A step of exactly the allowed size is not too large.
    Topology one = nodes(SlicesRule.DEFAULT, "n", 1).with(Node.of("n0").withWeight(3));
    assertThat(plan(one, one.plus(Node.of("m").withWeight(7))).steps())
        .hasSize(70)
        .allMatch(step -> step.flag().isEmpty());
  }

  @Test
  void aTinyNodeStillJoins() {
    Topology topology = nodes(SlicesRule.DEFAULT, "n", 1).with(Node.of("n0").withWeight(1_000_000));
    Plan plan = plan(topology, topology.plus(Node.of("tiny").withWeight(0.000001)));
    assertThat(plan.changes())
        .anyMatch(c -> c.id().equals("tiny") && c.kind() == NodeChange.Kind.JOINS);
    assertThat(plan.moved().unexplained()).isZero();
  }

  @Test
  void stepsAreBounded() {
    StepSize tiny = new StepSize(0.000001, 0.001, 0.1);
    Topology before = nodes(SlicesRule.DEFAULT, "n", 300);
    Plan plan =
        new Planner(before, before.plus(Node.of("x").withWeight(30)))
            .plan(Sizing.UNKNOWN, tiny, Limits.NONE, Optional.empty(), Optional.empty());
    assertThat(plan.steps().size()).isLessThanOrEqualTo(StepList.MOST_STEPS + 1);
    assertThat(plan.steps().stream().mapToDouble(Step::moved).sum())
        .isCloseTo(plan.moved().total(), within(1e-9));
    assertThat(plan.steps().get(plan.steps().size() - 1).flag()).isNotEmpty();
  }

  @Test
  void slicesTakeTheirHistoryAlongWhenTheirSettingsChange() {
    Topology before = nodes(SlicesRule.DEFAULT, "n", 4);
    Topology after = nodes(SlicesRule.DEFAULT.withTolerance(0.01), "n", 5);
    Planner planner = new Planner(before, after);
    Topology better = planner.withFewestMoves().orElseThrow();
    assertThat(((SlicesRule) better.rule()).tolerance()).isEqualTo(0.01);
    assertThat(plan(before, better).moved().total()).isCloseTo(0.2, within(0.01));
    assertThat(plan(before, after).warnings()).anyMatch(w -> w.contains("would do"));
    // From another algorithm there is no history; the table is stated all the same.
    Topology cut =
        new Planner(nodes(RingRule.DEFAULT, "n", 5), after).withFewestMoves().orElseThrow();
    assertThat(((SlicesRule) cut.rule()).table()).isPresent();
    assertThat(cut.fingerprint()).isEqualTo(after.fingerprint());
  }

  @Test
  void whatCantBeDoneNodeByNodeIsDoneAtOnce() {
    HaproxyRule rule = new HaproxyRule("djb2", true);
    Topology before =
        new Topology(
            0,
            rule,
            List.of(Node.of("a"), Node.of("b").withPeer(dev.beltway.topology.Peer.numbered(3))));
    Plan plan = plan(before, Topology.of(rule, List.of("a", "c")));
    assertThat(plan.steps()).isNotEmpty();
    Plan swapped =
        plan(Topology.of(rule, List.of("a", "b", "c")), Topology.of(rule, List.of("c", "a", "b")));
    assertThat(swapped.steps()).singleElement().extracting(Step::node).isEqualTo("");
  }

  @Test
  void anAddressThatIsANameMovesKeysAndThatIsSaid() {
    for (PlacementRule rule :
        List.of(KetamaRule.of(KetamaVariant.TWEMPROXY), NginxRule.DEFAULT, WorkflowRule.DEFAULT)) {
      Topology before =
          new Topology(
              0, rule, List.of(Node.of("a").withAddress("h:1"), Node.of("b").withAddress("h:2")));
      Plan plan = plan(before, before.with(Node.of("b").withAddress("h:3")));
      assertThat(plan.moved().total()).isGreaterThan(0.1);
      assertThat(plan.warnings()).anyMatch(w -> w.contains("b gets another address, and under"));
      Node named = Node.of("b").withAddress("h:3").withPeer(dev.beltway.topology.Peer.named("h:2"));
      Plan kept = plan(before, before.with(named));
      assertThat(kept.moved().total()).isZero();
      assertThat(kept.warnings()).anyMatch(w -> w.contains("no key moves by that"));
    }
  }

  @Test
  void aPlanForThousandsOfSlicesTakesSeconds() {
    Topology before = nodes(SlicesRule.DEFAULT, "n", 4_000);
    org.junit.jupiter.api.Assertions.assertTimeout(
        java.time.Duration.ofSeconds(30), () -> plan(before, before.plus(Node.of("x"))));
  }
}
