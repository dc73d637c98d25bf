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
   */
  public record Reading(
      int phase,
      long version,
      long epoch,
      boolean paused,
      int waitsFor,
      Map<String, Long> behind,
      Map<String, Boolean> up,
      Map<String, Long> keys) {

    /** Copies the maps. */
    public Reading {
      behind = Map.copyOf(behind);
      up = Map.copyOf(up);
      keys = Map.copyOf(keys);
    }
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
    now.behind().forEach((name, value) -> behind.dataPoint(point("proxy", name, value)));
    all.metricSnapshot(behind.build());
    GaugeSnapshot.Builder up =
        GaugeSnapshot.builder()
            .name("beltway_cluster_node_up")
            .help("1 if the node answers the leader.");
    now.up().forEach((id, value) -> up.dataPoint(point("node", id, value ? 1 : 0)));
    all.metricSnapshot(up.build());
    GaugeSnapshot.Builder keys =
        GaugeSnapshot.builder().name("beltway_cluster_node_keys").help("Keys at the node.");
    now.keys().forEach((id, value) -> keys.dataPoint(point("node", id, value)));
    all.metricSnapshot(keys.build());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, all.build());
    return out.toByteArray();
  }

  private static GaugeDataPointSnapshot point(String label, String name, long value) {
    return GaugeDataPointSnapshot.builder()
        .labels(Labels.of(label, name))
        .value((double) value)
        .build();
  }
}
