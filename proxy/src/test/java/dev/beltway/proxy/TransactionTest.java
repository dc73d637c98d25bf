package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** MULTI, EXEC and WATCH, which are on one node. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class TransactionTest {

  private static Pool pool;

  @BeforeAll
  static void start() throws Exception {
    pool = Pool.of(3);
  }

  @AfterAll
  static void stop() {
    pool.close();
  }

  private static String text(Object value) {
    return RespReader.text(value);
  }

  @Test
  void aWatchedKeyThatChangesAbortsAndOneThatDoesNotDoesNot() throws Exception {
    try (PlainClient client = pool.client();
        PlainClient other = pool.client()) {
      client.ask("SET", "w", "1");
      client.ask("WATCH", "w");
      other.ask("SET", "w", "2");
      client.ask("MULTI");
      client.ask("SET", "w", "3");
      assertThat(client.ask("EXEC")).isNull();
      assertThat(text(client.ask("GET", "w"))).isEqualTo("2");
      client.ask("WATCH", "w");
      assertThat(text(client.ask("GET", "w"))).isEqualTo("2");
      client.ask("MULTI");
      client.ask("SET", "w", "4");
      assertThat((List<?>) client.ask("EXEC")).hasSize(1);
      assertThat(text(client.ask("GET", "w"))).isEqualTo("4");
      // One's own write between WATCH and MULTI counts too, as at a server.
      client.ask("WATCH", "w");
      client.ask("SET", "w", "5");
      client.ask("MULTI");
      client.ask("SET", "w", "6");
      assertThat(client.ask("EXEC")).isNull();
      client.ask("WATCH", "w");
      other.ask("SET", "w", "7");
      client.ask("UNWATCH");
      client.ask("MULTI");
      client.ask("GET", "w");
      assertThat((List<?>) client.ask("EXEC")).hasSize(1);
      client.ask("WATCH", "w");
      other.ask("SET", "w", "8");
      client.ask("MULTI");
      client.ask("DISCARD");
      client.ask("MULTI");
      client.ask("GET", "w");
      assertThat((List<?>) client.ask("EXEC")).hasSize(1);
    }
  }

  @Test
  void countersUnderWatchLoseNothing() throws Exception {
    AtomicInteger done = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                try (PlainClient client = pool.client()) {
                  for (int n = 0; n < 100; n++) {
                    client.ask("WATCH", "counter");
                    String old = text(client.ask("GET", "counter"));
                    int next = old.isEmpty() ? 1 : Integer.parseInt(old) + 1;
                    client.ask("MULTI");
                    client.ask("SET", "counter", Integer.toString(next));
                    if (client.ask("EXEC") != null) {
                      done.incrementAndGet();
                    }
                  }
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    try (PlainClient client = pool.client()) {
      assertThat(text(client.ask("GET", "counter"))).isEqualTo(Integer.toString(done.get()));
      assertThat(done.get()).isGreaterThan(99);
    }
  }

  @Test
  void aTransactionIsOnOneNode() throws Exception {
    String a = pool.keyOn(0, "a");
    String b = pool.keyOn(1, "b");
    try (PlainClient client = pool.client()) {
      client.ask("MULTI");
      client.ask("SET", a, "1");
      assertThat(client.tell("SET", b, "1")).isEqualTo(new RespReader.Failed(Dispatcher.CROSSSLOT));
      assertThat(client.tell("EXEC").toString()).contains("EXECABORT");
      assertThat(client.ask("GET", a)).isNull();
      client.ask("MULTI");
      assertThat(client.tell("DBSIZE").toString()).contains("a transaction is on one node");
      assertThat(client.tell("SELECT", "1").toString()).contains("a transaction is on one node");
      assertThat(client.tell("EXEC").toString()).contains("EXECABORT");
      client.ask("WATCH", a);
      client.ask("MULTI");
      assertThat(client.tell("SET", b, "1")).isEqualTo(new RespReader.Failed(Dispatcher.CROSSSLOT));
      client.tell("EXEC");
      client.ask("MULTI");
      assertThat(client.tell("MULTI").toString()).contains("can not be nested");
      assertThat(client.tell("WATCH", a).toString()).contains("inside MULTI");
      assertThat(client.tell("NOSUCH").toString()).contains("unknown command");
      assertThat(client.tell("EXEC").toString()).contains("EXECABORT");
      client.ask("MULTI");
      client.ask("PING");
      client.ask("TIME");
      assertThat((List<?>) client.ask("EXEC")).hasSize(2);
    }
  }

  @Test
  void nothingOvertakesATransaction() throws Exception {
    try (PlainClient client = pool.client()) {
      for (int round = 0; round < 100; round++) {
        ByteBuf all = Unpooled.buffer();
        RespWriter.request(all, "SET", "o", "1");
        RespWriter.request(all, "WATCH", "o");
        RespWriter.request(all, "INCR", "p{o}");
        RespWriter.request(all, "MULTI");
        RespWriter.request(all, "INCR", "o");
        RespWriter.request(all, "EXEC");
        RespWriter.request(all, "INCR", "o");
        RespWriter.request(all, "GET", "o");
        client.write(all);
        List<Object> replies = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          replies.add(client.next());
        }
        assertThat((List<?>) replies.get(5)).isEqualTo(List.of(2L));
        assertThat(replies.get(6)).isEqualTo(3L);
        assertThat(text(replies.get(7))).isEqualTo("3");
      }
    }
  }

  @Test
  void aWatchGoesAlongToAnotherDatabase() throws Exception {
    try (PlainClient client = pool.client();
        PlainClient other = pool.client()) {
      client.ask("SET", "d", "0");
      client.ask("WATCH", "d");
      client.ask("SELECT", "3");
      client.ask("MULTI");
      client.ask("SET", "d", "three");
      assertThat((List<?>) client.ask("EXEC")).hasSize(1);
      assertThat(text(client.ask("GET", "d"))).isEqualTo("three");
      client.ask("WATCH", "d");
      client.ask("SELECT", "0");
      assertThat(text(client.ask("GET", "d"))).isEqualTo("0");
      client.ask("WATCH", "d");
      other.ask("SELECT", "3");
      other.ask("SET", "d", "changed");
      client.ask("MULTI");
      client.ask("GET", "d");
      assertThat(client.ask("EXEC")).isNull();
      // The answer's protocol is that of the moment, so a watch doesn't survive its change.
      client.ask("ZADD", "z{d}", "1.5", "a");
      client.ask("WATCH", "d");
      client.ask("HELLO", "3");
      client.ask("MULTI");
      client.ask("ZSCORE", "z{d}", "a");
      assertThat(client.ask("EXEC")).isNull();
      client.ask("MULTI");
      client.ask("ZSCORE", "z{d}", "a");
      assertThat((List<?>) client.ask("EXEC")).hasSize(1);
    }
  }

  @Test
  void execItselfBeingWrongEndsTheTransaction() throws Exception {
    try (PlainClient client = pool.client()) {
      client.ask("MULTI");
      assertThat(client.tell("EXEC", "x"))
          .isEqualTo(
              new RespReader.Failed(
                  "EXECABORT Transaction discarded because of: wrong number of arguments for 'exec'"
                      + " command"));
      assertThat(text(client.ask("SET", "e", "1"))).isEqualTo("OK");
    }
  }

  @Test
  void aWatchThatIsLostAborts() throws Exception {
    try (Pool own = Pool.of(2);
        PlainClient client = own.client()) {
      String key = own.keyOn(0, "k");
      client.ask("WATCH", key);
      own.servers.get(0).kill();
      own.servers.get(0).restart();
      dev.beltway.proxy.testing.Raw.until(
          "the node is back", () -> !(client.tell("GET", key) instanceof RespReader.Failed));
      client.ask("MULTI");
      client.ask("SET", key, "v");
      assertThat(client.ask("EXEC")).isNull();
      assertThat(client.ask("GET", key)).isNull();
      client.ask("WATCH", key);
      own.servers.get(0).kill();
      own.servers.get(0).restart();
      dev.beltway.proxy.testing.Raw.until(
          "it can be watched again",
          () -> !(client.tell("WATCH", key) instanceof RespReader.Failed));
      client.ask("MULTI");
      assertThat(client.ask("EXEC")).isNull(); // What the first watch saw is lost all the same.
    }
  }
}
