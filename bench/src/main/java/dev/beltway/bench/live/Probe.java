package dev.beltway.bench.live;

import dev.beltway.resp.client.PlainClient;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Asks a server for PING every millisecond: how long it is busy with something else. */
public final class Probe implements AutoCloseable {

  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Histogram micros = new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(1), 3);
  private final Thread thread;
  private volatile boolean stop;

  /** Begins. */
  public Probe(Cluster.Server server) throws IOException {
    PlainClient client = server.connect();
    thread =
        new Thread(
            () -> {
              try (client) {
                while (!stop) {
                  long begun = System.nanoTime();
                  client.ask("PING");
                  micros.recordValue((System.nanoTime() - begun) / 1_000);
                  LockSupport.parkNanos(EVERY_NANOS);
                }
              } catch (IOException e) {
                stop = true;
              }
            },
            "probe-" + server.name());
    thread.setDaemon(true);
    thread.start();
  }

  /** A percentile in milliseconds. */
  public double millis(double percentile) {
    return micros.getValueAtPercentile(percentile) / 1e3;
  }

  @Override
  public void close() {
    stop = true;
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
