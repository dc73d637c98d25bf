package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels, patterns and shard channels, beside what one server says. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class SubscriptionTest {

  private static Pool pool;
  private static RedisProcess plain;

  @BeforeAll
  static void start() throws Exception {
    pool = Pool.of(3);
    plain = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    pool.close();
    plain.close();
  }

  /** What a subscriber is told, line by line, in a conversation that is the same for both. */
  private static String conversation(int port, int protocol) throws Exception {
    StringBuilder heard = new StringBuilder();
    try (Raw subscriber = new Raw(port);
        Raw publisher = new Raw(port)) {
      subscriber.send("HELLO " + protocol + "\r\n");
      subscriber.readUntil("modules\r\n");
      subscriber.readUntil("*0\r\n");
      subscriber.send("SUBSCRIBE a b c a\r\nPSUBSCRIBE p*\r\nSSUBSCRIBE s1 s2\r\n");
      heard.append(subscriber.readUntil("s2\r\n:2\r\n"));
      publisher.send(
          "PUBLISH a one\r\nPUBLISH p1 two\r\nPUBLISH nobody x\r\nSPUBLISH s2 three\r\n");
      heard.append(publisher.read(16));
      List<String> messages = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String last = subscriber.readUntil("message\r\n");
        int values = last.contains("pmessage") ? 3 : 2;
        StringBuilder message = new StringBuilder(last);
        for (int value = 0; value < 2 * values; value++) {
          message.append(subscriber.readUntil("\r\n"));
        }
        messages.add(message.toString());
      }
      messages.sort(null); // From three nodes they come in any order.
      return heard + String.join("", messages);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void confirmationsAndMessagesAreThoseOfAServer(int protocol) throws Exception {
    assertThat(conversation(pool.port(), protocol)).isEqualTo(conversation(plain.port(), protocol));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void unsubscribingIsConfirmedAsAServerDoes(int protocol) throws Exception {
    List<String> heard = new ArrayList<>();
    for (int port : new int[] {plain.port(), pool.port()}) {
      try (Raw raw = new Raw(port)) {
        raw.send("HELLO " + protocol + "\r\n");
        raw.readUntil("modules\r\n");
        raw.readUntil("*0\r\n");
        raw.send(
            "SUBSCRIBE a b\r\nUNSUBSCRIBE b nosuch\r\nPSUBSCRIBE q*\r\nUNSUBSCRIBE a\r\nPUNSUBSCRIBE\r\n"
                + "UNSUBSCRIBE\r\nSUNSUBSCRIBE\r\nPUNSUBSCRIBE x\r\nECHO end\r\n");
        heard.add(raw.readUntil("end\r\n"));
      }
    }
    assertThat(heard.get(1)).isEqualTo(heard.get(0));
  }

  @Test
  void underResp2ASubscriberMayAskLittle() throws Exception {
    String asked = "SUBSCRIBE a\r\nGET x\r\nPING\r\nPING hi\r\nUNSUBSCRIBE a\r\nECHO end\r\n";
    List<String> heard = new ArrayList<>();
    for (int port : new int[] {plain.port(), pool.port()}) {
      try (Raw raw = new Raw(port)) {
        heard.add(raw.send(asked).readUntil("end\r\n"));
      }
    }
    assertThat(heard.get(1)).isEqualTo(heard.get(0));
  }

  @Test
  void underResp3RepliesAndMessagesMix() throws Exception {
    try (PlainClient subscriber = pool.client();
        PlainClient publisher = pool.client()) {
      subscriber.ask("HELLO", "3");
      subscriber.ask("SUBSCRIBE", "news");
      assertThat(publisher.ask("PUBLISH", "news", "1")).isEqualTo(1L);
      assertThat(((List<?>) subscriber.next()).size()).isEqualTo(3);
      subscriber.ask("SET", "beside", "v");
      assertThat(RespReader.text(subscriber.ask("GET", "beside"))).isEqualTo("v");
      List<?> counts = (List<?>) publisher.ask("PUBSUB", "NUMSUB", "news", "none");
      assertThat(counts.stream().map(RespReader::text).toList())
          .containsExactly("news", "1", "none", "0");
      List<?> twice = (List<?>) publisher.ask("PUBSUB", "NUMSUB", "news", "news");
      assertThat(twice.stream().map(RespReader::text).toList())
          .containsExactly("news", "1", "news", "1");
    }
  }

  @Test
  void everySubscriberHearsEveryMessageOnceAndInOrder() throws Exception {
    int messages = 2_000;
    List<PlainClient> subscribers = new ArrayList<>();
    try (PlainClient publisher = pool.client()) {
      for (int i = 0; i < 5; i++) {
        PlainClient subscriber = pool.client();
        subscribers.add(subscriber);
        subscriber.ask(i % 2 == 0 ? "SUBSCRIBE" : "PSUBSCRIBE", "room");
      }
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < messages; i++) {
                    assertThat(publisher.ask("PUBLISH", "room", "m" + i)).isEqualTo(5L);
                  }
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      writer.start();
      for (PlainClient subscriber : subscribers) {
        for (int i = 0; i < messages; i++) {
          List<?> message = (List<?>) subscriber.next();
          assertThat(RespReader.text(message.get(message.size() - 1))).isEqualTo("m" + i);
        }
      }
      writer.join();
    } finally {
      subscribers.forEach(PlainClient::close);
    }
    Raw.until(
        "nobody is subscribed any more",
        () -> {
          try (PlainClient client = pool.client()) {
            return client.ask("PUBSUB", "NUMPAT").equals(0L)
                && client.ask("PUBLISH", "room", "x").equals(0L);
          }
        });
  }

  @Test
  void keyspaceNotificationsComeFromEveryNode() throws Exception {
    for (RedisProcess server : pool.servers) {
      server.ask("CONFIG", "SET", "notify-keyspace-events", "KEA");
    }
    try (PlainClient subscriber = pool.client();
        PlainClient writer = pool.client()) {
      subscriber.ask("SUBSCRIBE", "__keyevent@0__:set");
      List<?> count = (List<?>) writer.ask("PUBSUB", "NUMSUB", "__keyevent@0__:set");
      assertThat(count.get(1)).isEqualTo(1L);
      for (int server = 0; server < 3; server++) {
        String key = pool.keyOn(server, "notified");
        writer.ask("SET", key, "v");
        assertThat(RespReader.text(((List<?>) subscriber.next()).get(2))).isEqualTo(key);
      }
    }
  }

  @Test
  void aSubscriberOfANodeThatIsLostIsDisconnectedAndToldWhenItComesTooSoon() throws Exception {
    try (Pool own = Pool.of(2);
        PlainClient subscriber = own.client()) {
      String channel = own.keyOn(0, "c");
      subscriber.ask("SUBSCRIBE", channel);
      own.servers.get(0).kill();
      org.assertj.core.api.Assertions.assertThatThrownBy(subscriber::next)
          .hasMessageContaining("closed");
      try (PlainClient late = own.client()) {
        Raw.until(
            "the node counts as down",
            () -> late.tell("GET", channel).toString().contains("CLUSTERDOWN"));
        assertThat(late.tell("SUBSCRIBE", channel).toString()).contains("node n1");
      }
    }
  }
}
