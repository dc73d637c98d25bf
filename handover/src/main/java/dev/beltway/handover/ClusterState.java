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
 * @param way over which mappings in between it goes
 * @param leg which part of the way it is, from 0
 * @param barrier the version of the last barrier: whoever was there before it and has not
 *     acknowledged it must not go on
 * @param change what is being done; empty in {@link Phase#STEADY}
 * @param runs the run ids of the nodes taking part when targets were searched (rule 6); while
 *     reversing, those of the nodes that gave keys
 * @param tokens by source; only while moving
 * @param pause why nothing goes on by itself; empty if it does
 * @param gradual the steps that follow this one
 */
public record ClusterState(
    long version,
    Phase phase,
    long epoch,
    OptionalLong next,
    Way way,
    int leg,
    long barrier,
    Optional<Change> change,
    Map<String, String> runs,
    Map<String, TransferToken> tokens,
    String pause,
    Optional<Gradual> gradual) {

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
    if (leg < 0 || leg >= way.legs() || leg > 0 && phase == Phase.STEADY) {
      throw new IllegalArgumentException("leg " + leg + " of " + way + " in phase " + phase);
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
    return steady(1, epoch, 0, Optional.empty());
  }

  private static ClusterState steady(
      long version, long epoch, long barrier, Optional<Gradual> gradual) {
    return new ClusterState(
        version,
        Phase.STEADY,
        epoch,
        OptionalLong.empty(),
        Way.STRAIGHT,
        0,
        barrier,
        Optional.empty(),
        Map.of(),
        Map.of(),
        "",
        gradual);
  }

  /** One mapping holds from now on. */
  public ClusterState steady(long newEpoch) {
    return steady(version + 1, newEpoch, barrier, gradual);
  }

  /** The barrier is given up before anything has moved: nobody needs to have acknowledged it. */
  public ClusterState unfenced() {
    return steady(version + 1, epoch, 0, Optional.empty());
  }

  /** A change is wanted. The version stays: nothing changes for proxies. */
  public ClusterState preparing(long to, Way over, Change wanted, Optional<Gradual> following) {
    return prepared(epoch, to, over, 0, version, barrier, wanted, following);
  }

  private static ClusterState prepared(
      long from,
      long to,
      Way over,
      int leg,
      long version,
      long barrier,
      Change wanted,
      Optional<Gradual> following) {
    return new ClusterState(
        version,
        Phase.PREPARING,
        from,
        OptionalLong.of(to),
        over,
        leg,
        barrier,
        Optional.of(wanted),
        Map.of(),
        Map.of(),
        "",
        following);
  }

  /** The change that was wanted is not made. The version stays: nothing has changed for proxies. */
  public ClusterState notPrepared() {
    return steady(version, epoch, barrier, Optional.empty());
  }

  /** The barrier begins. */
  public ClusterState fencing(Map<String, String> searched) {
    return new ClusterState(
        version + 1,
        Phase.FENCING,
        epoch,
        next,
        way,
        leg,
        version + 1,
        change,
        searched,
        Map.of(),
        "",
        gradual);
  }

  /** Keys move. */
  public ClusterState moving(Map<String, TransferToken> opened) {
    return new ClusterState(
        version + 1,
        Phase.MOVING,
        epoch,
        next,
        way,
        leg,
        version,
        change,
        runs,
        opened,
        pause,
        gradual);
  }

  /** Another generation of a token; the version stays. */
  public ClusterState withToken(String source, TransferToken token) {
    Map<String, TransferToken> all = new TreeMap<>(tokens);
    all.put(source, token);
    return with(change, runs, all, pause, gradual);
  }

  private ClusterState with(
      Optional<Change> newChange,
      Map<String, String> newRuns,
      Map<String, TransferToken> newTokens,
      String newPause,
      Optional<Gradual> newGradual) {
    return new ClusterState(
        version,
        phase,
        epoch,
        next,
        way,
        leg,
        barrier,
        newChange,
        newRuns,
        newTokens,
        newPause,
        newGradual);
  }

  /** With other run ids of those that were searched; the version stays. */
  public ClusterState withRuns(Map<String, String> searched) {
    return with(change, searched, tokens, pause, gradual);
  }

  /** Nothing goes on by itself, or again; the version stays. */
  public ClusterState withPause(String reason) {
    return with(change, runs, tokens, reason, gradual);
  }

  /** How the reason begins where somebody wants a pause; else the program asks something. */
  public static final String BY = "wanted by ";

  /** Whether the mover rests because somebody wants it so: what clients need goes on. */
  public boolean isResting() {
    return pause.startsWith(BY);
  }

  /** Keys are to move in another manner; the version stays. */
  public ClusterState withOptions(MoveOptions options) {
    return with(change.map(each -> each.with(options)), runs, tokens, pause, gradual);
  }

  /** Other steps follow, or none; the version stays. */
  public ClusterState withGradual(Optional<Gradual> following) {
    return with(change, runs, tokens, pause, following);
  }

  /** The change is taken back: from what keys moved to, to what they came from, as a new epoch. */
  public ClusterState reversing(long to, Change reversal, Optional<Gradual> following) {
    // Whoever gave keys and is another process by then may have got some back from an old file.
    Map<String, String> gave = new TreeMap<>();
    tokens.forEach((source, token) -> gave.put(source, token.run()));
    return new ClusterState(
        version + 1,
        Phase.REVERSING,
        next.orElseThrow(),
        OptionalLong.of(to),
        way.reversed(),
        way.legs() - 1 - leg,
        version + 1,
        Optional.of(reversal),
        gave,
        Map.of(),
        "",
        following);
  }

  /** One leg is done: the mapping at its end holds, and the next leg is made ready. */
  public ClusterState nextLeg() {
    return prepared(
        epoch,
        next.orElseThrow(),
        way,
        leg + 1,
        version + 1,
        barrier,
        change.orElseThrow(),
        gradual);
  }

  /** Whether a waypoint holds, or keys are leaving one. */
  public boolean isOnTheWay() {
    return leg > 0;
  }

  /** Whether this leg is the last one. */
  public boolean isLastLeg() {
    return leg == way.legs() - 1;
  }

  /** Whether keys are compared at their targets before they leave their source. */
  public boolean isVerified() {
    return way.isCanary(leg) || change.map(each -> each.options().verify()).orElse(false);
  }

  /** The mapping at the waypoint that was reached holds, and from there it goes back. */
  public ClusterState backFromWaypoint(long to, Change reversal, Optional<Gradual> following) {
    return prepared(
        next.orElseThrow(),
        to,
        way.reversed(),
        way.legs() - leg,
        version + 1,
        phase == Phase.FENCING ? 0 : barrier,
        reversal,
        following);
  }
}
