package dev.beltway.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.handover.Participant.Effect;
import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A proxy's part in barriers, and the gate of its keys. */
class ParticipantTest {

  private static final Placement TWO = Placements.of(Topology.ring("a", "b"));
  private static final Placement THREE = Placements.of(Topology.ring("a", "b", "c"));
  private static final ClusterState FIRST = ClusterState.first(1);
  private static final ClusterState PREPARING =
      FIRST.preparing(2, Way.STRAIGHT, new Change("add c", "me", ""), Optional.empty());
  private static final ClusterState FENCING = PREPARING.fencing(Map.of());
  private static final ClusterState MOVING =
      FENCING.moving(
          Map.of("a", new TransferToken(3, 0, "a1"), "b", new TransferToken(3, 0, "b1")));

  private static RoutingState steady(ClusterState state) {
    return RoutingState.steady(state, TWO);
  }

  private static RoutingState between(ClusterState state) {
    return RoutingState.of(state, TWO, THREE);
  }

  private static String moving() {
    for (int i = 0; ; i++) {
      if (between(FENCING).source("key" + i) != null) {
        return "key" + i;
      }
    }
  }

  @Test
  void acknowledgesWhenDrainedAndOnce() {
    Participant participant = new Participant();
    assertThat(participant.learned(steady(FIRST))).hasSize(1);
    assertThat(participant.drained(1)).containsExactly(new Effect.Acknowledge(1));
    assertThat(participant.drained(1)).isEmpty();
    assertThat(participant.learned(between(FENCING))).hasSize(1);
    assertThat(participant.drained(1)).isEmpty();
    assertThat(participant.drained(2)).containsExactly(new Effect.Acknowledge(2));
    assertThat(participant.learned(between(MOVING))).hasSize(1);
  }

  @Test
  void leavesWhereABarrierWasPassedWithoutIt() {
    Participant participant = new Participant();
    participant.learned(steady(FIRST));
    participant.drained(1);
    participant.learned(between(FENCING)); // Never drained.
    assertThat(participant.learned(between(MOVING))).hasOnlyElementsOfType(Effect.Leave.class);
    assertThat(participant.learned(between(MOVING))).isEmpty();
  }

  @Test
  void whoBeginsInABarrierMustAcknowledgeItToo() {
    Participant participant = new Participant();
    participant.learned(between(FENCING));
    assertThat(participant.learned(between(MOVING))).hasOnlyElementsOfType(Effect.Leave.class);
    Participant later = new Participant();
    assertThat(later.learned(between(MOVING))).hasOnlyElementsOfType(Effect.Obey.class);
  }

  @Test
  void staysWhereABarrierWasGivenUp() {
    Participant participant = new Participant();
    participant.learned(steady(FIRST));
    participant.drained(1);
    assertThat(participant.learned(steady(FENCING.unfenced())))
        .hasOnlyElementsOfType(Effect.Obey.class);
  }

  @Test
  void saysWhatItKnowsToAStoreThatKnowsLess() {
    Participant participant = new Participant();
    participant.learned(steady(MOVING.steady(2)));
    participant.drained(4);
    assertThat(participant.learned(steady(FIRST))).containsExactly(new Effect.Acknowledge(4));
  }

  @Test
  void gateHoldsMovesAndRemembers() {
    Gate<String> gate = new Gate<>(steady(FIRST), 10);
    String name = moving();
    byte[] bytes = Latin1.bytes(name);
    assertThat(gate.barred(0, bytes, 0, bytes.length)).isNull();
    gate.obey(between(FENCING));
    Key key = gate.barred(0, bytes, 0, bytes.length);
    assertThat(key).isEqualTo(new Key(0, name));
    assertThat(gate.await(List.of(new Key(0, name)), "me")).isEmpty();
    assertThat(gate.obey(between(MOVING))).containsExactly("me");
    assertThat(gate.await(List.of(new Key(0, name)), "me")).containsExactly(new Key(0, name));
    assertThat(gate.await(List.of(new Key(0, name)), "you")).isEmpty();
    String source = String.valueOf(between(MOVING).source(name));
    TransferToken token = MOVING.tokens().getOrDefault(source, new TransferToken(0, 0, "x"));
    assertThat(gate.transferred(new Key(0, name), token, true)).containsExactly("me", "you");
    assertThat(gate.barred(0, bytes, 0, bytes.length)).isNull();
    // In another database it is another key; and another run of the source ends the memory.
    assertThat(gate.barred(1, bytes, 0, bytes.length)).isNotNull();
    gate.obey(between(MOVING.withToken(source, token.next("other"))));
    assertThat(gate.barred(0, bytes, 0, bytes.length)).isNotNull();
  }

