package dev.beltway.telemetry;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;

/**
 * The metrics of a control process: all of them say what is stored, so every control process of a
 * cluster says the same. Labels are nodes of the topology and names of registered proxies.
 */
public final class ControlMetrics {

  /** How the page is written. */
  public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

  /**
   * What is stored.
   *
   * @param phase 0 steady, 1 preparing, 2 fencing, 3 moving, 4 reversing
   * @param version of the state
   * @param epoch that holds
   * @param paused whether the change waits for an operator
   * @param waitsFor how many things a change waits for
   * @param behind by proxy, by how many versions its acknowledgement is behind
   * @param up by node, whether it answers the leader
   * @param keys by node that answers
   * @param move how far keys have moved
   * @param deviationByKeys by node, (measured − planned share) / planned share of the keys
   * @param deviationByRequests the same of the requests
   * @param coverage the share of all keys that is owned by nodes that are up
   */
  public record Reading(
      int phase,
      long version,
      long epoch,
      boolean paused,
      int waitsFor,
      Map<String, Long> behind,
      Map<String, Boolean> up,
      Map<String, Long> keys,
      Move move,
      Map<String, Double> deviationByKeys,
      Map<String, Double> deviationByRequests,
      double coverage) {

    /** Copies the maps. */
    public Reading {
      behind = Map.copyOf(behind);
      up = Map.copyOf(up);
      keys = Map.copyOf(keys);
      deviationByKeys = Map.copyOf(deviationByKeys);
      deviationByRequests = Map.copyOf(deviationByRequests);
    }
  }

  /**
   * How far keys have moved in the move that is going on; all 0 if none is.
   *
   * @param keys that have moved
   * @param plannedKeys that are to move
   * @param bytes that have moved
   * @param keysPerSecond of the last seconds
   * @param seconds that it has taken so far
   * @param latencySeconds by source, how long it takes to answer a small question
   * @param batchBytes by source, how much it sends at once
   */
  public record Move(
      long keys,
      long plannedKeys,
      long bytes,
      double keysPerSecond,
      double seconds,
      Map<String, Double> latencySeconds,
      Map<String, Double> batchBytes) {

    /** Copies the maps. */
    public Move {
      latencySeconds = Map.copyOf(latencySeconds);
      batchBytes = Map.copyOf(batchBytes);
    }

    /** Nothing moves. */
    public static final Move NONE = new Move(0, 0, 0, 0, 0, Map.of(), Map.of());
  }

  private ControlMetrics() {}

  /** The page. */
  public static byte[] page(Reading now) throws IOException {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_phase",
            "0 steady, 1 preparing, 2 fencing, 3 moving, 4 reversing.",
            now.phase()));
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_version", "Version of the stored state.", now.version()));
    all.metricSnapshot(
        ProxyMetrics.gauge("beltway_cluster_epoch", "Epoch that holds.", now.epoch()));
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_paused",
            "1 while a change waits for an operator.",
            now.paused() ? 1 : 0));
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_waits", "Things that a change waits for.", now.waitsFor()));
    GaugeSnapshot.Builder behind =
        GaugeSnapshot.builder()
            .name("beltway_cluster_proxy_behind")
            .help("Versions that a proxy has not acknowledged yet.");
    now.behind().forEach((name, value) -> behind.dataPoint(point("proxy", name, (double) value)));
    all.metricSnapshot(behind.build());
    GaugeSnapshot.Builder up =
        GaugeSnapshot.builder()
            .name("beltway_cluster_node_up")
            .help("1 if the node answers the leader.");
    now.up().forEach((id, value) -> up.dataPoint(point("node", id, value ? 1 : 0)));
    all.metricSnapshot(up.build());
    GaugeSnapshot.Builder keys =
        GaugeSnapshot.builder().name("beltway_cluster_node_keys").help("Keys at the node.");
    now.keys().forEach((id, value) -> keys.dataPoint(point("node", id, (double) value)));
    all.metricSnapshot(keys.build());
    move(all, now.move());
    GaugeSnapshot.Builder deviation =
        GaugeSnapshot.builder()
            .name("beltway_cluster_deviation_ratio")
            .help("(Measured - planned share) / planned share, once enough is measured.");
    now.deviationByKeys()
        .forEach((id, value) -> deviation.dataPoint(point("node", id, "by", "keys", value)));
    now.deviationByRequests()
        .forEach((id, value) -> deviation.dataPoint(point("node", id, "by", "requests", value)));
    all.metricSnapshot(deviation.build());
    all.metricSnapshot(
        ProxyMetrics.ratio(
            "beltway_cluster_coverage_ratio",
            "Share of all keys that is owned by nodes that are up.",
            now.coverage()));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, all.build());
    return out.toByteArray();
  }

  private static void move(MetricSnapshots.Builder all, Move move) {
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_move_keys", "Keys that have moved in this move.", move.keys()));
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_move_planned_keys",
            "Keys that are to move in this move.",
            move.plannedKeys()));
    all.metricSnapshot(
        ProxyMetrics.gauge(
            "beltway_cluster_move_bytes", "Bytes that have moved in this move.", move.bytes()));
    all.metricSnapshot(
        ProxyMetrics.ratio(
            "beltway_cluster_move_keys_per_second",
            "Keys a second that moved in the last seconds.",
            move.keysPerSecond()));
    all.metricSnapshot(
        ProxyMetrics.ratio(
            "beltway_cluster_move_seconds", "How long this move takes so far.", move.seconds()));
    GaugeSnapshot.Builder latency =
        GaugeSnapshot.builder()
            .name("beltway_cluster_source_latency_seconds")
            .help("How long a source takes to answer the mover's small questions.");
    move.latencySeconds().forEach((id, value) -> latency.dataPoint(point("node", id, value)));
    all.metricSnapshot(latency.build());
    GaugeSnapshot.Builder batch =
        GaugeSnapshot.builder()
            .name("beltway_cluster_batch_bytes")
            .help("How much a source sends at once.");
    move.batchBytes().forEach((id, value) -> batch.dataPoint(point("node", id, value)));
    all.metricSnapshot(batch.build());
  }

  private static GaugeDataPointSnapshot point(
      String label, String name, String other, String otherName, double value) {
    return GaugeDataPointSnapshot.builder()
        .labels(Labels.of(label, name, other, otherName))
        .value(value)
        .build();
  }

  private static GaugeDataPointSnapshot point(String label, String name, double value) {
    return GaugeDataPointSnapshot.builder().labels(Labels.of(label, name)).value(value).build();
  }
}
