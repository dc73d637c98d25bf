package dev.beltway.balance;

import dev.beltway.balance.Finding.Severity;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.Address;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.Machine;
import dev.beltway.topology.MachineWeights;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.Weight;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Checks a topology against the mistakes that people are known to make. */
public final class Lint {

  /** A topology with its placement and load, which most rules look at. */
  private record Subject(Topology topology, Placement placement, LoadReport load) {

    Optional<RingRule> ring() {
      return topology.rule() instanceof RingRule ring ? Optional.of(ring) : Optional.empty();
    }

    List<Node> active() {
      return topology.nodes().stream().filter(node -> !node.isDrained()).toList();
    }
  }

  private static final List<Function<Subject, List<Finding>>> RULES =
      List.of(
          Lint::nothingOwned,
          Lint::oneNode,
          Lint::oneToken,
          Lint::tooFewVnodes,
          Lint::weakHash,
          Lint::starvingHash,
          Lint::tokenCollisions,
          Lint::manyTokens,
          Lint::modulo,
          Lint::haproxyPositions,
          Lint::sliceTable,
          Lint::addressAsIdentity,
          Lint::sharedAddress,
          Lint::unequalMachines,
          Lint::shareOff,
          Lint::ownsNothing,
          Lint::noBound,
          Lint::replicas,
          Lint::domains,
          Lint::drained,
          Lint::reducibleCounts);

  private static final double BAD_CV = 0.20;
  private static final double HIGH_CV = 0.10;
  private static final double NOTABLE_SHARE_ERROR = 0.25;
  private static final double COLLISION_ALARM = 0.001;
  private static final double MACHINE_TOLERANCE = 0.25;

  private Lint() {}

  /** All findings, in the order of the rules, which is from the gravest kind of mistake on. */
  public static List<Finding> check(Topology topology) {
    boolean empty = topology.nodes().stream().allMatch(Node::isDrained);
    Placement placement = Placements.of(topology);
    LoadReport load = empty ? new LoadReport(List.of(), true) : LoadReport.of(placement);
    Subject subject = new Subject(topology, placement, load);
    List<Finding> findings = new ArrayList<>();
    for (Function<Subject, List<Finding>> rule : RULES) {
      findings.addAll(rule.apply(subject));
    }
    return findings;
  }

  private static List<Finding> error(String rule, String reason, String remedy) {
    return List.of(new Finding(rule, Severity.ERROR, reason, remedy));
  }

  private static List<Finding> warning(String rule, String reason, String remedy) {
    return List.of(new Finding(rule, Severity.WARNING, reason, remedy));
  }

  private static List<Finding> note(String rule, String reason, String remedy) {
    return List.of(new Finding(rule, Severity.NOTE, reason, remedy));
  }

  private static String percent(double fraction) {
    return String.format(Locale.ROOT, "%.1f %%", fraction * 100);
  }

  private static List<Finding> nothingOwned(Subject subject) {
    return subject.active().isEmpty()
        ? error(
            "nothing-owned",
            "No node owns anything: the topology is empty or all of it is drained.",
            "Give at least one node a weight above 0.")
        : List.of();
  }

  private static List<Finding> oneNode(Subject subject) {
    return subject.active().size() == 1
        ? note(
            "one-node",
            "Node "
                + subject.active().get(0).id()
                + " owns every key; nothing is left if it fails.",
            "Add a second node before you depend on this one.")
        : List.of();
  }

  private static List<Finding> oneToken(Subject subject) {
    RingRule ring = subject.ring().orElse(null);
    if (ring == null || subject.active().size() < 2) {
      return List.of();
    }
    List<String> single =
        subject.active().stream().filter(n -> ring.vnodesOf(n) == 1).map(Node::id).toList();
    if (single.isEmpty()) {
      return List.of();
    }
    if (single.size() < subject.active().size()) {
      return warning(
          "one-token",
          String.format(
              Locale.ROOT,
              "%s on the ring with one token: the share of such a node is pure chance.",
              few(single)),
          "Give it 10 tokens or more, and scale the others up with it.");
    }
    return error(
        "one-token",
        String.format(
            Locale.ROOT,
            "Each node has one token, so shares are pure chance: the fullest node here carries"
                + " %.2f times its fair share, and a node that joins may get next to nothing.",
            subject.load.maxOverMean()),
        "Set vnodes to 100 or more.");
  }

