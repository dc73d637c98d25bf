package dev.beltway.proxy;

import dev.beltway.balance.NodeLoad;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.Phase;
import dev.beltway.telemetry.ProxyReading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds up what the workers have counted. Each copies its own counts, in its own thread. */
final class Reading {

  private static final double NANOS = 1e9;
  private static final List<Double> BOUNDS = new ArrayList<>();

  static {
    for (long bound : Traffic.BOUNDS) {
      BOUNDS.add(bound / NANOS);
    }
  }

  private final Map<String, ProxyReading.Command> commands = new TreeMap<>();
  private final Map<String, ProxyReading.Node> nodes = new LinkedHashMap<>();
  private final Traffic total = new Traffic();
  private final Proxy proxy;

  private Reading(Proxy proxy) {
    this.proxy = proxy;
  }

  /** A copy of one worker's counts. */
  record Copy(Traffic traffic, Map<String, OfNode> nodes, MovingKeys.@Nullable Counts moving) {

    /** A copy of a worker's counts of a node. */
    record OfNode(Traffic.OfNode traffic, int waiting, int connections) {}

    static Copy of(Worker worker) {
      Map<String, OfNode> nodes = new LinkedHashMap<>();
      for (NodeLink link : worker.view().links()) {
        nodes.put(
            link.id(), new OfNode(link.traffic.copy(), link.waiting(), link.connections().size()));
      }
      MovingKeys moving = worker.movingKeys();
      return new Copy(worker.traffic().copy(), nodes, moving == null ? null : moving.counts());
    }
  }

  static ProxyReading of(Proxy proxy, List<Copy> copies) {
    return new Reading(proxy).sum(copies);
  }

  private ProxyReading sum(List<Copy> copies) {
    copies.forEach(copy -> total.add(copy.traffic()));
    for (int i = 0; i < total.requests.length; i++) {
      if (total.requests[i] > 0 || total.errors[i] > 0) {
        commands.put(
            Traffic.names().get(i), new ProxyReading.Command(total.requests[i], total.errors[i]));
      }
    }
    Routing routing = proxy.routing();
    routing.nodes().forEach(node -> nodes.put(node.id(), node(node.id(), copies)));
    return new ProxyReading(
        commands,
        nodes,
        proxy.sessions(),
        total.connectionsAccepted,
        proxy.refused(),
        total.evicted,
        total.protocolErrors,
        total.bytesIn,
        total.bytesOut,
        total.slow,
        proxy.faults(),
        proxy.bufferBytes(),
        routing.topology().epoch(),
        Long.parseUnsignedLong(routing.fingerprint().hex().substring(0, 13), 16),
        proxy.routedAround(),
        proxy.isDirty(),
        handover(copies));
  }

  private ProxyReading.Handover handover(List<Copy> copies) {
    long[] sum = new long[6];
    ClusterState state = null;
    for (Copy copy : copies) {
      MovingKeys.Counts counts = copy.moving();
      if (counts != null) {
        state = counts.state();
        sum[0] += counts.waiting();
        sum[1] += counts.held();
        sum[2] += counts.heldNanos();
        sum[3] += counts.heldTooLong();
        sum[4] += counts.transfers();
        sum[5] += counts.transfersFailed();
      }
    }
    return new ProxyReading.Handover(
        state == null ? 0 : List.of(Phase.values()).indexOf(state.phase()),
        state == null ? 0 : state.version(),
        proxy.acknowledged(),
        sum[0],
        sum[1],
        sum[2] / NANOS,
        sum[3],
        sum[4],
        sum[5]);
  }

  private ProxyReading.Node node(String id, List<Copy> copies) {
    Traffic.OfNode sum = new Traffic.OfNode();
    long waiting = 0;
    long connections = 0;
    for (Copy copy : copies) {
      Copy.OfNode part = copy.nodes().get(id);
      if (part != null) {
        sum.add(part.traffic());
        waiting += part.waiting();
        connections += part.connections();
      }
    }
    Map<String, ProxyReading.Answers> classes = new LinkedHashMap<>();
    for (int kind = 0; kind < Traffic.CLASSES.size(); kind++) {
      List<Long> counts = new ArrayList<>();
      for (long count : sum.latencies[kind]) {
        counts.add(count);
      }
      classes.put(
          Traffic.CLASSES.get(kind),
          new ProxyReading.Answers(sum.errors[kind], sum.nanos[kind] / NANOS, BOUNDS, counts));
    }
    NodeLoad load = proxy.routing().load(id);
    return new ProxyReading.Node(
        proxy.health().state(id) == Health.State.UP,
        load.share(),
        load.fair(),
        waiting,
        connections,
        sum.requestBytes,
        sum.replyBytes,
        sum.failures,
        sum.connects,
        classes);
  }
}
