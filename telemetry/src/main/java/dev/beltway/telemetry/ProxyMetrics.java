package dev.beltway.telemetry;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of a proxy. Their labels are commands of the table, classes of commands, and nodes of
 * the topology: never a key, a client or a version, so their number is bounded however long the
 * proxy runs, and a node that has left is gone from them.
 */
public final class ProxyMetrics implements MultiCollector {

  private final Supplier<ProxyReading> source;

  /** Of what the source reads. */
  public ProxyMetrics(Supplier<ProxyReading> source) {
    this.source = source;
  }

  @Override
  public MetricSnapshots collect() {
    ProxyReading now = source.get();
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    all.metricSnapshot(
        counters(
            "beltway_requests",
            "Requests answered, by command.",
            "command",
            now.commands(),
            ProxyReading.Command::requests));
    all.metricSnapshot(
        counters(
            "beltway_request_errors",
            "Error replies, by command.",
            "command",
            now.commands(),
            ProxyReading.Command::errors));
    nodes(all, now.nodes());
    all.metricSnapshot(gauge("beltway_clients", "Clients connected.", now.clients()));
    all.metricSnapshot(counter("beltway_clients_accepted", "Clients accepted.", now.accepted()));
    all.metricSnapshot(
        counter("beltway_clients_refused", "Clients refused: too many.", now.refused()));
    all.metricSnapshot(
        counter(
            "beltway_clients_evicted",
            "Clients closed because they held too much memory.",
            now.evicted()));
    all.metricSnapshot(
        counter("beltway_protocol_errors", "Requests that were no RESP.", now.protocolErrors()));
    all.metricSnapshot(
        counter("beltway_client_received_bytes", "Bytes of requests of clients.", now.bytesIn()));
    all.metricSnapshot(
        counter("beltway_client_sent_bytes", "Bytes of replies to clients.", now.bytesOut()));
    all.metricSnapshot(
        counter("beltway_slow_requests", "Requests above the limit for slow ones.", now.slow()));
    all.metricSnapshot(
        counter("beltway_faults", "Faults of the program itself; see its log.", now.faults()));
    all.metricSnapshot(
        gauge("beltway_buffer_bytes", "Memory that buffers take.", now.bufferBytes()));
    all.metricSnapshot(
        gauge("beltway_topology_epoch", "Epoch of the topology that is obeyed.", now.epoch()));
    all.metricSnapshot(
        gauge(
            "beltway_topology_fingerprint",
            "First 52 bits of the topology's fingerprint; differs where proxies disagree.",
            now.fingerprint()));
    all.metricSnapshot(
        gauge("beltway_nodes_routed_around", "Nodes served by others.", now.around()));
    all.metricSnapshot(
        gauge(
            "beltway_failover_dirty",
            "1 while copies made in a node's stead may be left, so that no node is routed around.",
            now.dirty() ? 1 : 0));
    handover(all, now.handover());
    return all.build();
  }

  private static void handover(MetricSnapshots.Builder all, ProxyReading.Handover now) {
    all.metricSnapshot(
        gauge(
            "beltway_handover_phase",
            "0 steady, 1 preparing, 2 fencing, 3 moving, 4 reversing.",
            now.phase()));
    all.metricSnapshot(
        gauge("beltway_state_version", "Version of the state that is obeyed.", now.version()));
    all.metricSnapshot(
        gauge(
            "beltway_state_acknowledged",
            "Last version that was acknowledged; a change waits while it is smaller.",
            now.acknowledged()));
    all.metricSnapshot(
        gauge("beltway_held_clients", "Clients whose requests are held now.", now.waiting()));
    all.metricSnapshot(
        counter("beltway_held_requests", "Requests held because keys move.", now.held()));
    all.metricSnapshot(
        CounterSnapshot.builder()
            .name("beltway_held_seconds")
            .help("Time that requests were held.")
            .dataPoint(CounterDataPointSnapshot.builder().value(now.heldSeconds()).build())
            .build());
    all.metricSnapshot(
        counter(
            "beltway_held_too_long",
            "Requests whose clients were told to try again.",
            now.heldTooLong()));
    all.metricSnapshot(
        counter("beltway_transfers", "Keys asked to leave their source.", now.transfers()));
    all.metricSnapshot(
        counter(
            "beltway_transfer_failures", "Transfers that moved nothing.", now.transfersFailed()));
  }