  private static List<Finding> tooFewVnodes(Subject subject) {
    RingRule ring = subject.ring().orElse(null);
    int nodes = subject.active().size();
    if (ring == null || nodes < 2) {
      return List.of();
    }
    double cv = LoadReport.theoreticalCv(subject.topology).orElse(0);
    boolean allSingle = subject.active().stream().allMatch(n -> ring.vnodesOf(n) == 1);
    if (cv <= HIGH_CV || allSingle) {
      return List.of();
    }
    String reason =
        String.format(
            Locale.ROOT,
            "Theory gives these token counts a deviation of %s around the fair share (the fullest"
                + " node here carries %.2f times its own).",
            percent(cv),
            subject.load.maxOverMean());
    String remedy =
        String.format(
            Locale.ROOT,
            "%d vnodes a node bring the deviation to %s.",
            Theory.vnodesFor(nodes, HIGH_CV * 0.8),
            percent(HIGH_CV * 0.8));
    return List.of(
        new Finding("few-vnodes", cv > BAD_CV ? Severity.ERROR : Severity.WARNING, reason, remedy));
  }

  private static List<Finding> weakHash(Subject subject) {
    RingRule ring = subject.ring().orElse(null);
    if (ring == null || !HashFunctions.isWeak(ring.hash())) {
      return List.of();
    }
    double expected = LoadReport.theoreticalCv(subject.topology).orElse(0);
    return error(
        "weak-hash",
        String.format(
            Locale.ROOT,
            "%s clumps tokens: the deviation here is %s where theory gives these token counts %s."
                + " More vnodes don't repair it.",
            ring.hash(),
            percent(subject.load.cv()),
            percent(expected)),
        "Use xxh3_64; where FNV-1a is a must, fnv1a_64_splitmix64 or fnv1a_32_fmix32. This moves"
            + " nearly every key once: plan it as a hand-over.");
  }

  private static List<Finding> tokenCollisions(Subject subject) {
    if (subject.ring().isEmpty() || !(subject.placement instanceof RangedPlacement ranged)) {
      return List.of();
    }
    int collisions = ranged.tokenMap().collisions();
    double part = collisions / (double) Math.max(1, ranged.tokenMap().size());
    return part > COLLISION_ALARM
        ? warning(
            "token-collisions",
            String.format(
                Locale.ROOT,
                "%d of %d tokens equal another one and own nothing.",
                collisions,
                ranged.tokenMap().size()),
            "Use a 64-bit hash.")
        : List.of();
  }

  private static List<Finding> manyTokens(Subject subject) {
    long tokens = subject.topology.tokens();
    if (subject.ring().isEmpty() || tokens < Topology.MANY_TOKENS) {
      return List.of();
    }
    long bytes = ((RangedPlacement) subject.placement).tokenMap().bytes();
    MachineWeights.UsualVnodes usual =
        MachineWeights.UsualVnodes.forNodes(Math.max(1, subject.active().size()));
    return warning(
        "many-tokens",
        String.format(
            Locale.ROOT,
            "%,d tokens take %.1f MB in every process that routes, and every change rebuilds them.",
            tokens,
            bytes / 1e6),
        String.format(
            Locale.ROOT,
            "For %d nodes %d to %d vnodes are usual.",
            subject.active().size(),
            usual.low(),
            usual.high()));
  }

  private static List<Finding> modulo(Subject subject) {
    int nodes = subject.topology.nodes().size();
    return subject.topology.rule() instanceof ModuloRule
        ? warning(
            "modulo",
            String.format(
                Locale.ROOT,
                "hash %% N moves %s of all keys when one node joins, and the order of the list is"
                    + " part of the mapping.",
                percent(1 - 1.0 / (nodes + 1))),
            "Move to algorithm ring; 'beltway plan' shows what that moves.")
        : List.of();
  }

