package dev.beltway.control.testing;

import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that know what must be in their keys: values, counters, lists, deleted keys and renames
 * within a tag. Whatever is answered otherwise is counted and kept as text.
 */
public final class Load implements AutoCloseable {

  private static final int KEYS = 300;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong done = new AtomicLong();
  private final List<String> wrong = new ArrayList<>();

  /** Where its clients connect. */
  public interface Door {
    PlainClient open(int client) throws IOException;
  }

  public Load(int clients, Door door) {
    for (int i = 0; i < clients; i++) {
      int number = i;
      Thread thread = new Thread(() -> run(number, door), "load-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  /** As a client does that is told to try again. */
  private static Object tell(PlainClient client, String... words) throws IOException {
    long deadline = System.nanoTime() + 30_000_000_000L;
    Object reply = client.tell(words);
    while (reply instanceof RespReader.Failed failed
        && failed.text().startsWith("TRYAGAIN")
        && System.nanoTime() < deadline) {
      reply = client.tell(words);
    }
    return reply;
  }

  private void wrong(String text) {
    synchronized (wrong) {
      if (wrong.size() < 20) {
        wrong.add(text);
      }
    }
  }

  private void run(int number, Door door) {
    SplittableRandom random = new SplittableRandom(number);
    String[] values = new String[KEYS];
    long[] counters = new long[KEYS];
    try (PlainClient client = door.open(number)) {
      for (long i = 0; !stop.get(); i++) {
        int key = random.nextInt(KEYS);
        String name = "load:" + number + ":" + key;
        switch (random.nextInt(7)) {
          case 0 -> {
            values[key] = "v" + i;
            is(tell(client, "SET", name, values[key], "EX", "1000"), "OK", "SET " + name);
          }
          case 1 -> {
            long expected = values[key] == null ? 0 : 1;
            values[key] = null;
            is(tell(client, "DEL", name), expected, "DEL " + name);
          }
          case 2 -> is(tell(client, "INCR", name + ":n"), ++counters[key], "INCR " + name);
          case 3 -> {
            Object reply = transaction(client, name);
            while (reply instanceof RespReader.Failed failed
                && failed.text().startsWith("TRYAGAIN")) {
              reply = transaction(client, name); // It did nothing.
            }
            List<?> replies = reply instanceof List<?> list ? list : List.of();
            boolean right =
                replies.size() == 1 && Long.valueOf(++counters[key]).equals(replies.get(0));
            if (!right) {
              wrong("EXEC of INCR " + name + " gave " + reply + ", not " + counters[key]);
            }
          }
          case 4 -> {
            String from = "{" + name + "}a";
            is(tell(client, "SET", from, "r" + i), "OK", "SET " + from);
            is(tell(client, "RENAME", from, "{" + name + "}b"), "OK", "RENAME " + from);
            is(tell(client, "GET", "{" + name + "}b"), "r" + i, "GET after RENAME " + name);
          }
          case 5 -> {
            Object both = tell(client, "MGET", name, name + ":n");
            List<?> list = both instanceof List<?> found ? found : List.of("none", "none");
            String first = list.get(0) == null ? null : RespReader.text(list.get(0));
            if (!Objects.equals(first, values[key])) {
              wrong("MGET " + name + " gave " + first + ", not " + values[key]);
            }
          }
          default -> is(tell(client, "GET", name), values[key], "GET " + name);
        }
        done.incrementAndGet();
      }
    } catch (IOException | RuntimeException e) {
      wrong("client " + number + ": " + e);
    }
  }

  private Object transaction(PlainClient client, String name) throws IOException {
    is(client.tell("MULTI"), "OK", "MULTI");
    is(client.tell("INCR", name + ":n"), "QUEUED", "INCR in MULTI");
    return client.tell("EXEC");
  }

  private void is(Object reply, Object expected, String what) {
    Object seen = reply instanceof byte[] bytes ? RespReader.text(bytes) : reply;
    if (!Objects.equals(seen, expected)) {
      wrong(what + " gave " + seen + ", not " + expected);
    }
  }

  /** Waits until so many more requests were answered. */
  public void more(long count) {
    long until = done.get() + count;
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (done.get() < until && System.nanoTime() < deadline && wrong().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  /** What was answered otherwise than it must be. */
  public List<String> wrong() {
    synchronized (wrong) {
      return List.copyOf(wrong);
    }
  }

  public long done() {
    return done.get();
  }

  @Override
  public void close() {
    end();
  }

  /** Waits for what is under way, and ends. */
  public void end() {
    stop.set(true);
    for (Thread thread : threads) {
      try {
        thread.join(20_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
