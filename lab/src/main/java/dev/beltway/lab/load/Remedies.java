package dev.beltway.lab.load;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Replicas;
import dev.beltway.token.HashTag;
import dev.beltway.topology.Node;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes what could be done about hot keys: their requests are taken off their owners and put
 * where they would go. What a key has for sure is counted, its lower bound; the nodes' own requests
 * are exact.
 */
public final class Remedies {

  /** The most parts that a key is cut into. */
  public static final int MOST_PARTS = 10_000;

  private final Placement placement;
  private final NodeLoads loads;
  private final HotList hottest;

  /** The remedies for the hottest keys of a log. */
  public Remedies(Placement placement, LoadFindings findings) {
    this.placement = placement;
    this.loads = findings.loads();
    this.hottest = findings.hottest();
  }

  /** The load as it would be if nobody asked for the hottest key. */
  public LoadReport withoutHottest() {
    Map<String, Double> nodes = requests();
    hottest.first(1).keys().forEach(hot -> add(nodes, hot.owner(), -hot.amount().lower()));
    return report(nodes);
  }

  /**
   * The hottest {@code keys} keys cut into parts.
   *
   * @param parts 1 to {@link #MOST_PARTS}
   */
  public Remedy salt(int parts, int keys) {
    if (parts < 1 || parts > MOST_PARTS) {
      throw new IllegalArgumentException("parts " + parts + " is outside 1 to " + MOST_PARTS);
    }
    Map<String, Double> nodes = requests();
    for (HotKey hot : hottest.first(keys).keys()) {
      take(nodes, hot);
      byte[] key = hot.key().bytes();
      for (int part = 0; part < parts; part++) {
        add(nodes, placement.owner(salted(key, part)).id(), perCopy(hot, parts));
      }
    }
    return remedy(Remedy.Kind.SALT, parts, keys, nodes);
  }

  /**
   * The hottest {@code keys} keys on several nodes; empty if the algorithm has no order of nodes.
   *
   * @param replicas 1 or more; more than there are nodes are as many as there are
   */
  public Optional<Remedy> replicate(int replicas, int keys) {
    if (!(placement instanceof OrderedPlacement ordered)) {
      return Optional.empty();
    }
    int several = Math.min(replicas, placement.owners().size());
    Replicas lists =
        Replicas.of(ordered, several, placement.topology().rule().replication().domain());
    Map<String, Double> nodes = requests();
    for (HotKey hot : hottest.first(keys).keys()) {
      take(nodes, hot);
      byte[] key = hot.key().bytes();
      List<Node> list = lists.list(placement.partitioner().position(key));
      list.forEach(node -> add(nodes, node.id(), perCopy(hot, list.size())));
    }
    return Optional.of(remedy(Remedy.Kind.REPLICAS, several, keys, nodes));
  }

  /** The hottest {@code keys} keys read near the clients, at best without a miss. */
  public Remedy nearCache(int keys) {
    Map<String, Double> nodes = requests();
    for (HotKey hot : hottest.first(keys).keys()) {
      add(nodes, hot.owner(), -hot.amount().lower() * hot.reads());
    }
    return remedy(Remedy.Kind.NEAR_CACHE, hottest.first(keys).keys().size(), keys, nodes);
  }

  /** Reads are shared out, each write goes to all. */
  private static double perCopy(HotKey hot, int copies) {
    double all = hot.amount().lower();
    return all * hot.reads() / copies + all * (1 - hot.reads());
  }

  /** The name of a part; where the topology has hash tags the mark stands inside the tag. */
  private byte[] salted(byte[] key, int part) {
    byte[] mark = ("#" + part).getBytes(StandardCharsets.US_ASCII);
    int end = key.length;
    if (placement.partitioner().hashTags()) {
      end = HashTag.end(HashTag.bounds(key, 0, key.length));
    }
    byte[] salted = new byte[key.length + mark.length];
    System.arraycopy(key, 0, salted, 0, end);
    System.arraycopy(mark, 0, salted, end, mark.length);
    System.arraycopy(key, end, salted, end + mark.length, key.length - end);
    return salted;
  }

  private Map<String, Double> requests() {
    Map<String, Double> nodes = new HashMap<>();
    loads.nodes().forEach(node -> nodes.put(node.id(), (double) node.requests()));
    return nodes;
  }

  private static void take(Map<String, Double> nodes, HotKey hot) {
    add(nodes, hot.owner(), -hot.amount().lower());
  }

  private static void add(Map<String, Double> nodes, String id, double requests) {
    nodes.merge(id, requests, Double::sum);
  }

  private Remedy remedy(Remedy.Kind kind, int amount, int keys, Map<String, Double> nodes) {
    double total = nodes.values().stream().mapToDouble(Double::doubleValue).sum();
    return new Remedy(
        kind, amount, hottest.first(keys).keys().size(), report(nodes), total, loads.requests());
  }

  /** Over the requests as they are now, so that the figures of all remedies can be compared. */
  private LoadReport report(Map<String, Double> nodes) {
    Map<String, Double> fair = loads.topology().fairShares();
    double all = Math.max(1, loads.requests());
    return new LoadReport(
        loads.topology().nodes().stream()
            .map(
                node ->
                    new NodeLoad(
                        node.id(),
                        fair.getOrDefault(node.id(), 0.0),
                        Math.max(0, nodes.getOrDefault(node.id(), 0.0)) / all))
            .toList(),
        false);
  }
}
