package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What went wrong for users of other proxies; each with its whole kind. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class ProxyTroubleReportsTest {

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

  @BeforeEach
  void empty() throws Exception {
    for (RedisProcess server : pool.servers) {
      server.ask("FLUSHALL");
    }
    plain.ask("FLUSHALL");
  }

  private static List<String> texts(Object list) {
    List<String> texts = new ArrayList<>();
    ((List<?>) list).forEach(each -> texts.add(each == null ? "nil" : RespReader.text(each)));
    return texts;
  }

  @Test
  void c22ValuesOfSeveralServersComeInTheOrderAsked() throws Exception {
    try (PlainClient client = pool.client()) {
      assertThat(RespReader.text(client.ask("MSET", "k1", "a", "k2", "b", "k3", "c")))
          .isEqualTo("OK");
      assertThat(texts(client.ask("MGET", "k3", "k1", "nokey", "k2", "k3")))
          .containsExactly("c", "a", "nil", "b", "c");
      assertThat(client.ask("DEL", "k1", "k2", "nokey")).isEqualTo(2L);
      client.ask("SET", "{a}1", "x");
      assertThat(texts(client.ask("MGET", "{a}1", "{a}1"))).containsExactly("x", "x");
      assertThat(texts(client.ask("MGET", "{a}1", "{b}1"))).containsExactly("x", "nil");
      for (int count : new int[] {1, 2, 1_000, 10_000}) {
        String[] mset = new String[2 * count + 1];
        String[] mget = new String[count + 1];
        List<String> expected = new ArrayList<>();
        mset[0] = "MSET";
        mget[0] = "MGET";
        for (int i = 0; i < count; i++) {
          mset[2 * i + 1] = "key:" + i;
          mset[2 * i + 2] = "value " + i;
          mget[i + 1] = "key:" + (count - 1 - i);
          expected.add("value " + (count - 1 - i));
        }
        client.ask(mset);
        assertThat(texts(client.ask(mget))).isEqualTo(expected);
        String[] many = mget.clone();
        many[0] = "EXISTS";
        assertThat(client.ask(many)).isEqualTo((long) count);
        many[0] = "TOUCH";
        assertThat(client.ask(many)).isEqualTo((long) count);
        many[0] = "UNLINK";
        assertThat(client.ask(many)).isEqualTo((long) count);
      }
    }
  }

  /** Frames of very many elements cost what they weigh, on the way in and on the way out. */
  @Test
  void c22VeryManyElementsTakeNoLongerThanTheyMust() throws Exception {
    int count = 200_000;
    String[] push = new String[count + 2];
    push[0] = "RPUSH";
    push[1] = "many";
    String[] exists = new String[count + 1];
    exists[0] = "EXISTS";
    for (int i = 0; i < count; i++) {
      push[i + 2] = "v" + i;
      exists[i + 1] = "k" + i;
    }
    try (PlainClient client = pool.client();
        PlainClient other = pool.client()) {
      long begun = System.nanoTime();
      assertThat(client.ask(push)).isEqualTo((long) count);
      assertThat((List<?>) client.ask("LRANGE", "many", "0", "-1")).hasSize(count);
      assertThat(client.ask(exists)).isEqualTo(0L);
      exists[0] = "MGET";
      assertThat((List<?>) client.ask(exists)).hasSize(count);
      assertThat(other.ask("GET", "elsewhere")).isNull();
      assertThat(System.nanoTime() - begun).isLessThan(10_000_000_000L);
      client.ask("DEL", "many");
    }
  }

  @Test
  void c22WithAServerGoneTheWholeCommandFailsAndTheConnectionStays() throws Exception {
    try (Pool broken = Pool.of(3);
        PlainClient client = broken.client()) {
      String[] keys = {broken.keyOn(0, "a"), broken.keyOn(1, "b"), broken.keyOn(2, "c")};
      client.ask("MSET", keys[0], "1", keys[1], "2", keys[2], "3");
      broken.servers.get(1).kill();
      for (int i = 0; i < 20; i++) {
        Object reply = client.tell("MGET", keys[0], keys[1], keys[2]);
        assertThat(reply).isInstanceOf(RespReader.Failed.class);
        assertThat(((RespReader.Failed) reply).text()).contains("node n2");
        assertThat(texts(client.ask("MGET", keys[2], keys[0]))).containsExactly("3", "1");
      }
      assertThat(client.tell("DEL", keys[0], keys[1])).isInstanceOf(RespReader.Failed.class);
    }
  }

  @Test
  void c23EveryLengthComesBackAsItWas() throws Exception {
    Set<Integer> lengths = new TreeSet<>(List.of(0, 1, 1 << 20));
    for (int at : new int[] {16306, 16307, 32642, 32643, 48978, 48979, 65314, 65315}) {
      lengths.add(at);
    }
    for (int power = 9; power <= 20; power++) {
      int step = power < 15 ? 1 : 7;
      for (int off = -40; off <= 40; off += step) {
        lengths.add((1 << power) + off);
      }
    }
    try (PlainClient client = pool.client()) {
      List<Integer> all = new ArrayList<>(lengths);
      for (int from = 0; from < all.size(); from += 20) {
        List<Integer> some = all.subList(from, Math.min(all.size(), from + 20));
        ByteBuf requests = Unpooled.buffer();
        for (int length : some) {
          RespWriter.request(requests, bytes("SET"), bytes("key" + length), value(length));
        }
        for (int length : some) {
          RespWriter.request(requests, "GET", "key" + length);
        }
        new Thread(() -> write(client, requests)).start();
        for (int length : some) {
          assertThat(RespReader.text(client.next())).as("SET of %d bytes", length).isEqualTo("OK");
        }
        for (int length : some) {
          assertThat(Arrays.equals((byte[]) client.next(), value(length)))
              .as("GET of %d bytes", length)
              .isTrue();
        }
      }
      byte[] large = value(64 << 20);
      assertThat(RespReader.text(client.tell(bytes("SET"), bytes("large"), large))).isEqualTo("OK");
      assertThat(Arrays.equals((byte[]) client.ask("GET", "large"), large)).isTrue();
      client.ask("DEL", "large");
    }
  }

  private static void write(PlainClient client, ByteBuf bytes) {
    try {
      client.write(bytes);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Every third value is made of line ends alone. */
  private static byte[] value(int length) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (length % 3 == 0 ? "\r\n".charAt(i % 2) : length + i * 31);
    }
    return value;
  }

  @Test
  void c24ScanMeetsEveryKeyAndHasTheShapeOfAServersReply() throws Exception {
    try (PlainClient client = pool.client()) {
      Set<String> stay = new HashSet<>();
      int[] wanted = {64, 66, 70};
      for (int server = 0; server < 3; server++) {
        for (int i = 0, found = 0; found < wanted[server]; i++) {
          String key = "scan:" + i;
          if (pool.owner(key) == pool.servers.get(server)) {
            client.ask("SET", key, "v");
            stay.add(key);
            found++;
          }
        }
      }
      assertThat(stay).hasSize(200);
      assertThat(client.ask("DBSIZE")).isEqualTo(200L);
      assertThat(scan(client)).isEqualTo(stay);
      assertThat(scan(client, "COUNT", "10")).isEqualTo(stay);
      assertThat(scan(client, "COUNT", "10", "MATCH", "scan:1*"))
          .isEqualTo(new HashSet<>(stay.stream().filter(k -> k.startsWith("scan:1")).toList()));
      client.ask("RPUSH", "a-list", "v");
      assertThat(scan(client, "COUNT", "7", "TYPE", "list")).containsExactly("a-list");
      assertThat(texts(client.ask("KEYS", "scan:*"))).hasSize(200);
      // Keys that come and go meanwhile don't hide those that stay.
      Set<String> seen = new HashSet<>();
      String cursor = "0";
      int round = 0;
      do {
        List<?> reply = (List<?>) client.ask("SCAN", cursor, "COUNT", "10");
        assertThat(reply).hasSize(2);
        cursor = RespReader.text(reply.get(0));
        assertThat(cursor).matches("[0-9]{1,20}");
        seen.addAll(texts(reply.get(1)));
        for (int i = 0; i < 20; i++) {
          client.ask("SET", "new:" + round + ":" + i, "v");
          client.ask("DEL", "new:" + (round - 1) + ":" + i);
        }
        round++;
      } while (!cursor.equals("0"));
      assertThat(seen).containsAll(stay);
      for (String bad :
          new String[] {"12345678901234567890", "abc", "-1", "", "18446744073709551616", "3"}) {
        assertThat(client.tell("SCAN", bad))
            .as(bad)
            .isEqualTo(new RespReader.Failed("ERR invalid cursor"));
      }
      assertThat(client.ask("PING")).isNotNull();
    }
  }

  private static Set<String> scan(PlainClient client, String... options) throws Exception {
    Set<String> keys = new HashSet<>();
    String cursor = "0";
    do {
      String[] words = new String[options.length + 2];
      words[0] = "SCAN";
      words[1] = cursor;
      System.arraycopy(options, 0, words, 2, options.length);
      List<?> reply = (List<?>) client.ask(words);
      cursor = RespReader.text(reply.get(0));
      keys.addAll(texts(reply.get(1)));
    } while (!cursor.equals("0"));
    return keys;
  }

  @Test
  void c25HandshakesKeepTheConnection() throws Exception {
    String[][] openings = {
      {"HELLO", "3"},
      {"HELLO", "3", "SETNAME", "x"},
      {"HELLO", "9"},
      {"CLIENT", "SETNAME", "x"},
      {"CLIENT", "SETINFO", "LIB-NAME", "y"},
      {"CLIENT", "SETINFO", "LIB-VER", "1"},
      {"INFO"},
      {"COMMAND"},
      {"COMMAND", "DOCS"},
      {"SELECT", "0"},
      {"SELECT", "5"},
      {"AUTH", "p"},
      {"AUTH", "user", "p"},
      {"NOSUCHCMD"},
      {"CLIENT", "MAINT_NOTIFICATIONS", "ON"},
      {"CLIENT", "ID"},
      {"CLIENT", "INFO"},
      {"CLIENT", "LIST"},
      {"CONFIG", "GET", "save"},
      {"READONLY"},
      {"CLIENT", "TRACKING", "ON"},
      {"CLUSTER", "SLOTS"},
      {"CLUSTER", "INFO"},
      {"LOLWUT"},
      {"ROLE"},
      {"MONITOR"},
      {"SHUTDOWN"},
      {"DEBUG", "SLEEP", "0"},
      {"WAIT", "1", "0"},
      {"REPLICAOF", "a", "1"},
      {"CLIENT", "PAUSE", "1"},
      {"MIGRATE", "h", "1", "k", "0", "1"},
    };
    for (String[] opening : openings) {
      try (PlainClient client = pool.client()) {
        client.tell(opening);
        assertThat(RespReader.text(client.ask("PING")))
            .as(String.join(" ", opening))
            .isEqualTo("PONG");
      }
    }
    try (PlainClient client = pool.client()) {
      assertThat(client.tell("HELLO", "9"))
          .isEqualTo(new RespReader.Failed("NOPROTO unsupported protocol version"));
      assertThat(client.tell("CLUSTER", "SLOTS").toString()).contains("round the proxy");
      Object hello = client.ask("HELLO", "3", "SETNAME", "mine");
      assertThat(texts(hello)).contains("server", "redis", "proto", "3", "mode", "standalone");
      assertThat(RespReader.text(client.ask("CLIENT", "GETNAME"))).isEqualTo("mine");
      assertThat(RespReader.text(client.ask("CLIENT", "INFO"))).contains("name=mine", "resp=3");
    }
  }

  @Test
  void c26SpoiledRequestsAreAnsweredAsAServerDoes() throws Exception {
    String set = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n";
    String[] inputs = {
      set + "*3\r\n$3\r\nSET\r\n$5\r\nabcd\r\n$3\r\nxyz\r\n*1\r\n$4\r\nPING\r\n",
      "*1\r\n$4\r\nMGET\r\n",
      "*4\r\n$4\r\nMSET\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n",
      "\r\n\r\nPING\r\n",
      "set \"a b\" 'c d'\r\nget \"a b\"\r\n",
      "set \"a\\x41\\n\\\"\" '\\'q'\r\nget \"aA\\n\\\"\"\r\n",
      "SET q \"open\r\n",
      "SET q \"x\"y\r\n",
      "*0\r\n",
      "*-1\r\n",
      "*-10\r\n",
      "*abc\r\n",
      "*1 \r\n",
      "*+1\r\n$4\r\nPING\r\n",
      "*01\r\n$4\r\nPING\r\n",
      "*3\r\n$3\r\nSET\r\n$-1\r\n",
      "*2\r\n$3\r\nGET\r\n$600000000\r\n",
      "*2\r\n$3\r\nGET\r\n$abc\r\n",
      "*2\r\n$3\r\nGET\r\n:5\r\n",
      "*2\r\n$3\r\nGET\r\nabc\r\n",
      "*1\r\n$0\r\n\r\n",
      "*2\r\n$0\r\n\r\n$1\r\na\r\n",
      "ping\n",
      "   ping   \r\n",
      "get\r\n",
      "nosuch \"a b\" c\r\n",
      "*2\r\n$4\r\nECHO\r\n$3\r\n\r\n\0\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\n\r\nSET pwned yes\r\n",
      "Host: foo\r\nPING\r\n",
      "*2\r\n$6\r\nXGROUP\r\n$2\r\n\u00ff\u00fe\r\n",
      "*2\r\n$3\r\nFOO\r\n$4\r\na\u00e9\0b\r\n",
      set,
    };
    for (String input : inputs) {
      String shown = input.length() > 60 ? input.substring(0, 60) + "…" : input;
      String expected = Raw.exchange(plain.port(), input, false);
      assertThat(Raw.exchange(pool.port(), input, false)).as(shown).isEqualTo(expected);
      if (input.length() < 1_000 && !expected.endsWith("<closed>")) {
        assertThat(Raw.exchange(pool.port(), input, true))
            .as("slowly: " + shown)
            .isEqualTo(expected);
      }
    }
    String[] endless = {
      "x".repeat(70_000), "*" + "1".repeat(70_000), "*1\r\n$" + "1".repeat(70_000),
    };
    for (String line : endless) {
      try (Raw server = new Raw(plain.port());
          Raw proxied = new Raw(pool.port())) {
        assertThat(proxied.send(line).rest())
            .startsWith("-ERR Protocol error: too big ")
            .isEqualTo(server.send(line).rest());
      }
    }
    for (String half : new String[] {"*3\r\n$3\r\nSE", "*2\r\n$3\r\nGET\r\n$100\r\nabc", "get"}) {
      try (Raw raw = new Raw(pool.port())) {
        assertThat(raw.send(half).finish()).isEqualTo("<closed>");
      }
    }
    try (Raw raw = new Raw(pool.port())) {
      // What came before the client ended its side is answered.
      assertThat(raw.send(set + "*2\r\n$3\r\nGET\r\n$1\r\na\r\n").finish())
          .isEqualTo("+OK\r\n$1\r\n1\r\n<closed>");
    }
  }
}
