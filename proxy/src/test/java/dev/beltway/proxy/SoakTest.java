package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Minutes under load in which nodes are killed, frozen and slowed at random: {@code tests/soak}.
 * Every reply comes in its order, what was written last is read, and in the end nothing has grown.
 */
@Tag("soak")
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class SoakTest {

  private static final int CLIENTS = 12;
  private static final int KEYS = 50;

  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicReference<String> wrong = new AtomicReference<>();
  private final AtomicLong replies = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();

  @Test
  void nothingIsWrongAndNothingGrows() throws Exception {
    long minutes = Long.getLong("beltway.soak.minutes", 10);
    long seed = Long.getLong("beltway.seed", System.nanoTime());
    System.out.println("soak: " + minutes + " minutes, seed " + seed + " (-Dbeltway.seed)");
    try (Pool pool =
        Pool.of(
            3,
            s ->
                SettingsDraft.of(
                    s,
                    d -> {
                      d.loops = 2;
                      d.nodes = s.nodes().withRequestTimeout(Duration.ofMillis(700));
                    }),
            "--enable-debug-command",
            "yes")) {
      warmUp(pool, seed);
      int threads = Thread.activeCount();
      long connections = connections(pool);
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Client client = new Client(pool, i, seed + i);
        Thread thread = new Thread(client, "soak-" + i);
        thread.start();
        clients.add(thread);
      }
      chaos(pool, new Random(seed), System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes));
      ended.set(true);
      for (Thread thread : clients) {
        thread.join();
      }
      System.out.printf("soak: %,d replies, %,d errors%n", replies.get(), errors.get());
      assertThat(wrong.get()).isNull();
      assertThat(replies.get()).isGreaterThan(minutes * 10_000);
      Raw.until("all clients are gone", () -> pool.proxy.sessions() == 0);
      Raw.until("buffers are given back", () -> pool.proxy.bufferBytes() < 32L << 20);
      Raw.until("no more threads than before", () -> Thread.activeCount() <= threads);
      Raw.until("no more connections than before", () -> connections(pool) <= connections + 12);
    }
  }

  private void warmUp(Pool pool, long seed) {
    AtomicBoolean before = new AtomicBoolean();
    new Client(pool, CLIENTS, seed, before).rounds(20);
  }

  private static long connections(Pool pool) throws IOException {
    long all = 0;
    for (RedisProcess server : pool.servers) {
      String info = RespReader.text(server.ask("INFO", "clients"));
      all += Long.parseLong(info.replaceAll("(?s).*connected_clients:(\\d+).*", "$1"));
    }
    return all;
  }

  private void chaos(Pool pool, Random random, long end) throws Exception {
    while (System.nanoTime() < end && wrong.get() == null) {
      RedisProcess server = pool.servers.get(random.nextInt(3));
      int millis = 50 + random.nextInt(2_500);
      switch (random.nextInt(4)) {
        case 0 -> {
          server.kill();
          TimeUnit.MILLISECONDS.sleep(millis);
          server.restart();
        }
        case 1 -> {
          server.freeze();
          TimeUnit.MILLISECONDS.sleep(millis);
          server.thaw();
        }
        case 2 -> {
          try (PlainClient client = server.client()) {
            client.tell("DEBUG", "SLEEP", Double.toString(millis / 4_000.0));
          }
        }
        default -> {
          try (PlainClient client = server.client()) {
            client.tell("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          }
        }
      }
      TimeUnit.MILLISECONDS.sleep(random.nextInt(2_000));
    }
  }

  /** A client that knows what must be in its keys; a node that was killed has lost them. */
  private final class Client implements Runnable {

    private final Pool pool;
    private final String prefix;
    private final Random random;
    private final AtomicBoolean stop;
    private final int[] written = new int[KEYS];
    private int number;

    Client(Pool pool, int index, long seed) {
      this(pool, index, seed, ended);
    }

    Client(Pool pool, int index, long seed, AtomicBoolean stop) {
      this.pool = pool;
      this.prefix = "soak:" + index + ":";
      this.random = new Random(seed);
      this.stop = stop;
    }

    @Override
    public void run() {
      while (!stop.get() && wrong.get() == null) {
        rounds(Integer.MAX_VALUE);
      }
    }

    void rounds(int rounds) {
      try (PlainClient client = pool.client()) {
        for (int i = 0; i < rounds && !stop.get() && wrong.get() == null; i++) {
          round(client);
        }
      } catch (IOException e) {
        wrong.compareAndSet(null, "a client lost its connection: " + e);
      }
    }

    private void round(PlainClient client) throws IOException {
      int size = 1 + random.nextInt(60);
      ByteBuf requests = Unpooled.buffer();
      int[] key = new int[size];
      int[] kind = new int[size];
      int[] expected = new int[size];
      for (int i = 0; i < size; i++) {
        key[i] = random.nextInt(KEYS);
        kind[i] = random.nextInt(6);
        String name = prefix + key[i];
        switch (kind[i]) {
          case 0 -> RespWriter.request(requests, "ECHO", "e" + i);
          case 1 -> {
            number++;
            written[key[i]] = number;
            RespWriter.request(requests, "SET", name, value(number));
          }
          case 2 -> RespWriter.request(requests, "MGET", name, prefix + 1, prefix + 2);
          case 3 -> RespWriter.request(requests, "EVAL", "return ARGV[1]", "1", name, "s" + i);
          case 4 -> RespWriter.request(requests, "BLPOP", name + "-none", "0.01");
          default -> RespWriter.request(requests, "GET", name);
        }
        expected[i] = written[key[i]];
      }
      client.write(requests);
      for (int i = 0; i < size; i++) {
        check(key[i], kind[i], expected[i], i, client.next());
        replies.incrementAndGet();
      }
    }

    private String value(int number) {
      return number + ":" + "x".repeat(number % 3_000);
    }

    private void check(int key, int kind, int expected, int index, Object reply) {
      if (reply instanceof RespReader.Failed failed) {
        errors.incrementAndGet();
        if (kind == 1) {
          written[key] = -1;
        }
        if (!failed.text().matches("(CLUSTERDOWN|TRYAGAIN|ERR) node n\\d .*")) {
          wrong.compareAndSet(null, "an error of no node: " + failed.text());
        }
        return;
      }
      String text = RespReader.text(reply);
      boolean right =
          switch (kind) {
            case 0 -> text.equals("e" + index);
            case 1 -> text.equals("OK");
            case 2 -> reply instanceof List<?> list && list.size() == 3;
            case 3 -> text.equals("s" + index);
            case 4 -> reply == null;
            default ->
                reply == null || expected < 0 || text.equals(value(expected)) || written[key] < 0;
          };
      if (!right) {
        wrong.compareAndSet(
            null, "request " + index + " of kind " + kind + " was answered with " + text);
      }
    }
  }
}
