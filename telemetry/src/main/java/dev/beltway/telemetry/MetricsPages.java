package dev.beltway.telemetry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * {@code /metrics} for Prometheus, {@code /healthz} (the process works) and {@code /readyz} (it can
 * do its work: 200, or 503 with the reason), over HTTP.
 */
public final class MetricsPages implements AutoCloseable {

  private static final int MOST_THREADS = 32;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService threads;
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final PrometheusRegistry registry = new PrometheusRegistry();

  private MetricsPages(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * Serves them.
   *
   * @param unready why the process can't do its work; empty if it can
   * @throws IOException if it can't listen there
   */
  public static MetricsPages start(
      InetSocketAddress address, MultiCollector metrics, Supplier<String> unready)
      throws IOException {
    // Half a request holds a thread, for so many seconds at most.
    System.setProperty("sun.net.httpserver.maxReqTime", "5");
    System.setProperty("sun.net.httpserver.maxRspTime", "20");
    HttpServer server = HttpServer.create(address, 16);
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(64),
            task -> {
              Thread thread = new Thread(task, "beltway-metrics");
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.AbortPolicy());
    threads.allowCoreThreadTimeOut(true);
    MetricsPages pages = new MetricsPages(server, threads);
    JvmMetrics.builder().register(pages.registry);
    pages.registry.register(metrics);
    server.setExecutor(threads);
    server.createContext("/metrics", pages::metrics);
    server.createContext("/healthz", exchange -> answer(exchange, 200, TEXT, bytes("ok\n")));
    server.createContext(
        "/readyz",
        exchange -> {
          String reason = unready.get();
          if (reason.isEmpty()) {
            answer(exchange, 200, TEXT, bytes("ready\n"));
          } else {
            answer(exchange, 503, TEXT, bytes(reason + "\n"));
          }
        });
    server.start();
    return pages;
  }

  /** Where they are; with the port that it got, if it was to choose one. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  private void metrics(HttpExchange exchange) throws IOException {
    ExpositionFormatWriter writer =
        formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    writer.write(out, registry.scrape());
    answer(exchange, 200, writer.getContentType(), out.toByteArray());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void answer(HttpExchange exchange, int code, String type, byte[] body)
      throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(code, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