  private static void nodes(MetricSnapshots.Builder all, Map<String, ProxyReading.Node> nodes) {
    all.metricSnapshot(
        gauges("beltway_node_up", "1 if the node answers.", nodes, n -> n.up() ? 1 : 0));
    all.metricSnapshot(
        gauges(
            "beltway_node_ring_share",
            "Share of all keys that the node owns, 0 to 1.",
            nodes,
            ProxyReading.Node::ringShare));
    all.metricSnapshot(
        gauges(
            "beltway_node_fair_share",
            "Share that the node's weight stands for, 0 to 1.",
            nodes,
            ProxyReading.Node::fairShare));
    all.metricSnapshot(
        gauges(
            "beltway_node_waiting",
            "Requests that the node has not answered yet.",
            nodes,
            ProxyReading.Node::waiting));
    all.metricSnapshot(
        gauges(
            "beltway_node_connections",
            "Connections to the node.",
            nodes,
            ProxyReading.Node::connections));
    all.metricSnapshot(
        counters(
            "beltway_node_request_bytes",
            "Bytes sent to the node.",
            "node",
            nodes,
            ProxyReading.Node::requestBytes));
    all.metricSnapshot(
        counters(
            "beltway_node_reply_bytes",
            "Bytes of the node's replies.",
            "node",
            nodes,
            ProxyReading.Node::replyBytes));
    all.metricSnapshot(
        counters(
            "beltway_node_failures",
            "Requests that the node has not answered for good.",
            "node",
            nodes,
            ProxyReading.Node::failures));
    all.metricSnapshot(
        counters(
            "beltway_node_connects",
            "Connections made to the node.",
            "node",
            nodes,
            ProxyReading.Node::connects));
    CounterSnapshot.Builder errors =
        CounterSnapshot.builder()
            .name("beltway_node_request_errors")
            .help("Error replies of the node, by class of command.");
    HistogramSnapshot.Builder seconds =
        HistogramSnapshot.builder()
            .name("beltway_node_request_seconds")
            .help("Time from a request's arrival to the node's answer, by class of command.");
    nodes.forEach(
        (id, node) ->
            node.classes()
                .forEach(
                    (name, answers) -> {
                      Labels labels = Labels.of("class", name, "node", id);
                      errors.dataPoint(
                          CounterDataPointSnapshot.builder()
                              .labels(labels)
                              .value((double) answers.errors())
                              .build());
                      seconds.dataPoint(
                          HistogramDataPointSnapshot.builder()
                              .labels(labels)
                              .sum(answers.seconds())
                              .classicHistogramBuckets(buckets(answers))
                              .build());
                    }));
    all.metricSnapshot(errors.build());
    all.metricSnapshot(seconds.build());
  }

  private static ClassicHistogramBuckets buckets(ProxyReading.Answers answers) {
    List<Double> bounds = new ArrayList<>(answers.bounds());
    bounds.add(Double.POSITIVE_INFINITY);
    return ClassicHistogramBuckets.of(bounds, answers.counts());
  }

  private static CounterSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value(value).build())
        .build();
  }

  private static <T> CounterSnapshot counters(
      String name, String help, String label, Map<String, T> by, ToDoubleFunction<T> value) {
    CounterSnapshot.Builder all = CounterSnapshot.builder().name(name).help(help);
    by.forEach(
        (id, each) ->
            all.dataPoint(
                CounterDataPointSnapshot.builder()
                    .labels(Labels.of(label, id))
                    .value(value.applyAsDouble(each))
                    .build()));
    return all.build();
  }

  static GaugeSnapshot gauge(String name, String help, long value) {
    return ratio(name, help, (double) value);
  }

  /** One with decimals. */
  static GaugeSnapshot ratio(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
        .build();
  }

  private static GaugeSnapshot gauges(
      String name,
      String help,
      Map<String, ProxyReading.Node> nodes,
      ToDoubleFunction<ProxyReading.Node> value) {
    GaugeSnapshot.Builder all = GaugeSnapshot.builder().name(name).help(help);
    nodes.forEach(
        (id, node) ->
            all.dataPoint(
                GaugeDataPointSnapshot.builder()
                    .labels(Labels.of("node", id))
                    .value(value.applyAsDouble(node))
                    .build()));
    return all.build();
  }
}
