package dev.beltway.plan;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.hash.PeerHashes;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SliceTable;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotTable;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Plans a change: computes everything that can be known about it beforehand. Pure; touches nothing.
 *
 * <p>To take a key log into account, feed {@link #survey()} before {@link #plan}.
 */
public final class Planner {

  /** What is less than this part of the keys isn't worth a word. */
  private static final double NOTABLE = 0.00005;

  private final Topology before;
  private final Topology after;
  private final Placement placementBefore;
  private final Placement placementAfter;

  /**
   * A planner for one change.
   *
   * @throws IllegalArgumentException if one of the topologies owns nothing, or the algorithm can't
   *     make that change
   */
  public Planner(Topology before, Topology after) {
    this.before = requireOwners("before", before);
    this.after = requireOwners("after", after);
    if (before.rule().settings().equals(after.rule().settings())) {
      before.rule().checkChange(before.nodes(), after.nodes());
    }
    this.placementBefore = Placements.of(before);
    this.placementAfter = Placements.of(after, placementBefore);
  }

  private static Topology requireOwners(String which, Topology topology) {
    if (topology.nodes().stream().allMatch(Node::isDrained)) {
      throw new IllegalArgumentException(
          "the topology " + which + " has no node that owns anything");
    }
    return topology;
  }

  /** A new survey of a key log under this change. */
  public KeySurvey survey() {
    return new KeySurvey(placementBefore, placementAfter);
  }

  /**
   * The plan.
   *
   * @param keys a survey that has read a key log, if there is one; without a stated key count the
   *     number of its different keys is taken
   * @param down the node whose failure is asked about
   * @throws IllegalArgumentException if {@code down} is no node of either topology, or a limit on
   *     keys a node can't be judged since the number of keys is unknown
   */
  public Plan plan(
      Sizing stated,
      StepSize stepSize,
      Limits limits,
      Optional<KeySurvey> keys,
      Optional<String> down) {
    OptionalLong counted = keys.map(KeySurvey::keyCount).orElse(OptionalLong.empty());
    Sizing sizing =
        stated.keyCount().isPresent()
            ? stated
            : new Sizing(counted, stated.bytesPerKey(), stated.keysPerSecond());
    // With a key log, the log is what counts: its different keys, or its lines if those are too
    // many.
    Optional<KeySurvey.Tally> tally =
        keys.map(KeySurvey::keysOrRequests).filter(counts -> counts.total() > 0);
    Difference difference = Difference.between(placementBefore, placementAfter);
    List<NodeChange> changes = NodeChange.between(before, after);
    LoadReport loadBefore = LoadReport.of(placementBefore);
    LoadReport loadAfter = LoadReport.of(placementAfter);
    Plan.Movement movement = movement(difference, changes, loadBefore, loadAfter);
    return new Plan(
        before,
        after,
        changes,
        difference,
        loadBefore,
        loadAfter,
        keys,
        movement,
        sizing,
        estimate(sizing, tally, difference),
        Steps.of(before, after, changes, difference, sizing, stepSize),
        down.map(id -> Outage.of(after.node(id).isPresent() ? after : before, id, sizing)),
        verdicts(limits, sizing, movement, loadAfter, tally, keys.isPresent()),
        warnings(changes, movement, sizing, loadAfter));
  }

  /** By the keys of the log where there is one, else by the moved part of the ring. */
  private static Plan.Estimate estimate(
      Sizing sizing, Optional<KeySurvey.Tally> tally, Difference difference) {
    double moved = tally.map(Planner::movedPart).orElse(difference.moved());
    return new Plan.Estimate(sizing.keys(moved), sizing.bytes(moved), sizing.seconds(moved));
  }

  private Plan.Movement movement(
      Difference difference,
      List<NodeChange> changes,
      LoadReport loadBefore,
      LoadReport loadAfter) {
    Set<String> gaining = ids(changes, NodeChange::gains);
    Set<String> losing = ids(changes, NodeChange::loses);
    Set<String> joining = ids(changes, change -> change.kind() == NodeChange.Kind.JOINS);
    Set<String> idsBefore = owning(before);
    Set<String> idsAfter = owning(after);
    double staying = 0;
    double unexplained = 0;
    for (Flow flow : difference.flows()) {
      boolean bothStay = idsAfter.contains(flow.from()) && idsBefore.contains(flow.to());
      staying += bothStay ? flow.share() : 0;
      boolean explained = gaining.contains(flow.to()) || losing.contains(flow.from());
      unexplained += explained ? 0 : flow.share();
    }
    Map<String, NodeLoad> had = loadBefore.byId();
    double least = 0;
    double joiningOwn = 0;
    double joiningFair = 0;
    for (NodeLoad load : loadAfter.nodes()) {
      NodeLoad before = had.get(load.id());
      least += Math.max(0, load.share() - (before == null ? 0 : before.share()));
      if (joining.contains(load.id())) {
        joiningOwn += load.share();
        joiningFair += load.fair();
      }
    }
    return new Plan.Movement(
        difference.moved(),
        staying,
        unexplained,
        least,
        joiningOwn,
        joiningFair,
        ModuloMovement.moved(KeySurvey.moduloList(before), KeySurvey.moduloList(after)));
  }

  private static Set<String> ids(List<NodeChange> changes, Predicate<NodeChange> which) {
    return changes.stream().filter(which).map(NodeChange::id).collect(Collectors.toSet());
  }

  private static Set<String> owning(Topology topology) {
    return topology.nodes().stream()
        .filter(node -> !node.isDrained())
        .map(Node::id)
        .collect(Collectors.toSet());
  }

  private static Set<String> ids(Topology topology) {
    Set<String> ids = new HashSet<>();
    topology.nodes().forEach(node -> ids.add(node.id()));
    return ids;
  }

  private List<Limits.Verdict> verdicts(
      Limits limits,
      Sizing sizing,
      Plan.Movement movement,
      LoadReport loadAfter,
      Optional<KeySurvey.Tally> tally,
      boolean logGiven) {
    Optional<LoadReport> counted = tally.map(counts -> LoadReport.ofCounts(after, counts.after()));
    List<Limits.Verdict> verdicts = new ArrayList<>();
    if (limits.maxMoved().isPresent()) {
      double limit = limits.maxMoved().getAsDouble();
      double moved = tally.map(Planner::movedPart).orElse(0.0);
      verdicts.add(Limits.Verdict.of("max-moved", limit, Math.max(movement.total(), moved), ""));
    }
    if (limits.maxOverMean().isPresent()) {
      NodeLoad fullest = loadAfter.fullest().orElseThrow();
      if (counted.isPresent()) {
        NodeLoad byKeys = counted.get().fullest().orElseThrow();
        fullest = byKeys.overFair() > fullest.overFair() ? byKeys : fullest;
      }
      verdicts.add(
          Limits.Verdict.of(
              "max-over-mean",
              limits.maxOverMean().getAsDouble(),
              fullest.overFair(),
              fullest.id()));
    }
    if (limits.maxKeysPerNode().isPresent()) {
      if (sizing.keyCount().isEmpty()) {
        throw new IllegalArgumentException(
            logGiven
                ? "a limit on keys per node needs the number of keys: the log has too many different"
                    + " ones to count, so state it"
                : "a limit on keys per node needs the number of keys: state it or give a key log");
      }
      NodeLoad largest = mostKeys(loadAfter);
      if (counted.isPresent()) {
        NodeLoad byKeys = mostKeys(counted.get());
        largest = byKeys.share() > largest.share() ? byKeys : largest;
      }
      verdicts.add(
          Limits.Verdict.of(
              "max-keys-per-node",
              (double) limits.maxKeysPerNode().getAsLong(),
              (double) sizing.keys(largest.share()).orElse(0),
              largest.id()));
    }
    return verdicts;
  }

  private static NodeLoad mostKeys(LoadReport load) {
    return load.nodes().stream().max(Comparator.comparingDouble(NodeLoad::share)).orElseThrow();
  }

  private static double movedPart(KeySurvey.Tally tally) {
    return (double) tally.moved() / tally.total();
  }

  private List<String> warnings(
      List<NodeChange> changes, Plan.Movement movement, Sizing sizing, LoadReport loadAfter) {
    List<String> warnings = new ArrayList<>();
    if (before.rule() instanceof ModuloRule || after.rule() instanceof ModuloRule) {
      boolean reordered =
          before.nodes().size() == after.nodes().size()
              && ids(before).equals(ids(after))
              && movement.total() > 0
              && before.rule().equals(after.rule());
      warnings.add(
          reordered
              ? "The nodes are the same in another order; under hash % N that alone moves keys."
              : "Under hash % N the order of the nodes is part of the mapping.");
    }
    boolean onlyTags =
        before.rule().algorithm().equals(after.rule().algorithm())
            && before.rule().partitioner().hash() == after.rule().partitioner().hash()
            && before.rule().partitioner().hashTags() != after.rule().partitioner().hashTags();
    if (onlyTags) {
      warnings.add(
          "Hash tags are turned on or off: keys with a tag move, others don't. The figures are for"
              + " keys with a tag; give --keys to know yours.");
    } else if (!before.rule().algorithm().equals(after.rule().algorithm())
        || !before.rule().partitioner().equals(after.rule().partitioner())) {
      warnings.add(
          "The rule changes (algorithm, hash or hash tags), not just the nodes: nearly every key moves.");
    } else if (before.rule() instanceof RingRule was
        && after.rule() instanceof RingRule is
        && !was.separator().equals(is.separator())) {
      warnings.add("The separator changes, and with it every token: nearly every key moves.");
    } else if (!(before.rule() instanceof RingRule)
        && !before.rule().settings().equals(after.rule().settings())) {
      warnings.add("The settings of the algorithm change, not just the nodes.");
    }
    for (Topology topology : List.of(before, after)) {
      if (topology.rule() instanceof HaproxyRule
          && topology.nodes().stream().anyMatch(node -> node.peer().haproxyId().isEmpty())) {
        warnings.add(
            "HAProxy numbers servers by their place in the list unless haproxyId is stated: removing"
                + " one from the middle renumbers the rest and moves their keys.");
        break;
      }
    }
    if (!after.rule().partitioner().coversRing()) {
      warnings.add(
          PeerHashes.shortName(after.rule().partitioner().hash())
              + " leaves most of the ring empty: one node may get every key. 'beltway lab hash'"
              + " shows it; 'beltway lint' names hashes that don't.");
    }
    if (after.epoch() <= before.epoch() && !before.fingerprint().equals(after.fingerprint())) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "Epoch %d is followed by %d: a change needs a higher one.",
              before.epoch(),
              after.epoch()));
    }
    for (NodeChange change : changes) {
      if (change.addressChanged()) {
        warnings.add(addressChange(change.id()));
      }
    }
    double enough = 0.5;
    if (movement.joiningFair() > 0 && movement.joiningOwn() < enough * movement.joiningFair()) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "Little moves because the joining nodes get little: %.2f %% instead of %.2f %%.",
              movement.joiningOwn() * 100,
              movement.joiningFair() * 100));
    }
    for (NodeLoad load : loadAfter.nodes()) {
      if (load.fair() > 0 && load.share() == 0) {
        warnings.add(load.id() + " owns nothing, though its weight is above 0.");
      }
      overfull(load, sizing).ifPresent(warnings::add);
    }
    historyRemedy(movement).ifPresent(warnings::add);
    return warnings;
  }

  private String addressChange(String id) {
    String was = before.node(id).map(before.rule()::nameOf).orElse(id);
    String is = after.node(id).map(after.rule()::nameOf).orElse(id);
    boolean named = before.rule().algorithm().equals(after.rule().algorithm());
    return was.equals(is) || !named
        ? id + " gets another address: no key moves by that, and the data must be there."
        : id
            + " gets another address, and under "
            + after.rule().algorithm()
            + " that is its name: its keys move. State 'name' to keep them.";
  }

  /** A node that gets more data than its machine has memory. */
  private Optional<String> overfull(NodeLoad load, Sizing sizing) {
    OptionalLong bytes = sizing.bytes(load.share());
    OptionalDouble memory =
        bytes.isEmpty()
            ? OptionalDouble.empty()
            : after
                .node(load.id())
                .map(n -> n.machine().memoryGib())
                .orElse(OptionalDouble.empty());
    double gib = 1 << 30;
    return bytes.isPresent() && memory.isPresent() && bytes.getAsLong() / gib > memory.getAsDouble()
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "%s gets %.2f GiB of data on a machine with %.2f GiB.",
                load.id(),
                bytes.getAsLong() / gib,
                memory.getAsDouble()))
        : Optional.empty();
  }

  /** Slots and slices that are dealt out anew move more than they must. */
  private Optional<String> historyRemedy(Plan.Movement movement) {
    Optional<Topology> better = withFewestMoves();
    if (better.isEmpty() || after.nodes().stream().anyMatch(node -> node.slots().isPresent())) {
      return Optional.empty(); // Stated slots are what was asked for.
    }
    double least = Difference.between(placementBefore, Placements.of(better.get())).moved();
    return least < movement.total() - NOTABLE
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "These %s move %.2f %% of the keys where %.2f %% would do: write the topology with"
                    + " --write FILE and go live with that.",
                after.rule().algorithm(),
                movement.total() * 100,
                least * 100))
        : Optional.empty();
  }

  /**
   * The topology afterwards, with the slots or slices that move the fewest keys stated in it.
   * Slices without a history of the same hash are stated as they are; slots need the same settings
   * before. Empty for algorithms that have no such choice.
   */
  public Optional<Topology> withFewestMoves() {
    if (after.rule() instanceof SlicesRule is) {
      boolean continues =
          before.rule() instanceof SlicesRule
              && is.partitioner().equals(before.rule().partitioner());
      SliceTable history =
          continues
              ? ((SlicesRule) before.rule()).tableFor(before.nodes())
              : is.tableFor(after.nodes());
      return Optional.of(
          new Topology(after.epoch(), is.continuing(history, after.nodes()), after.nodes()));
    }
    if (before.rule() instanceof SlotsRule && before.rule().equals(after.rule())) {
      SlotTable table = before.slotTable().orElseThrow().changedTo(after.nodes());
      return Optional.of(new Topology(after.epoch(), after.rule(), table.stated()));
    }
    return Optional.empty();
  }
}
