package dev.beltway.control.api;

import io.javalin.http.sse.SseClient;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Those who listen to events, at most {@value #MOST}. Each is told the latest, by one thread at a
 * time: one that reads slowly misses what is between, and holds up nobody else. Thread-safe.
 */
final class Streams implements AutoCloseable {

  /** How many may listen. */
  static final int MOST = 200;

  /** What stands for a sign of life. */
  private static final String BEAT = "";

  private final Map<SseClient, Listener> all = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor senders =
      new ThreadPoolExecutor(
          0,
          MOST,
          5,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "beltway-events");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Takes one in; false if there are too many.
   *
   * @param session with which it ends; null if it has come with a key
   */
  synchronized boolean add(SseClient client, @Nullable String session) {
    if (all.size() >= MOST) {
      return false;
    }
    all.put(client, new Listener(client, session));
    return true;
  }

  /** Forgets one. */
  void remove(SseClient client) {
    all.remove(client);
  }

  boolean isFull() {
    return all.size() >= MOST;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Tells all of them. */
  void tell(String event) {
    all.values().forEach(each -> each.tell(event));
  }

  /**
   * Sends each a sign of life, which finds out who has gone without a word; and lets go of those
   * whose session has ended.
   *
   * @param lasts whether a session does
   */
  void beat(Predicate<String> lasts) {
    for (Listener each : all.values()) {
      if (each.session == null || lasts.test(each.session)) {
        each.tell(BEAT);
      } else {
        remove(each.client);
        each.client.close();
      }
    }
  }

  /** Tells one of them. */
  void tell(SseClient client, String event) {
    Listener listener = all.get(client);
    if (listener != null) {
      listener.tell(event);
    }
  }

  @Override
  public void close() {
    all.keySet().forEach(SseClient::close);
    senders.shutdownNow();
  }

  private final class Listener implements Runnable {

    private final SseClient client;
    private final @Nullable String session;
    private @Nullable String next;
    private boolean sending;

    Listener(SseClient client, @Nullable String session) {
      this.client = client;
      this.session = session;
    }

    void tell(String event) {
      synchronized (this) {
        if (!event.equals(BEAT) || next == null) {
          next = event;
        }
        if (sending) {
          return;
        }
        sending = true;
      }
      try {
        senders.execute(this);
      } catch (RejectedExecutionException e) {
        synchronized (this) { // It is being closed, or a thread is just ending: the next one goes.
          sending = false;
        }
      }
    }

    private synchronized @Nullable String take() {
      String event = next;
      next = null;
      sending = event != null;
      return event;
    }

    @Override
    public void run() {
      try {
        for (String event = take(); event != null; event = take()) {
          if (event.equals(BEAT)) {
            client.sendComment("alive");
          } else {
            client.sendEvent("status", event);
          }
        }
      } catch (RuntimeException e) { // It has gone.
        remove(client);
      }
    }
  }
}
