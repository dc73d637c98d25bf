package dev.beltway.bench.live;

import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * GET and SET 9:1 over known keys at a steady rate: requests are due at fixed times, and how late
 * an answer is counts from then, whether or not the one before was late too.
 */
public final class SteadyLoad implements AutoCloseable {

  private static final long MOST_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private volatile Histogram micros = new ConcurrentHistogram(MOST_MICROS, 3);
  private volatile Histogram held = new ConcurrentHistogram(MOST_MICROS, 3);
  private volatile boolean fencing;
  private volatile boolean stop;
  private volatile String example = "";

  /** Opens a connection. */
  public interface Door {
    PlainClient open(int client) throws IOException;
  }

  /**
   * Begins.
   *
   * @param perSecond of all clients together; 0 for as fast as they can
   * @param moves whether a key moves in the change that is to be measured
   */
  public SteadyLoad(int clients, double perSecond, long keys, LongPredicate moves, Door door) {
    for (int i = 0; i < clients; i++) {
      int number = i;
      Thread thread =
          new Thread(() -> run(number, clients, perSecond, keys, moves, door), "steady-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  /** The name of a key. */
  public static String key(long number) {
    return "key:" + number;
  }

  /** What a key has: 100 bytes that begin with its number. */
  public static String value(long number) {
    String text = Long.toString(number);
    return text + "x".repeat(100 - text.length());
  }

  private void run(
      int number, int clients, double perSecond, long keys, LongPredicate moves, Door door) {
    SplittableRandom random = new SplittableRandom(number);
    double interval = perSecond == 0 ? 0 : 1e9 * clients / perSecond;
    try (PlainClient client = door.open(number)) {
      long begun = System.nanoTime() + (long) (interval * number / clients);
      for (long i = 0; !stop; i++) {
        long due = perSecond == 0 ? System.nanoTime() : begun + (long) (i * interval);
        for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
          LockSupport.parkNanos(due - now);
        }
        long key = random.nextLong(keys);
        boolean inFence = fencing && moves.test(key);
        String wrong = request(client, random.nextInt(10) == 0, key);
        long took = Math.max(0, System.nanoTime() - due) / 1_000;
        micros.recordValue(Math.min(took, MOST_MICROS));
        if (inFence) {
          held.recordValue(Math.min(took, MOST_MICROS));
        }
        if (!wrong.isEmpty()) {
          example = wrong;
        }
        done.incrementAndGet();
      }
    } catch (IOException e) {
      errors.incrementAndGet();
      example = String.valueOf(e);
    }
  }

  private String request(PlainClient client, boolean writes, long key) throws IOException {
    Object reply = writes ? client.tell("SET", key(key), value(key)) : client.tell("GET", key(key));
    if (reply instanceof RespReader.Failed failed) {
      errors.incrementAndGet();
      return failed.text();
    }
    boolean right =
        writes || reply instanceof byte[] bytes && RespReader.text(bytes).equals(value(key));
    if (!right) {
      misses.incrementAndGet();
      return "GET " + key(key) + " gave " + reply;
    }
    return "";
  }

  /** Requests on moving keys are counted apart as long as this is said. */
  public void fencing(boolean now) {
    fencing = now;
  }

  /** What was measured since the last time. */
  public Histogram take() {
    Histogram taken = micros;
    micros = new ConcurrentHistogram(MOST_MICROS, 3);
    return taken;
  }

  /** Requests on moving keys that were sent while it was fencing. */
  public Histogram held() {
    return held;
  }

  /** How many were answered. */
  public long done() {
    return done.get();
  }

  /** How many were answered with an error, or not at all. */
  public long errors() {
    return errors.get();
  }

  /** How many found nothing, or another value than the one that must be there. */
  public long misses() {
    return misses.get();
  }

  /** One of what was wrong. */
  public String example() {
    return example;
  }

  @Override
  public void close() {
    stop = true;
    for (Thread thread : threads) {
      try {
        thread.join(10_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