  private static List<Finding> addressAsIdentity(Subject subject) {
    List<String> ids =
        subject.topology.nodes().stream()
            .map(Node::id)
            .filter(id -> Address.isAddress(id) || id.matches("\\d{1,3}(\\.\\d{1,3}){3}"))
            .toList();
    return ids.isEmpty()
        ? List.of()
        : warning(
            "address-as-id",
            few(ids) + " named by address: when the machine is replaced, its keys move.",
            "Name nodes by role (cache-1) and keep the address in 'address', where it may change."
                + " On a running cluster keep the old names: renaming moves their keys.");
  }

  private static List<Finding> sharedAddress(Subject subject) {
    Map<String, String> byAddress = new HashMap<>();
    List<Finding> findings = new ArrayList<>();
    for (Node node : subject.topology.nodes()) {
      node.address()
          .ifPresent(
              address -> {
                String other = byAddress.putIfAbsent(address, node.id());
                if (other != null) {
                  findings.addAll(
                      error(
                          "shared-address",
                          other + " and " + node.id() + " have the same address, " + address + ".",
                          "Give each node an address of its own, or remove one."));
                }
              });
    }
    return findings;
  }

  private static List<Finding> unequalMachines(Subject subject) {
    List<Node> active = subject.active();
    List<Machine> machines = active.stream().map(Node::machine).toList();
    if (active.size() < 2 || machines.stream().anyMatch(m -> m.memoryGib().isEmpty())) {
      return List.of();
    }
    boolean coresKnown = machines.stream().allMatch(m -> m.cores().isPresent());
    List<Weight> wanted =
        coresKnown
            ? MachineWeights.byScarcestResource(machines)
            : MachineWeights.byMemory(machines);
    double sum = wanted.stream().mapToDouble(Weight::value).sum();
    Map<String, Double> fair = subject.topology.fairShares();
    List<String> off = new ArrayList<>();
    for (int i = 0; i < active.size(); i++) {
      double byMachine = wanted.get(i).value() / sum;
      double stated = fair.getOrDefault(active.get(i).id(), 0.0);
      if (Math.abs(stated / byMachine - 1) > MACHINE_TOLERANCE) {
        off.add(
            String.format(
                Locale.ROOT,
                "%s has a weight for %s of the load on %s of the capacity",
                active.get(i).id(),
                percent(stated),
                percent(byMachine)));
      }
    }
    if (off.isEmpty()) {
      return List.of();
    }
    StringBuilder weights = new StringBuilder();
    for (int i = 0; i < active.size() && i < 8; i++) {
      weights.append(weights.isEmpty() ? "" : ", ").append(active.get(i).id());
      weights.append(String.format(Locale.ROOT, " %.3g", wanted.get(i).value()));
    }
    return warning(
        "unequal-machines",
        String.join("; ", off.subList(0, Math.min(4, off.size())))
            + (off.size() > 4 ? "; and " + (off.size() - 4) + " more." : "."),
        "By "
            + (coresKnown ? "the scarcest resource" : "memory")
            + " the weights would be "
            + weights
            + ".");
  }