  @Test
  void answersUnderAnotherRunAreNotRemembered() {
    Gate<String> gate = new Gate<>(between(MOVING), 10);
    String name = moving();
    gate.await(List.of(new Key(0, name)), "me");
    assertThat(gate.transferred(new Key(0, name), new TransferToken(3, 0, "older"), true))
        .containsExactly("me");
    byte[] bytes = Latin1.bytes(name);
    assertThat(gate.barred(0, bytes, 0, bytes.length)).isNotNull();
  }

  @Test
  void doubtsEndWithTheirConnectionOrTheirProcess() {
    Doubts doubts = new Doubts();
    doubts.lost("a", "run1", 7);
    doubts.lost("b", "run1", 7);
    assertThat(doubts.toKill("a", "run1")).containsExactly(7L);
    doubts.killed("a", "run2", 7);
    assertThat(doubts.nodes()).containsExactly("a", "b");
    doubts.killed("a", "run1", 7);
    assertThat(doubts.nodes()).containsExactly("b");
    doubts.isNow("b", "run2");
    assertThat(doubts.isClear()).isTrue();
  }

  @Test
  void circlesAreFoundAndTheHalfwayMappingHasNone() {
    assertThat(Flows.between(TWO, THREE).isCircular()).isFalse();
    Placement other =
        Placements.of(
            new Topology(1, new ModuloRule(HashFunctions.CRC16, false), THREE.topology().nodes()));
    assertThat(Flows.between(other, THREE).isCircular()).isTrue();
    Placement halfway = new Halfway(other, THREE);
    Flows all = Flows.between(other, THREE);
    assertThat(all.towards(true).isCircular()).isFalse();
    assertThat(all.towards(false).isCircular()).isFalse();
    for (int i = 0; i < 1_000; i++) {
      String before = other.owner("k" + i).id();
      String after = THREE.owner("k" + i).id();
      String later = before.compareTo(after) > 0 ? before : after;
      assertThat(halfway.owner("k" + i).id()).isEqualTo(later);
    }
  }

  /** Every way leads from the one mapping to the other, and back over the same stops. */
  @Test
  void everyKeyMovesOnceOnEveryWayAndBackOnTheSameOne() {
    RingRule usual = RingRule.DEFAULT;
    RingRule tagged =
        new RingRule(
            usual.hash(), 50, 1, usual.separator(), true, Replication.NONE, usual.maxTokens());
    Placement two = Placements.of(new Topology(1, tagged, TWO.topology().nodes()));
    Placement three = Placements.of(new Topology(1, tagged, THREE.topology().nodes()));
    Placement modulo =
        Placements.of(
            new Topology(1, new ModuloRule(HashFunctions.CRC16, true), THREE.topology().nodes()));
    for (Placement from : List.of(two, modulo)) {
      for (Way way :
          List.of(Way.STRAIGHT, Way.of(true, 0), Way.of(false, 0.1), Way.of(true, 0.1))) {
        assertThat(way.reversed().reversed()).isEqualTo(way);
        int[] moving = new int[way.legs()];
        int all = 0;
        for (int i = 0; i < 3_000; i++) {
          String key = "{k" + i + "}x";
          all += from.owner(key).equals(three.owner(key)) ? 0 : 1;
          int moves = 0;
          for (int stop = 0; stop <= way.legs(); stop++) {
            String owner = way.stop(stop, from, three).owner(key).id();
            assertThat(way.reversed().stop(way.legs() - stop, three, from).owner(key).id())
                .isEqualTo(owner);
            assertThat(way.stop(stop, from, three).owner("{k" + i + "}y").id()).isEqualTo(owner);
            if (stop > 0 && !owner.equals(way.stop(stop - 1, from, three).owner(key).id())) {
              moves++;
              moving[stop - 1]++;
              Flows flows = way.flows(stop - 1, Flows.between(from, three));
              assertThat(flows.of(way.stop(stop - 1, from, three).owner(key).id())).contains(owner);
            }
          }
          assertThat(moves).isEqualTo(from.owner(key).equals(three.owner(key)) ? 0 : 1);
        }
        int canary = 0;
        for (int leg = 0; leg < way.legs(); leg++) {
          canary += way.isCanary(leg) ? moving[leg] : 0;
        }
        assertThat(canary).isBetween(way.hasCanary() ? all / 20 : 0, all / 5);
      }
    }
  }
}
