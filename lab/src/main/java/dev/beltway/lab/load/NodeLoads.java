package dev.beltway.lab.load;

import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.placement.Placement;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.IntFunction;

/**
 * What the nodes of one topology get of a log.
 *
 * @param topology whose nodes
 * @param nodes in the order of the topology, drained ones included
 * @param expected the load that the topology gives to keys that are spread evenly
 * @param theoreticalCv what theory gives such a ring, see {@link LoadReport#theoreticalCv}
 * @param allKeys all different keys
 * @param requests all requests
 * @param bytes of all values
 */
public record NodeLoads(
    Topology topology,
    List<NodeFigures> nodes,
    LoadReport expected,
    OptionalDouble theoreticalCv,
    Count allKeys,
    long requests,
    long bytes) {

  /** Copies the list. */
  public NodeLoads {
    nodes = List.copyOf(nodes);
  }

  static NodeLoads of(
      Placement placement, IntFunction<Count> keys, Count allKeys, long[] requests, long[] bytes) {
    Map<String, Integer> indexes = new HashMap<>();
    for (int i = 0; i < placement.owners().size(); i++) {
      indexes.put(placement.owners().get(i).id(), i);
    }
    List<NodeFigures> nodes = new ArrayList<>();
    placement
        .topology()
        .nodes()
        .forEach(
            node -> {
              Integer index = indexes.get(node.id());
              nodes.add(
                  index == null
                      ? new NodeFigures(node.id(), Count.exactly(0), 0, 0)
                      : new NodeFigures(
                          node.id(), keys.apply(index), requests[index], bytes[index]));
            });
    long requestSum = 0;
    long byteSum = 0;
    for (int i = 0; i < requests.length; i++) {
      requestSum += requests[i];
      byteSum += bytes[i];
    }
    return new NodeLoads(
        placement.topology(),
        nodes,
        LoadReport.of(placement),
        LoadReport.theoreticalCv(placement.topology()),
        allKeys,
        requestSum,
        byteSum);
  }

  /** By different keys. */
  public LoadReport byKeys() {
    return report(node -> Math.round(node.keys().estimate()));
  }

  /** By requests. */
  public LoadReport byRequests() {
    return report(NodeFigures::requests);
  }

  /** By bytes. */
  public LoadReport byBytes() {
    return report(NodeFigures::bytes);
  }

  private LoadReport report(java.util.function.ToLongFunction<NodeFigures> amount) {
    Map<String, Long> counts = new HashMap<>();
    nodes.forEach(node -> counts.put(node.id(), amount.applyAsLong(node)));
    return LoadReport.ofCounts(topology, counts);
  }

  /** The largest relative error of the nodes' numbers of keys; 0 if they are exact. */
  public double keyError() {
    return nodes.stream().mapToDouble(node -> node.keys().error()).max().orElse(0);
  }

  /** The largest fair share of a node: what the largest machine should carry. */
  public double largestFairShare() {
    return expected.nodes().stream().mapToDouble(NodeLoad::fair).max().orElse(0);
  }
}
