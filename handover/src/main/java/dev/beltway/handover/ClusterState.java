package dev.beltway.handover;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What is stored about a cluster, and changed by compare-and-set alone (rule 1).
 *
 * @param version grows by one with each change of phase; acknowledgements and tokens name it
 * @param phase where it is
 * @param epoch the topology that holds; between two, the one that keys leave
 * @param next the topology that keys move to; empty in {@link Phase#STEADY}
 * @param leg 0 if keys go straight from one mapping to the other; where they would go in a circle,
 *     1 on the way to the {@link Halfway} mapping and 2 on the way on
 * @param barrier the version of the last barrier: whoever was there before it and has not
 *     acknowledged it must not go on
 * @param change what is being done; empty in {@link Phase#STEADY}
 * @param runs the run ids of the nodes taking part when targets were searched (rule 6); while
 *     reversing, those of the nodes that gave keys
 * @param tokens by source; only while moving
 * @param pause why nothing goes on by itself; empty if it does
 */
public record ClusterState(
    long version,
    Phase phase,
    long epoch,
    OptionalLong next,
    int leg,
    long barrier,
    Optional<Change> change,
    Map<String, String> runs,
    Map<String, TransferToken> tokens,
    String pause) {

  /** Checks that the parts fit together. */
  public ClusterState {
    runs = Map.copyOf(runs);
    tokens = Map.copyOf(tokens);
    if (version < 1) {
      throw new IllegalArgumentException("version " + version + " is below 1");
    }
    if (next.isPresent() == (phase == Phase.STEADY)) {
      throw new IllegalArgumentException("phase " + phase + " with next epoch " + next);
    }
    if (leg < 0 || leg > 2 || leg > 0 && phase == Phase.STEADY) {
      throw new IllegalArgumentException("leg " + leg + " in phase " + phase);
    }
    if (!tokens.isEmpty() && phase != Phase.MOVING) {
      throw new IllegalArgumentException("tokens in phase " + phase);
    }
    if (barrier > version) {
      throw new IllegalArgumentException("barrier " + barrier + " is after version " + version);
    }
  }

  /** The first one. */
  public static ClusterState first(long epoch) {
    return new ClusterState(
        1,
        Phase.STEADY,
        epoch,
        OptionalLong.empty(),
        0,
        0,
        Optional.empty(),
        Map.of(),
        Map.of(),
        "");
  }

  /** One mapping holds from now on. */
  public ClusterState steady(long newEpoch) {
    return new ClusterState(
        version + 1,
        Phase.STEADY,
        newEpoch,
        OptionalLong.empty(),
        0,
        barrier,
        Optional.empty(),
        Map.of(),
        Map.of(),
        "");
  }

  /** The barrier is given up before anything has moved: nobody needs to have acknowledged it. */
  public ClusterState unfenced() {
    return new ClusterState(
        version + 1,
        Phase.STEADY,
        epoch,
        OptionalLong.empty(),
        0,
        0,
        Optional.empty(),
        Map.of(),
        Map.of(),
        "");
  }

  /** A change is wanted. The version stays: nothing changes for proxies. */
  public ClusterState preparing(long to, boolean circular, Change wanted) {
    return new ClusterState(
        version,
        Phase.PREPARING,
        epoch,
        OptionalLong.of(to),
        circular ? 1 : 0,
        barrier,
        Optional.of(wanted),
        Map.of(),
        Map.of(),
        "");
  }

  /** The change that was wanted is not made. The version stays: nothing has changed for proxies. */
  public ClusterState notPrepared() {
    return new ClusterState(
        version,
        Phase.STEADY,
        epoch,
        OptionalLong.empty(),
        0,
        barrier,
        Optional.empty(),
        Map.of(),
        Map.of(),
        "");
  }

  /** The barrier begins. */
  public ClusterState fencing(Map<String, String> searched) {
    return new ClusterState(
        version + 1, Phase.FENCING, epoch, next, leg, version + 1, change, searched, Map.of(), "");
  }

  /** Keys move. */
  public ClusterState moving(Map<String, TransferToken> opened) {
    return new ClusterState(
        version + 1, Phase.MOVING, epoch, next, leg, version, change, runs, opened, "");
  }

  /** Another generation of a token; the version stays. */
  public ClusterState withToken(String source, TransferToken token) {
    Map<String, TransferToken> all = new TreeMap<>(tokens);
    all.put(source, token);
    return new ClusterState(version, phase, epoch, next, leg, barrier, change, runs, all, pause);
  }

  /** With other run ids of those that were searched; the version stays. */
  public ClusterState withRuns(Map<String, String> searched) {
    return new ClusterState(
        version, phase, epoch, next, leg, barrier, change, searched, tokens, pause);
  }

  /** Nothing goes on by itself, or again; the version stays. */
  public ClusterState withPause(String reason) {
    return new ClusterState(
        version, phase, epoch, next, leg, barrier, change, runs, tokens, reason);
  }

  /** The change is taken back: from what keys moved to, to what they came from, as a new epoch. */
  public ClusterState reversing(long to, Change reversal) {
    // Whoever gave keys and is another process by then may have got some back from an old file.
    Map<String, String> gave = new TreeMap<>();
    tokens.forEach((source, token) -> gave.put(source, token.run()));
    return new ClusterState(
        version + 1,
        Phase.REVERSING,
        next.orElseThrow(),
        OptionalLong.of(to),
        leg == 0 ? 0 : 3 - leg,
        version + 1,
        Optional.of(reversal),
        gave,
        Map.of(),
        "");
  }

  /** The first leg is done: the halfway mapping holds, and the second leg is made ready. */
  public ClusterState secondLeg() {
    return new ClusterState(
        version + 1, Phase.PREPARING, epoch, next, 2, barrier, change, Map.of(), Map.of(), "");
  }

  /** The halfway mapping holds, and from there it goes back to where it came from. */
  public ClusterState backFromHalfway(long to, Change reversal) {
    return new ClusterState(
        version + 1,
        Phase.PREPARING,
        next.orElseThrow(),
        OptionalLong.of(to),
        2,
        phase == Phase.FENCING ? 0 : barrier,
        Optional.of(reversal),
        Map.of(),
        Map.of(),
        "");
  }
}
