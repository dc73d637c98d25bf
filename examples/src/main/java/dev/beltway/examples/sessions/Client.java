package dev.beltway.examples.sessions;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client of the service. What its session has come to, a number, is its own: it sends it along,
 * so that whichever instance answers goes on from there. Sent away, it asks the directory and
 * connects anew.
 */
public final class Client {

  private static final long PATIENCE_SECONDS = 20;

  private final String session;
  private final Directory directory;
  private final HttpClient http;
  private @Nullable WebSocket socket;
  private CompletableFuture<String> answer = new CompletableFuture<>();
  private long count;
  private int reconnects;
  private String instance = "";

  /** One that isn't connected yet. */
  public Client(String session, Directory directory, HttpClient http) {
    this.session = session;
    this.directory = directory;
    this.http = http;
  }

  /** Sends a message and takes the answer; connects first, and again if it has been sent away. */
  public synchronized void talk() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() < deadline) {
      try {
        if (socket == null || socket.isOutputClosed() || socket.isInputClosed()) {
          connect();
        }
        answer = new CompletableFuture<>();
        WebSocket open = socket;
        if (open == null) {
          continue;
        }
        open.sendText(Long.toString(count), true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String[] words = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).split(" at ", 2);
        count = Long.parseLong(words[0]);
        instance = words[1];
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (Exception e) { // Sent away, in the middle of it perhaps: another place is asked for.
        socket = null;
      }
    }
    throw new IllegalStateException("session " + session + " found no instance that answers");
  }

  private void connect() throws Exception {
    URI where =
        URI.create(
            "ws://" + directory.place(session).address().orElseThrow() + "/session/" + session);
    reconnects++;
    socket =
        http.newWebSocketBuilder()
            .buildAsync(where, new Listener())
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** How many messages were answered. */
  public synchronized long count() {
    return count;
  }

  /** How often it has connected again. */
  public synchronized int reconnects() {
    return reconnects - 1;
  }

  /** Which instance answered last. */
  public synchronized String instance() {
    return instance;
  }

  /** Hears what the instance says. */
  private final class Listener implements WebSocket.Listener {

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
      answer.complete(text.toString());
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      answer.completeExceptionally(new IllegalStateException(reason));
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      answer.completeExceptionally(error);
    }
  }
}
