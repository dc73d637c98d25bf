package dev.beltway.cli.local;

import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A light load by the keys of a real log, in its order, as a store's clients would make it: reads,
 * and one write in ten. A key is written and read by one connection alone, which therefore knows
 * what every reply must be.
 */
final class SampleLoad implements AutoCloseable {

  /** Where the log comes from; its attribution is beside it in examples/data. */
  static final String LOG = "/dev/beltway/cli/wiki_edits_keys.txt";

  private static final int BATCH = 10;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  private static final int FILL_BATCH = 200;
  private static final int WRITES = 10;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /**
   * What it has seen.
   *
   * @param requests that were answered
   * @param misses keys that were not there though they had been written
   * @param wrong values other than the one written last
   * @param errors replies that are errors, and lost connections
   * @param error the last of those; empty if there is none
   */
  record Figures(long requests, long misses, long wrong, long errors, String error) {}

  private final List<Client> clients = new ArrayList<>();
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private final AtomicLong wrong = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private volatile String error = "";
  private volatile boolean ended;
  private final int keys;

  /**
   * Prepares it.
   *
   * @param ports of the proxies; a connection to each
   * @throws IOException if the log can't be read
   */
  SampleLoad(List<Integer> ports) throws IOException {
    List<List<Integer>> orders = new ArrayList<>();
    List<List<String>> names = new ArrayList<>();
    Map<String, int[]> known = new HashMap<>();
    for (int i = 0; i < ports.size(); i++) {
      orders.add(new ArrayList<>());
      names.add(new ArrayList<>());
    }
    for (String key : log()) {
      int[] place =
          known.computeIfAbsent(
              key,
              each -> {
                int client = Math.floorMod(each.length() + each.charAt(0), ports.size());
                names.get(client).add(each);
                return new int[] {client, names.get(client).size() - 1};
              });
      orders.get(place[0]).add(place[1]);
    }
    keys = known.size();
    for (int i = 0; i < ports.size(); i++) {
      clients.add(
          new Client(
              ports.get(i),
              names.get(i).toArray(new String[0]),
              orders.get(i).stream().mapToInt(Integer::intValue).toArray()));
    }
  }

  private static List<String> log() throws IOException {
    try (InputStream in = SampleLoad.class.getResourceAsStream(LOG)) {
      if (in == null) {
        throw new IOException("the sample log is missing");
      }
      return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
          .lines()
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }

  /** How many different keys it has. */
  int keys() {
    return keys;
  }

  /** What it has seen so far. */
  Figures figures() {
    return new Figures(requests.get(), misses.get(), wrong.get(), errors.get(), error);
  }

  /**
   * Writes every key, then goes on in the background.
   *
   * @throws IOException if that fails
   */
  void start() throws IOException {
    for (Client client : clients) {
      client.fill();
    }
    for (Client client : clients) {
      Thread thread = new Thread(client, "beltway-load");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void failed(String text) {
    if (!ended) {
      errors.incrementAndGet();
      error = text;
    }
  }

  @Override
  public void close() {
    ended = true;
  }

  /** One connection and the keys that are its own. */
  private final class Client implements Runnable {

    private final int port;
    private final String[] names;
    private final int[] order;

    /** The number of the value written last; −1 where a write's outcome is unknown. */
    private final int[] written;

    private int at;
    private int number;

    Client(int port, String[] names, int[] order) {
      this.port = port;
      this.names = names;
      this.order = order;
      this.written = new int[names.length];
    }

    private String value(int key, int number) {
      String stamp = names[key] + " edit " + number + " ";
      // As in most caches, some are long and most are short.
      return stamp.repeat(1 + (names[key].length() % 7 == 0 ? 12 : 2));
    }

    private PlainClient connect() throws IOException {
      return PlainClient.connect(InetSocketAddress.createUnresolved("127.0.0.1", port), TIMEOUT);
    }

    void fill() throws IOException {
      try (PlainClient client = connect()) {
        for (int from = 0; from < names.length; from += FILL_BATCH) {
          int to = Math.min(names.length, from + FILL_BATCH);
          ByteBuf batch = Unpooled.buffer();
          for (int key = from; key < to; key++) {
            RespWriter.request(batch, "SET", names[key], value(key, 0));
          }
          client.write(batch);
          for (int key = from; key < to; key++) {
            if (client.next() instanceof RespReader.Failed failed) {
              throw new IOException("a sample key can't be written: " + failed.text());
            }
          }
        }
      }
    }

    @Override
    public void run() {
      while (!ended) {
        try (PlainClient client = connect()) {
          while (!ended) {
            batch(client);
            pause();
          }
        } catch (IOException e) {
          failed("connection lost: " + e.getMessage());
          pause();
        }
      }
    }

    private void pause() {
      try {
        TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void batch(PlainClient client) throws IOException {
      int[] keys = new int[BATCH];
      boolean[] writes = new boolean[BATCH];
      int[] expected = new int[BATCH];
      ByteBuf requests = Unpooled.buffer();
      for (int i = 0; i < BATCH; i++) {
        int key = order[at % order.length];
        keys[i] = key;
        writes[i] = at % WRITES == 0;
        at = at == Integer.MAX_VALUE ? 0 : at + 1;
        if (writes[i]) {
          number++;
          written[key] = number;
          RespWriter.request(requests, "SET", names[key], value(key, written[key]));
        } else {
          RespWriter.request(requests, "GET", names[key]);
        }
        expected[i] = written[key];
      }
      client.write(requests);
      int answered = 0;
      try {
        for (; answered < BATCH; answered++) {
          check(keys[answered], expected[answered], writes[answered], client.next());
        }
      } finally {
        for (int i = answered; i < BATCH; i++) {
          written[keys[i]] = writes[i] ? -1 : written[keys[i]];
        }
      }
    }

    private void check(int key, int expected, boolean write, @Nullable Object reply) {
      if (reply instanceof RespReader.Failed failed) {
        failed(failed.text());
        written[key] = write ? -1 : written[key];
        return;
      }
      requests.incrementAndGet();
      if (write || expected < 0 || written[key] < 0) {
        return;
      }
      if (reply == null) {
        misses.incrementAndGet();
      } else if (!RespReader.text(reply).equals(value(key, expected))) {
        wrong.incrementAndGet();
      }
    }
  }
}