  private static List<Finding> shareOff(Subject subject) {
    if (subject.ring().filter(ring -> HashFunctions.isWeak(ring.hash())).isPresent()) {
      return List.of(); // The hash is to blame, which another rule says.
    }
    if (!subject.topology.rule().partitioner().coversRing()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    for (NodeLoad node : subject.load.nodes()) {
      if (node.fair() == 0 || Math.abs(node.overFair() - 1) <= NOTABLE_SHARE_ERROR) {
        continue;
      }
      if (node.share() == 0) {
        continue; // Another rule's matter.
      }
      int floor = raisedTo(subject, node.id());
      findings.addAll(
          warning(
              floor > 0 ? "raised-by-floor" : "share-off",
              String.format(
                  Locale.ROOT,
                  "%s owns %s of the ring; its weight gives it %s%s.",
                  node.id(),
                  percent(node.share()),
                  percent(node.fair()),
                  floor > 0 ? ", but minVnodes raises it to " + floor + " tokens" : ""),
              floor > 0
                  ? "Raise vnodes so that the smallest weight needs no floor, or lower minVnodes."
                  : subject.ring().isPresent()
                      ? "More vnodes bring shares closer to weights."
                      : "That is how "
                          + subject.topology.rule().algorithm()
                          + " maps; algorithm slices gives each node its share exactly."));
    }
    return findings.size() <= 5 ? findings : findings.subList(0, 5);
  }

  /** The floor that raises a node's tokens above what its weight gives; 0 if none does. */
  private static int raisedTo(Subject subject, String id) {
    RingRule ring = subject.ring().orElse(null);
    Node node = subject.topology.node(id).orElse(null);
    return ring != null
            && node != null
            && node.vnodes().isEmpty()
            && ring.vnodes() * node.weight().value() + 0.5 < ring.minVnodes()
        ? ring.minVnodes()
        : 0;
  }

  private static List<Finding> ownsNothing(Subject subject) {
    List<String> ids =
        subject.load.nodes().stream()
            .filter(node -> node.fair() > 0 && node.share() == 0)
            .map(NodeLoad::id)
            .toList();
    return ids.isEmpty()
        ? List.of()
        : error(
            "owns-nothing",
            few(ids) + " with a weight above 0 and yet without any share.",
            subject.topology.rule() instanceof SlotsRule
                ? "State slots for it, or leave the 'slots' lines out of all nodes."
                : subject.ring().isPresent()
                    ? "Raise its weight or its vnodes."
                    : "Raise its weight, or remove it.");
  }

  private static List<Finding> noBound(Subject subject) {
    if (subject.ring().isEmpty() || subject.active().size() < 2) {
      return List.of();
    }
    return note(
        "no-load-bound",
        String.format(
            Locale.ROOT,
            "Nothing bounds a node's load: by the ring the fullest carries %.2f times its fair"
                + " share, and hot keys come on top.",
            subject.load.maxOverMean()),
        "Let CI run 'beltway plan' with --max-over-mean, and check a real key log with --keys.");
  }

  private static List<Finding> replicas(Subject subject) {
    int replicas = subject.topology.rule().replication().replicas();
    return replicas > subject.active().size() && !subject.active().isEmpty()
        ? error(
            "more-replicas-than-nodes",
            replicas + " replicas on " + subject.active().size() + " nodes: lists stay shorter.",
            "Lower replicas or add nodes.")
        : List.of();
  }

  private static List<Finding> domains(Subject subject) {
    Replication replication = subject.topology.rule().replication();
    Set<String> zones = new HashSet<>();
    Set<String> hosts = new HashSet<>();
    List<String> without = new ArrayList<>();
    for (Node node : subject.active()) {
      node.zone().ifPresentOrElse(zones::add, () -> without.add(node.id()));
      hosts.add(FailureDomain.HOST.of(node));
    }
    List<Finding> findings = new ArrayList<>();
    if (!zones.isEmpty() && !without.isEmpty()) {
      findings.addAll(
          warning(
              "zone-missing",
              few(without) + " without a zone among nodes that have one.",
              "State a zone for every node or for none."));
    }
    int replicas = replication.replicas();
    if (replicas < 2) {
      return findings;
    }
    if (replication.domain() == FailureDomain.ZONE && !zones.isEmpty() && zones.size() < replicas) {
      findings.addAll(tooFew("fewer-zones-than-replicas", "zone", replicas, zones.size()));
    }
    if (replication.domain() == FailureDomain.HOST && hosts.size() < replicas) {
      findings.addAll(tooFew("fewer-hosts-than-replicas", "host", replicas, hosts.size()));
    }
    boolean apart =
        replication.domain() == FailureDomain.HOST
            || replication.domain() == FailureDomain.ZONE && without.isEmpty();
    if (!apart && hosts.size() < subject.active().size()) {
      findings.addAll(
          warning(
              "replicas-on-one-host",
              String.format(
                  Locale.ROOT,
                  "%d nodes run on %d hosts: two copies of a key can be on one machine.",
                  subject.active().size(),
                  hosts.size()),
              "Set failureDomain to host, or state zones that no machine is in twice."));
    }
    return findings;
  }

  private static List<Finding> tooFew(String rule, String domain, int replicas, int count) {
    return error(
        rule,
        String.format(
            Locale.ROOT,
            "%d replicas over %d %s%s: two copies share a %s and fail together.",
            replicas,
            count,
            domain,
            count == 1 ? "" : "s",
            domain),
        "Spread the nodes over " + replicas + " " + domain + "s or lower replicas.");
  }

  private static List<Finding> starvingHash(Subject subject) {
    if (subject.topology.rule().partitioner().coversRing()) {
      return List.of();
    }
    String hash = PeerHashes.shortName(subject.topology.rule().partitioner().hash());
    NodeLoad fullest = subject.load.fullest().orElse(new NodeLoad("?", 1, 0));
    return error(
        "starving-hash",
        String.format(
            Locale.ROOT,
            "%s keeps 15 bits of 32, so all keys lie in a sliver of the ring: %s gets %s of them.",
            hash,
            fullest.id(),
            percent(fullest.share())),
        "Choose murmur or md5"
            + (hash.equals("crc32") ? ", or crc32a, the whole CRC" : "")
            + ". This moves nearly every key once: plan it.");
  }

  private static List<Finding> haproxyPositions(Subject subject) {
    List<String> ids =
        subject.topology.nodes().stream()
            .filter(node -> node.peer().haproxyId().isEmpty())
            .map(Node::id)
            .toList();
    return subject.topology.rule() instanceof HaproxyRule && !ids.isEmpty()
        ? warning(
            "haproxy-positions",
            few(ids) + " numbered by place in the list: removing one renumbers those behind it.",
            "State haproxyId for every node, as HAProxy's own 'id' does.")
        : List.of();
  }

  private static List<Finding> sliceTable(Subject subject) {
    return subject.topology.rule() instanceof SlicesRule slices
            && slices.table().isEmpty()
            && !subject.active().isEmpty()
        ? warning(
            "no-slice-table",
            "The table of slices isn't in the file: each change of nodes would cut the ring anew and"
                + " move far more than it must.",
            "Write the file with its table: 'beltway plan --before FILE --after FILE --write NEW'.")
        : List.of();
  }

  private static List<Finding> drained(Subject subject) {
    List<String> ids =
        subject.topology.nodes().stream().filter(Node::isDrained).map(Node::id).toList();
    return ids.isEmpty() || ids.size() == subject.topology.nodes().size()
        ? List.of()
        : note(
            "drained",
            few(ids) + " drained: listed, but owning nothing.",
            "Remove it once it is empty.");
  }

  private static List<Finding> reducibleCounts(Subject subject) {
    List<Integer> counts =
        subject.active().stream()
            .filter(node -> node.vnodes().isPresent())
            .map(node -> node.vnodes().getAsInt())
            .toList();
    if (subject.ring().isEmpty()
        || counts.size() < subject.active().size()
        || counts.size() < 2
        || subject.topology.tokens() < Topology.MANY_TOKENS) {
      return List.of();
    }
    List<Integer> reduced = MachineWeights.reducedByGcd(counts);
    int divisor = counts.get(0) / reduced.get(0);
    return divisor < 2
        ? List.of()
        : note(
            "reducible-counts",
            "All counts of vnodes share the divisor " + divisor + ".",
            "A new cluster may divide them by "
                + divisor
                + " for fewer tokens; on a running one that would move keys.");
  }

  private static String few(List<String> ids) {
    int shown = Math.min(5, ids.size());
    String names = String.join(", ", ids.subList(0, shown));
    String more = ids.size() > shown ? " and " + (ids.size() - shown) + " more" : "";
    return names + more + (ids.size() == 1 ? " is" : " are");
  }
}
