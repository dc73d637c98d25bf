package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a client may rely on: order, independence of others, and an end that loses nothing. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class SessionTest {

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
  void repliesComeInTheOrderOfRequestsWhateverTheNodesDo() throws Exception {
    Random random = new Random(7);
    try (PlainClient client = pool.client()) {
      for (int round = 0; round < 50; round++) {
        int size = 1 + random.nextInt(3_000);
        ByteBuf requests = Unpooled.buffer();
        for (int i = 0; i < size; i++) {
          switch (random.nextInt(5)) {
            case 0 -> RespWriter.request(requests, "ECHO", "e" + i);
            case 1 -> RespWriter.request(requests, "MGET", "a" + i, "b" + i, "c" + i);
            case 2 ->
                RespWriter.request(requests, "SET", "o" + i, "x".repeat(random.nextInt(2_000)));
            default ->
                RespWriter.request(requests, "EVAL", "return ARGV[1]", "1", "k" + i, "r" + i);
          }
        }
        byte[] bytes = new byte[requests.readableBytes()];
        requests.getBytes(0, bytes);
        Thread writer =
            new Thread(
                () -> {
                  try {
                    client.write(Unpooled.wrappedBuffer(bytes));
                  } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                });
        writer.start();
        for (int i = 0; i < size; i++) {
          Object reply = client.next();
          if (reply instanceof byte[] && text(reply).matches("[er]\\d+")) {
            assertThat(text(reply).substring(1)).isEqualTo(Integer.toString(i));
          } else if (reply instanceof List<?> list) {
            assertThat(list).hasSize(3);
          } else {
            assertThat(text(reply)).isEqualTo("OK");
          }
        }
        writer.join();
      }
    }
  }

  @Test
  void aSlowNodeDelaysOnlyRepliesThatNeedIt() throws Exception {
    String slow = pool.keyOn(0, "slow");
    String quick = pool.keyOn(1, "quick");
    try (PlainClient one = pool.client();
        PlainClient other = pool.client()) {
      other.ask("SET", quick, "q");
      pool.servers.get(0).freeze();
      try {
        ByteBuf requests = Unpooled.buffer();
        RespWriter.request(requests, "GET", quick);
        RespWriter.request(requests, "GET", slow);
        RespWriter.request(requests, "GET", quick);
        one.write(requests);
        assertThat(text(one.next())).isEqualTo("q"); // Before the slow one's turn.
        for (int i = 0; i < 100; i++) {
          assertThat(text(other.ask("GET", quick))).isEqualTo("q");
        }
      } finally {
        pool.servers.get(0).thaw();
      }
      assertThat(one.next()).isNull();
      assertThat(text(one.next())).isEqualTo("q");
    }
  }

  @Test
  void aClientThatDoesNotReadIsNotReadFromAndHarmsNobody() throws Exception {
    try (PlainClient setup = pool.client();
        Raw deaf = new Raw(pool.port())) {
      setup.tell(
          "SET".getBytes(StandardCharsets.UTF_8),
          "deaf".getBytes(StandardCharsets.UTF_8),
          new byte[100_000]);
      byte[] gets =
          "*2\r\n$3\r\nGET\r\n$4\r\ndeaf\r\n".repeat(2_000).getBytes(StandardCharsets.UTF_8);
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 50; i++) {
                    deaf.send(gets); // 10 GB of replies, if they were all asked for.
                  }
                } catch (java.io.IOException e) {
                  Thread.currentThread().interrupt(); // Closed at the end of the test.
                }
              });
      writer.start();
      for (int i = 0; i < 2_000; i++) {
        assertThat(text(setup.ask("PING"))).isEqualTo("PONG");
        setup.ask("GET", "other" + i);
      }
      assertThat(pool.proxy.bufferBytes()).isLessThan(256L << 20);
      // And what it does read is whole and in order.
      for (int i = 0; i < 200; i++) {
        assertThat(deaf.read(9)).isEqualTo("$100000\r\n");
        assertThat(deaf.read(100_002)).endsWith("\r\n");
      }
    }
  }

  @Test
  void theClientThatHoldsTooMuchIsClosedAndNoOther() throws Exception {
    try (Pool small = Pool.of(3, s -> SettingsDraft.of(s, d -> d.memoryBytes = 32L << 20));
        PlainClient good = small.client();
        Raw greedy = new Raw(small.port())) {
      byte[] value = new byte[1 << 20];
      good.tell(
          "SET".getBytes(StandardCharsets.UTF_8), "big".getBytes(StandardCharsets.UTF_8), value);
      greedy.send("*2\r\n$3\r\nGET\r\n$3\r\nbig\r\n".repeat(100));
      Raw.until("the greedy client is closed", () -> small.proxy.sessions() == 1);
      assertThat(text(good.ask("PING"))).isEqualTo("PONG");
      assertThat(small.proxy.reading().evicted()).isEqualTo(1);
      Raw.until("its memory is free again", () -> small.proxy.bufferBytes() < 32L << 20);
    }
  }

  @Test
  void quitAnswersWhatCameBeforeAndNothingAfter() throws Exception {
    try (Raw raw = new Raw(pool.port())) {
      raw.send("SET q 1\r\nGET q\r\nQUIT\r\nGET q\r\n");
      assertThat(raw.rest()).isEqualTo("+OK\r\n$1\r\n1\r\n+OK\r\n<closed>");
    }
  }

  @Test
  void repliesThatAreNotWantedAreLeftOut() throws Exception {
    try (Raw raw = new Raw(pool.port())) {
      raw.send("CLIENT REPLY SKIP\r\nSET r 1\r\nGET r\r\n");
      assertThat(raw.read(7)).isEqualTo("$1\r\n1\r\n");
      raw.send("CLIENT REPLY OFF\r\nSET r 2\r\nPING\r\nGET r\r\nCLIENT REPLY ON\r\nGET r\r\n");
      assertThat(raw.read(12)).isEqualTo("+OK\r\n$1\r\n2\r\n");
    }
  }

  /** Each protocol and database has a connection of its own to a node. */
  @Test
  void nothingOvertakesAChangeOfProtocolOrDatabase() throws Exception {
    try (PlainClient client = pool.client()) {
      for (int round = 0; round < 50; round++) {
        ByteBuf all = Unpooled.buffer();
        RespWriter.request(all, "SET", "p", "1".repeat(50_000));
        RespWriter.request(all, "HELLO", "3");
        RespWriter.request(all, "SET", "p", "2");
        RespWriter.request(all, "HELLO", "2");
        RespWriter.request(all, "SET", "p", "3");
        RespWriter.request(all, "SELECT", "2");
        RespWriter.request(all, "SET", "q{p}", "x".repeat(100_000));
        RespWriter.request(all, "COPY", "q{p}", "r{p}", "DB", "3");
        RespWriter.request(all, "SELECT", "3");
        RespWriter.request(all, "STRLEN", "r{p}");
        RespWriter.request(all, "DEL", "r{p}");
        RespWriter.request(all, "SELECT", "0");
        RespWriter.request(all, "GET", "p");
        client.write(all);
        Object[] replies = new Object[13];
        for (int i = 0; i < replies.length; i++) {
          replies[i] = client.next();
        }
        assertThat(replies[9]).isEqualTo(100_000L);
        assertThat(text(replies[12])).isEqualTo("3");
      }
    }
  }

  @Test
  void aClientThatEndsItsSideIsAnsweredWhateverItAsked() throws Exception {
    for (String asked :
        new String[] {"CLIENT LIST\r\n", "NOSUCHTHING a\r\n", "CLIENT KILL ID 999999\r\n"}) {
      for (int i = 0; i < 20; i++) {
        try (Raw raw = new Raw(pool.port())) {
          assertThat(raw.send(asked).finish()).as(asked).hasSizeGreaterThan(10);
        }
      }
    }
  }

  @Test
  void aKeyTooLongToBeRoutedIsRefusedAndNothingElse() throws Exception {
    byte[] get = "GET".getBytes(StandardCharsets.UTF_8);
    byte[] mget = "MGET".getBytes(StandardCharsets.UTF_8);
    byte[] a = pool.keyOn(0, "a").getBytes(StandardCharsets.UTF_8);
    byte[] b = pool.keyOn(1, "b").getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[(1 << 20) + 1];
    try (PlainClient client = pool.client()) {
      RespReader.Failed refused = new RespReader.Failed("ERR a key is longer than 1048576 bytes");
      assertThat(client.tell(get, key)).isEqualTo(refused);
      assertThat(client.tell(mget, a, b, key)).isEqualTo(refused);
      assertThat(client.tell(mget, key, a, b)).isEqualTo(refused);
      assertThat(text(client.ask("PING"))).isEqualTo("PONG");
    }
  }

  @Test
  void aNodeByNameIsLookedUpAndOneThatIsNotThereIsSaidSo() throws Exception {
    try (Pool one = Pool.of(1)) {
      for (String host : new String[] {"localhost", "no-such-host.invalid"}) {
        dev.beltway.topology.Node node =
            dev.beltway.topology.Node.of("n1").withAddress(host + ":" + one.servers.get(0).port());
        dev.beltway.topology.Topology topology =
            new dev.beltway.topology.Topology(1, one.topology.rule(), List.of(node));
        try (Pool named = Pool.over(List.of(), topology, s -> s);
            PlainClient client = named.client()) {
          if (host.equals("localhost")) {
            assertThat(text(client.ask("SET", "k", "v"))).isEqualTo("OK");
          } else {
            Raw.until(
                "the reason is told",
                () -> client.tell("GET", "k").toString().contains("there is no host " + host));
          }
        }
      }
    }
  }

  @Test
  void clientsAreListedAsAsked() throws Exception {
    try (PlainClient client = pool.client();
        PlainClient other = pool.client()) {
      Object id = client.ask("CLIENT", "ID");
      other.ask("SUBSCRIBE", "listed");
      assertThat(text(client.ask("CLIENT", "LIST", "ID", text(id))).lines()).hasSize(1);
      assertThat(text(client.ask("CLIENT", "LIST", "ID", "999999"))).isEmpty();
      assertThat(text(client.ask("CLIENT", "LIST", "TYPE", "pubsub")).lines()).hasSize(1);
      assertThat(text(client.ask("CLIENT", "LIST", "TYPE", "replica"))).isEmpty();
      assertThat(client.tell("CLIENT", "LIST", "TYPE", "foo"))
          .isEqualTo(new RespReader.Failed("ERR Unknown client type 'foo'"));
      assertThat(client.tell("CLIENT", "LIST", "ID", "x"))
          .isEqualTo(new RespReader.Failed("ERR Invalid client ID"));
      assertThat(client.tell("CLIENT", "LIST", "what"))
          .isEqualTo(new RespReader.Failed("ERR syntax error"));
    }
  }

  @Test
  void aCommandThatANodeKnowsByAnotherNameIsUnknownHere() throws Exception {
    try (Pool own = Pool.of(1, s -> s, "--rename-command", "KEYS", "SECRETKEYS");
        PlainClient client = own.client()) {
      assertThat(client.tell("SECRETKEYS", "*").toString()).contains("unknown command");
    }
  }

  @Test
  void databasesAreApart() throws Exception {
    try (PlainClient client = pool.client()) {
      client.ask("SET", "d", "zero");
      client.ask("SELECT", "3");
      assertThat(client.ask("GET", "d")).isNull();
      client.ask("SET", "d", "three");
      client.ask("SELECT", "0");
      assertThat(text(client.ask("GET", "d"))).isEqualTo("zero");
      client.ask("SELECT", "3");
      assertThat(text(client.ask("GET", "d"))).isEqualTo("three");
      assertThat(client.ask("DBSIZE")).isEqualTo(1L);
    }
  }

  @Test
  void keysOfSeveralNodesAreNotMistakenForThoseOfOne() throws Exception {
    String a = pool.keyOn(0, "a");
    String b = pool.keyOn(1, "b");
    String[][] requests = {
      {"RENAME", a, b},
      {"SINTER", a, b},
      {"BITOP", "OR", a, b},
      {"MSETNX", a, "1", b, "2"},
      {"LMOVE", a, b, "LEFT", "LEFT"},
      {"EVAL", "return 1", "2", a, b},
      {"BLPOP", a, b, "1"},
      {"PFMERGE", a, b},
      {"ZUNIONSTORE", a, "1", b},
      {"SORT", a, "STORE", b},
      {"COPY", a, b},
      {"XREAD", "STREAMS", a, b, "0", "0"},
      {"GEORADIUS", a, "1", "1", "1", "m", "STORE", b},
      {"SMOVE", a, b, "x"},
      {"WATCH", a, b},
      {"XREAD", "BLOCK", "1", "STREAMS", a, b, "0", "0"},
    };
    try (PlainClient client = pool.client()) {
      for (String[] request : requests) {
        assertThat(client.tell(request))
            .as(String.join(" ", request))
            .isEqualTo(new RespReader.Failed(Dispatcher.CROSSSLOT));
      }
      assertThat(client.tell("SORT", a, "BY", "w_*").toString()).contains("hash tag");
    }
  }

  @Test
  void stoppingAnswersWhatIsUnderWay() throws Exception {
    Pool own = Pool.of(2);
    try (PlainClient client = own.client()) {
      ByteBuf requests = Unpooled.buffer();
      for (int i = 0; i < 2_000; i++) {
        RespWriter.request(requests, "SET", "s" + i, "v".repeat(100));
      }
      client.write(requests);
      assertThat(text(client.next())).isEqualTo("OK");
      own.proxy.close();
      int answered = 1;
      try {
        while (text(client.next()).equals("OK")) {
          answered++;
        }
      } catch (java.io.IOException e) {
        long stored =
            (Long) own.servers.get(0).ask("DBSIZE") + (Long) own.servers.get(1).ask("DBSIZE");
        assertThat(stored).isEqualTo(answered);
      }
    } finally {
      own.servers.forEach(server -> server.close());
    }
  }

  @Test
  void aBlockedClientHoldsNobodyUpAndCanBeUnblocked() throws Exception {
    String list = pool.keyOn(0, "list");
    try (PlainClient blocked = pool.client();
        PlainClient other = pool.client()) {
      long id = (Long) blocked.ask("CLIENT", "ID");
      ByteBuf request = Unpooled.buffer();
      RespWriter.request(request, "BLPOP", list, "0");
      RespWriter.request(request, "PING");
      blocked.write(request);
      for (int i = 0; i < 50; i++) {
        other.ask("SET", pool.keyOn(0, "w" + i), "v");
      }
      other.ask("RPUSH", list, "x");
      assertThat(((List<?>) blocked.next()).stream().map(SessionTest::text).toList())
          .containsExactly(list, "x");
      assertThat(text(blocked.next())).isEqualTo("PONG");
      RespWriter.request(request.clear(), "BLPOP", list, "0");
      blocked.write(request);
      Raw.until(
          "it can be unblocked",
          () -> other.ask("CLIENT", "UNBLOCK", Long.toString(id)).equals(1L));
      assertThat(blocked.next()).isNull();
      RespWriter.request(request.clear(), "BLPOP", list, "0");
      blocked.write(request);
      Raw.until(
          "it waits at the node",
          () ->
              pool.servers.get(0).ask("INFO", "clients") instanceof byte[] info
                  && new String(info, StandardCharsets.UTF_8).contains("blocked_clients:1"));
    }
    Raw.until(
        "nobody waits at the node after the client has gone",
        () ->
            pool.servers.get(0).ask("INFO", "clients") instanceof byte[] info
                && new String(info, StandardCharsets.UTF_8).contains("blocked_clients:0"));
  }

  @Test
  void aNodeThatDoesNotAnswerInTimeIsAnErrorAndLaterFine() throws Exception {
    try (Pool own =
            Pool.of(
                2,
                s ->
                    SettingsDraft.of(
                        s, d -> d.nodes = s.nodes().withRequestTimeout(Duration.ofMillis(300))));
        PlainClient client = own.client()) {
      String key = own.keyOn(0, "k");
      String other = own.keyOn(1, "k");
      client.ask("SET", key, "v");
      own.servers.get(0).freeze();
      long begun = System.nanoTime();
      RespReader.Failed failed = (RespReader.Failed) client.tell("GET", key);
      assertThat(failed.text()).startsWith("ERR node n1 did not answer").contains("300 ms");
      assertThat(System.nanoTime() - begun)
          .isBetween(TimeUnit.MILLISECONDS.toNanos(290), TimeUnit.SECONDS.toNanos(3));
      assertThat(client.ask("GET", other)).isNull();
      own.servers.get(0).thaw();
      Raw.until("it answers again", () -> client.tell("GET", key) instanceof byte[]);
      own.servers.get(0).kill();
      Raw.until(
          "errors come at once",
          () ->
              client.tell("GET", key) instanceof RespReader.Failed f
                  && f.text().startsWith("CLUSTERDOWN node n1 is down"));
      own.servers.get(0).restart();
      Raw.until("it is there again", () -> client.tell("GET", key) == null);
    }
  }
}
