package dev.beltway.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.control.testing.LiveCluster;
import dev.beltway.control.testing.Load;
import dev.beltway.control.testing.RedisNode;
import dev.beltway.handover.Names;
import dev.beltway.handover.Script;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.proxy.Proxy;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.topology.Topology;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What moves keys, on real servers: every type, big keys, pace, and what stands in the way. */
@Tag("needs-redis")
@Tag("long")
@NullUnmarked
@Timeout(120)
class MoverTest {

  private static final int COPIES = 12;

  @TempDir Path folder;

  private record Value(String digest, long ttl, String encoding) {}

  /** What every key is, wherever it is; each must be at one node only. */
  private static Map<String, Value> all(LiveCluster cluster) throws IOException {
    Map<String, Value> values = new TreeMap<>();
    for (RedisNode node : cluster.nodes) {
      for (Object each : (List<?>) node.ask("KEYS", "*")) {
        String key = RespReader.text(each);
        List<String> read = Script.COMPARE.command(List.of(key), List.of("READ", "15", "0"));
        node.ask("SCRIPT", "LOAD", Script.COMPARE.text());
        List<?> answer = (List<?>) node.ask(read.toArray(new String[0]));
        // A short text that was changed is stored as a short one again when it arrives.
        String encoding =
            RespReader.text(node.ask("OBJECT", "ENCODING", key)).replace("embstr", "raw");
        Value value = new Value(RespReader.text(answer.get(0)), (Long) answer.get(1), encoding);
        assertThat(values.put(key, value)).as("%s is at two nodes", key).isNull();
      }
    }
    return values;
  }

  private static void assertSame(Map<String, Value> before, Map<String, Value> after) {
    assertThat(after.keySet()).isEqualTo(before.keySet());
    before.forEach(
        (key, value) -> {
          Value now = after.get(key);
          assertThat(now.digest()).as(key).isEqualTo(value.digest());
          assertThat(now.encoding()).as(key).isEqualTo(value.encoding());
          if (value.ttl() < 0) {
            assertThat(now.ttl()).as("time to live of %s", key).isEqualTo(-1);
          } else { // It has become less meanwhile, by no more than this test can take.
            assertThat(now.ttl()).as(key).isBetween(value.ttl() - 100_000, value.ttl() + 1_000);
          }
        });
  }

  private static void assertPlaced(LiveCluster cluster, Topology topology) throws IOException {
    cluster.assertPlaced(topology);
    for (RedisNode node : cluster.nodes) {
      // Nothing of a hand-over is left that could matter to the next one.
      for (Object each : (List<?>) inControl(node, "KEYS", "__beltway:*")) {
        assertThat(RespReader.text(each))
            .doesNotStartWith(Names.SEALED)
            .doesNotStartWith(Names.STAGING)
            .doesNotStartWith(Names.ATTEMPT);
      }
    }
  }

  private static Object inControl(RedisNode node, String... words) throws IOException {
    StringBuilder lua = new StringBuilder("redis.call('SELECT', 15) return redis.call(");
    for (int i = 0; i < words.length; i++) {
      lua.append(i == 0 ? "" : ",").append("ARGV[").append(i + 1).append(']');
    }
    List<String> eval = new ArrayList<>(List.of("EVAL", lua.append(')').toString(), "0"));
    eval.addAll(List.of(words));
    return node.ask(eval.toArray(new String[0]));
  }

  /** Keys of every type in every encoding, some with a time to live. */
  private static void fillAll(PlainClient client) throws IOException {
    for (int i = 0; i < COPIES; i++) {
      List<String[]> commands = new ArrayList<>();
      commands.add(words("SET", "int" + i, "1234" + i));
      commands.add(words("SET", "embstr" + i, "value"));
      commands.add(words("SET", "raw" + i, "x".repeat(100)));
      commands.add(words("SETBIT", "bits" + i, "777", "1"));
      commands.add(words("PFADD", "hll" + i, "a", "b", "c"));
      commands.add(words("RPUSH", "list" + i, "a", "b", "", "1"));
      commands.add(many("RPUSH", "quicklist" + i, 1_000, 1));
      commands.add(words("SADD", "intset" + i, "1", "2", "3"));
      commands.add(many("SADD", "set" + i, 600, 1));
      commands.add(words("HSET", "hash" + i, "f", "v", "empty", ""));
      commands.add(many("HSET", "table" + i, 600, 2));
      commands.add(words("ZADD", "zset" + i, "1.5", "a", "-inf", "b", "inf", "c"));
      commands.add(manyScores("skiplist" + i, 300));
      commands.add(words("GEOADD", "geo" + i, "13.361389", "38.115556", "Palermo"));
      commands.add(words("XADD", "stream" + i, "5-1", "f", "v"));
      commands.add(words("XADD", "stream" + i, "6-1", "f", "w"));
      commands.add(words("XGROUP", "CREATE", "stream" + i, "g", "0"));
      commands.add(
          words("XREADGROUP", "GROUP", "g", "c1", "COUNT", "1", "STREAMS", "stream" + i, ">"));
      commands.add(words("XDEL", "stream" + i, "6-1"));
      for (String[] command : commands) {
        client.ask(command);
      }
      for (String name : List.of("int", "raw", "list", "set", "table", "skiplist", "stream")) {
        if (i % 2 == 0) {
          client.ask("PEXPIRE", name + i, "900000");
        }
      }
    }
    client.ask(
        "SET", new String(new byte[] {0, 10, 13, 32, 39}, StandardCharsets.ISO_8859_1), "odd");
    client.ask("SET", "", "the empty key");
  }

  private static String[] words(String... words) {
    return words;
  }

  private static String[] many(String command, String key, int count, int each) {
    List<String> words = new ArrayList<>(List.of(command, key));
    for (int i = 0; i < count; i++) {
      words.add("element" + i);
      for (int j = 1; j < each; j++) {
        words.add("value " + i);
      }
    }
    return words.toArray(new String[0]);
  }

  private static String[] manyScores(String key, int count) {
    List<String> words = new ArrayList<>(List.of("ZADD", key));
    for (int i = 0; i < count; i++) {
      words.add(Double.toString(i / 7.0));
      words.add("member" + i);
    }
    return words.toArray(new String[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"verify\":false", "\"verify\":true", "\"canary\":0.2"})
  void everyTypeAndEncodingIsTheSameAfterTheMove(String how) throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        fillAll(client);
        Map<String, Value> before = all(cluster);
        assertThat(cluster.addNode(2, how).status()).isEqualTo(202);
        cluster.awaitSteady(2);
        assertThat(cluster.nodes.get(2).size()).isGreaterThan(10);
        assertPlaced(cluster, cluster.topology(LiveCluster.ring(), 3));
        assertSame(before, all(cluster));
        JsonNode moves = cluster.ask("GET", "/v1/moves", "").body();
        assertThat(moves.size()).isEqualTo(how.contains("canary") ? 2 : 1);
        long moved = 0;
        long planned = 0;
        for (JsonNode move : moves) {
          for (JsonNode source : move.path("sources")) {
            moved += source.path("keys").path("n2").asLong();
          }
          for (JsonNode each : move.path("planned")) {
            planned += each.path("keys").path("n2").asLong();
          }
        }
        assertThat(moved).isEqualTo(cluster.nodes.get(2).size()).isEqualTo(planned);
      }
    }
  }

  /** Keys that move from the first or second to the third node, one for each name. */
  private static Map<String, String> moving(LiveCluster cluster, List<String> names) {
    Placement before = Placements.of(cluster.topology(LiveCluster.ring(), 2));
    Placement after = Placements.of(cluster.topology(LiveCluster.ring(), 3));
    Map<String, String> found = new TreeMap<>();
    for (String name : names) {
      for (int i = 0; !found.containsKey(name); i++) {
        String key = name + ":" + i;
        if (!before.owner(key).equals(after.owner(key))) {
          found.put(name, key);
        }
      }
    }
    return found;
  }

  private static void fillBig(PlainClient client, Map<String, String> keys) throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    byte[] text = new byte[900_001];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) random.nextInt(256);
    }
    client.ask("SET", keys.get("string"), new String(text, StandardCharsets.ISO_8859_1));
    for (int part = 0; part < 20; part++) {
      List<String> list = new ArrayList<>(List.of("RPUSH", keys.get("list")));
      List<String> set = new ArrayList<>(List.of("SADD", keys.get("set")));
      List<String> hash = new ArrayList<>(List.of("HSET", keys.get("hash")));
      List<String> zset = new ArrayList<>(List.of("ZADD", keys.get("zset")));
      for (int i = 0; i < 500; i++) {
        String element = part + ":" + i + ":" + random.nextLong();
        list.add(element);
        set.add(element);
        hash.addAll(List.of(element, "v" + random.nextLong()));
        zset.addAll(List.of(Double.toString(random.nextDouble()), element));
      }
      for (List<String> command : List.of(list, set, hash, zset)) {
        client.ask(command.toArray(new String[0]));
      }
      for (int i = 0; i < 250; i++) {
        client.ask(
            "XADD",
            keys.get("stream"),
            (part + 1) + "-" + (i + 1),
            "field",
            "x".repeat(80),
            "n",
            "" + i);
      }
    }
    String stream = keys.get("stream");
    client.ask("XDEL", stream, "3-3");
    client.ask("XGROUP", "CREATE", stream, "one", "0");
    client.ask("XGROUP", "CREATE", stream, "two", "9-9");
    client.ask("XGROUP", "CREATECONSUMER", stream, "two", "idle");
    client.ask("XREADGROUP", "GROUP", "one", "me", "COUNT", "700", "STREAMS", stream, ">");
    client.ask("XREADGROUP", "GROUP", "one", "you", "COUNT", "50", "STREAMS", stream, ">");
    client.ask("XACK", stream, "one", "1-1", "1-2", "2-7");
    client.ask("PEXPIRE", keys.get("hash"), "900000");
    client.ask("PEXPIRE", keys.get("stream"), "900000");
  }

  /** What a stream has beside its entries; times of consumers differ. */
  private static String groups(PlainClient client, String stream) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        shown(client.ask("XINFO", "STREAM", stream))
            .replaceAll("radix-tree-(keys|nodes), [0-9]+", ""));
    text.append(shown(client.ask("XINFO", "GROUPS", stream)));
    for (String group : List.of("one", "two")) {
      for (Object each : (List<?>) client.ask("XPENDING", stream, group, "-", "+", "10000")) {
        List<?> entry = (List<?>) each;
        text.append(shown(entry.get(0)))
            .append(shown(entry.get(1)))
            .append(entry.get(3))
            .append(' ');
      }
      text.append(
          shown(client.ask("XINFO", "CONSUMERS", stream, group)).replaceAll("idle, [0-9]+", ""));
    }
    return text.toString();
  }

  private static String shown(Object reply) {
    if (reply instanceof List<?> list) {
      List<String> all = new ArrayList<>();
      list.forEach(each -> all.add(shown(each)));
      return all.toString();
    }
    return reply instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.ISO_8859_1)
        : String.valueOf(reply);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"verify\":false", "\"verify\":true"})
  void bigKeysOfEachTypeMoveInPartsAndComeBackWhole(String how) throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      Map<String, String> keys =
          moving(cluster, List.of("string", "list", "set", "hash", "zset", "stream"));
      try (PlainClient client = cluster.client(proxy)) {
        fillBig(client, keys);
        Map<String, Value> before = digests(client, keys, cluster);
        String groups = groups(client, keys.get("stream"));
        assertThat(cluster.addNode(2, how).status()).isEqualTo(202);
        cluster.awaitSteady(2);
        assertPlaced(cluster, cluster.topology(LiveCluster.ring(), 3));
        assertThat(cluster.nodes.get(2).size()).isEqualTo(keys.size());
        assertSame(before, digests(client, keys, cluster));
        assertThat(groups(client, keys.get("stream"))).isEqualTo(groups);
        JsonNode planned = cluster.ask("GET", "/v1/moves", "").body().get(0).path("planned");
        List<String> named = new ArrayList<>();
        planned.forEach(each -> each.path("big").forEach(big -> named.add(big.asText())));
        assertThat(named).hasSize(keys.size());
        cluster.ask("DELETE", "/v1/nodes/n2", "");
        cluster.awaitSteady(3);
        assertSame(before, digests(client, keys, cluster));
        assertPlaced(cluster, cluster.topology(LiveCluster.ring(), 2));
      }
    }
  }

  /** Streams are compared by what is in them: consumers' times are part of a dump. */
  private static Map<String, Value> digests(
      PlainClient client, Map<String, String> keys, LiveCluster cluster) throws IOException {
    Map<String, Value> all = all(cluster);
    String stream = keys.get("stream");
    Value old = all.get(stream);
    String entries = shown(client.ask("XRANGE", stream, "-", "+"));
    all.put(stream, new Value(Integer.toString(entries.hashCode()), old.ttl(), old.encoding()));
    return all;
  }

  private static void assertAllThere(LiveCluster cluster, PlainClient client, int keys)
      throws IOException {
    long sum = 0;
    for (RedisNode node : cluster.nodes) {
      sum += node.size();
    }
    assertThat(sum).isEqualTo(keys);
    LiveCluster.assertAllThere(client, keys);
  }

  @Test
  void fiftyThousandKeysThatEndWhileTheyMoveAllEnd() throws IOException {
    int keys = 50_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        cluster.addNode(2, "\"keysPerSecond\":20000");
        int sent = 0;
        SplittableRandom random = new SplittableRandom(7);
        boolean seen = false;
        // In every phase, also while they move: however fast the client is, the new node has some.
        while (sent < keys || (!seen && sent < 100 * keys)) {
          ByteBuf requests = Unpooled.buffer();
          for (int i = 0; i < 100; i++, sent++) {
            String millis = Integer.toString(1 + random.nextInt(200));
            RespWriter.request(
                requests, bytes("SET"), bytes("e:" + sent), bytes("v"), bytes("PX"), bytes(millis));
          }
          client.write(requests);
          for (int i = 0; i < 100; i++) {
            client.next();
          }
          seen |= cluster.nodes.get(2).size() > 0;
        }
        assertThat(seen).isTrue();
        cluster.awaitSteady(2);
        long deadline = System.nanoTime() + 10_000_000_000L;
        long left = keys;
        while (left > 0 && System.nanoTime() < deadline) {
          left = 0;
          for (RedisNode node : cluster.nodes) {
            left += node.size();
          }
        }
        for (RedisNode node : cluster.nodes) {
          assertThat((List<?>) node.ask("KEYS", "*")).isEmpty();
        }
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void moveIsPausedSlowedDownResumedAndTakenBack() throws IOException {
    int keys = 12_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Topology two = cluster.topology(LiveCluster.ring(), 2);
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        assertThat(cluster.ask("POST", "/v1/pause", "").status()).isEqualTo(409);
        assertThat(cluster.ask("PATCH", "/v1/migration", "{\"keysPerSecond\":5}").status())
            .isEqualTo(409);
        cluster.addNode(2, "\"keysPerSecond\":2000");
        cluster.awaitStatus(
            "some keys", status -> status.path("migration").path("keys").asLong() > 500);
        assertThat(cluster.ask("POST", "/v1/pause", "{\"why\":\"lunch\"}").status()).isEqualTo(200);
        cluster.awaitStatus(
            "rest", status -> status.path("migration").path("keysPerSecond").asDouble() == 0);
        long moved = cluster.nodes.get(2).size();
        assertThat(moved).isLessThan(keys / 4);
        assertThat(cluster.status().path("pause").asText()).contains("lunch");
        // What a client asks for moves all the same.
        assertAllThere(cluster, client, keys);
        assertThat(cluster.nodes.get(2).size()).isGreaterThan(moved);
        assertThat(cluster.ask("POST", "/v1/resume", "").status()).isEqualTo(200);
        cluster.awaitSteady(2);
        assertThat(cluster.ask("DELETE", "/v1/nodes/n2?keysPerSecond=1000", "").status())
            .isEqualTo(202);
        cluster.awaitStatus(
            "some keys", status -> status.path("migration").path("keys").asLong() > 100);
        assertThat(cluster.ask("PATCH", "/v1/migration", "{\"keysPerSecond\":0}").status())
            .isEqualTo(200);
        cluster.awaitSteady(3);
        assertPlaced(cluster, two);
        assertAllThere(cluster, client, keys);
        assertThat(cluster.ask("PATCH", "/v1/migration", "{\"keysPerSecond\":-1}").status())
            .isEqualTo(400);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.5, 0.99})
  void moveThatIsTakenBackHalfwayBringsEveryKeyBack(double share) throws IOException {
    int keys = 20_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Topology two = cluster.topology(LiveCluster.ring(), 2);
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy);
          Load load = new Load(3, number -> cluster.client(proxy))) {
        LiveCluster.fill(client, keys);
        load.more(300);
        cluster.addNode(2, "\"keysPerSecond\":" + (share < 0.1 ? 100 : 4_000));
        awaitShare(cluster, share - 0.1);
        cluster.ask("PATCH", "/v1/migration", "{\"keysPerSecond\":100}"); // Not to miss it.
        awaitShare(cluster, share);
        assertThat(cluster.ask("POST", "/v1/abort", "{\"why\":\"test\"}").status()).isEqualTo(200);
        cluster.awaitStatus("the end", status -> status.path("phase").asText().equals("STEADY"));
        load.end();
        assertThat(load.wrong()).isEmpty();
        assertThat(cluster.nodes.get(2).size()).isZero();
        assertPlaced(cluster, two);
        JsonNode moves = cluster.ask("GET", "/v1/moves", "").body();
        assertThat(moves.get(1).path("outcome").asText()).isEqualTo("taken back");
      }
    }
  }

  private static void awaitShare(LiveCluster cluster, double share) throws IOException {
    cluster.awaitStatus(
        "a share of " + share,
        status -> {
          JsonNode move = status.path("migration");
          return status.path("phase").asText().equals("MOVING")
              && move.path("keys").asLong() >= share * move.path("plannedKeys").asLong();
        });
  }

  /** C30: whoever renews a time to live while the key moves keeps the key. */
  @Test
  void timesToLiveThatAreRenewedWhileKeysMoveStay() throws IOException {
    int keys = 10_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        for (int i = 0; i < 40; i++) {
          client.ask("SET", "renewed:" + i, "test", "PX", "3000");
        }
        client.ask("SET", "kept", "test", "EX", "3");
        client.ask("SET", "kept2", "test", "EX", "3");
        cluster.addNode(2, "\"keysPerSecond\":900");
        long turns = 0;
        while (!cluster.status().path("phase").asText().equals("STEADY") || turns < 20) {
          for (int i = 0; i < 40; i++) {
            String key = "renewed:" + i;
            if (i % 2 == 0) {
              assertThat(client.ask("PEXPIRE", key, "3000")).as("EXPIRE %s", key).isEqualTo(1L);
            } else {
              assertThat(client.ask("GETEX", key, "PX", "3000")).as("GETEX %s", key).isNotNull();
            }
            assertThat((Long) client.ask("PTTL", key)).isBetween(1L, 3_001L);
          }
          if (turns++ == 0) {
            client.ask("PERSIST", "kept");
            client.ask("PERSIST", "kept2");
          }
        }
        assertThat(client.ask("TTL", "kept")).isEqualTo(-1L);
        assertThat(client.ask("TTL", "kept2")).isEqualTo(-1L);
        cluster.awaitSteady(2);
      }
    }
  }

  /** C31: what somebody has put at the target meanwhile is replaced, and told by name. */
  @Test
  void copiesAtTheTargetGiveWayToWhatTheSourceHas() throws IOException {
    int keys = 5_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      Map<String, String> names = moving(cluster, List.of("equal", "other", "big"));
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        client.ask("SET", names.get("equal"), "mine");
        client.ask("SET", names.get("other"), "mine");
        client.ask("SET", names.get("big"), "b".repeat(400_000));
        cluster.addNode(2, "\"keysPerSecond\":1");
        cluster.awaitStatus("moving", status -> status.path("phase").asText().equals("MOVING"));
        cluster.ask("POST", "/v1/pause", "");
        cluster.nodes.get(2).ask("SET", names.get("equal"), "mine");
        cluster.nodes.get(2).ask("SET", names.get("other"), "theirs");
        cluster.nodes.get(2).ask("SET", names.get("big"), "theirs");
        cluster.ask("PATCH", "/v1/migration", "{\"keysPerSecond\":0}");
        cluster.ask("POST", "/v1/resume", "");
        cluster.awaitSteady(2);
        assertThat(RespReader.text(client.ask("GET", names.get("equal")))).isEqualTo("mine");
        assertThat(RespReader.text(client.ask("GET", names.get("other")))).isEqualTo("mine");
        assertThat(client.ask("STRLEN", names.get("big"))).isEqualTo(400_000L);
        String report = cluster.ask("GET", "/v1/moves", "").body().get(0).toString();
        assertThat(report).contains(names.get("other")).contains(names.get("big"));
        assertPlaced(cluster, cluster.topology(LiveCluster.ring(), 3));
      }
    }
  }

  @Test
  void scrubFindsEachPlantedFaultAndMendsIt() throws IOException {
    int keys = 3_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 3)) {
      Topology three = cluster.topology(LiveCluster.ring(), 3);
      Placement placement = Placements.of(three);
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        client.ask("SET", "twice", "right", "EX", "5000");
        cluster.nodes.get(elsewhere(placement, "twice")).ask("SET", "twice", "wrong");
        cluster.nodes.get(elsewhere(placement, "orphan")).ask("SET", "orphan", "o", "EX", "5000");
        cluster.nodes.get(elsewhere(placement, "lost")).ask("RPUSH", "lost", "a", "b");
        JsonNode found = scrub(cluster, false);
        assertThat(sum(found, "keys")).isEqualTo(keys + 4);
        assertThat(sum(found, "duplicates")).isEqualTo(1);
        assertThat(sum(found, "orphans")).isEqualTo(2);
        assertThat(sum(found, "repaired")).isZero();
        assertThat(found.toString()).contains("twice at node").contains("orphan at node");
        assertThat(client.ask("EXISTS", "orphan")).isEqualTo(0L);
        // A change is refused as long as something is in its way.
        JsonNode mended = scrub(cluster, true);
        assertThat(sum(mended, "repaired")).isEqualTo(3);
        assertThat(RespReader.text(client.ask("GET", "twice"))).isEqualTo("right");
        assertThat(RespReader.text(client.ask("GET", "orphan"))).isEqualTo("o");
        assertThat((Long) client.ask("TTL", "orphan")).isBetween(1L, 5_000L);
        assertThat(client.ask("LLEN", "lost")).isEqualTo(2L);
        assertPlaced(cluster, three);
        JsonNode again = scrub(cluster, false);
        assertThat(sum(again, "duplicates") + sum(again, "orphans")).isZero();
        String kept = Files.readString(folder.resolve("kept/removed-by-scrub-2.jsonl"));
        assertThat(kept.lines()).hasSize(3);
      }
    }
  }

  @Test
  void scrubThatCanKeepNothingRemovesNothingAndSaysWhy() throws IOException {
    Files.writeString(folder.resolve("kept"), "a file, where a folder should be");
    try (LiveCluster cluster = new LiveCluster(folder)) {
      cluster.addServer();
      cluster.addServer();
      Topology two = cluster.topology(LiveCluster.ring(), 2);
      cluster.startControl(two);
      cluster.startProxy("one");
      int wrong = elsewhere(Placements.of(two), "stray");
      cluster.nodes.get(wrong).ask("SET", "stray", "x");
      JsonNode found = scrub(cluster, true);
      assertThat(sum(found, "repaired")).isZero();
      assertThat(found.toString()).contains("can't be kept");
      assertThat(cluster.nodes.get(wrong).size()).isEqualTo(1);
      assertThat(cluster.ask("POST", "/v1/scrub", "{\"repair\":1}").status()).isEqualTo(400);
    }
  }

  private static int elsewhere(Placement placement, String key) {
    String owner = placement.owner(key).id();
    return owner.equals(LiveCluster.id(0)) ? 1 : 0;
  }

  private static long sum(JsonNode scrub, String field) {
    long sum = 0;
    for (JsonNode node : scrub.path("nodes")) {
      sum += node.path(field).asLong();
    }
    return sum;
  }

  private static JsonNode scrub(LiveCluster cluster, boolean repair) throws IOException {
    LiveCluster.Answer asked = cluster.ask("POST", "/v1/scrub", "{\"repair\":" + repair + "}");
    assertThat(asked.status()).as("%s", asked.body()).isEqualTo(202);
    long number = asked.body().path("number").asLong();
    long deadline = System.nanoTime() + 20_000_000_000L;
    JsonNode found = null;
    while (System.nanoTime() < deadline) {
      found = cluster.ask("GET", "/v1/scrub", "").body();
      if (found.path("number").asLong() == number && found.path("ended").asBoolean()) {
        return found;
      }
    }
    throw new AssertionError("the scrub did not end: " + found);
  }

  /** Why a third node is refused that was set up like this. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "80 %|maxmemory full",
        "noeviction|maxmemory 100mb|maxmemory-policy allkeys-lru",
        "replica|replicaof 127.0.0.1 1",
        "OOM|maxmemory 1",
        "NOREPLICAS|min-replicas-to-write 1",
      })
  void whatStandsAgainstAMoveIsToldAndNothingMoves(String text) throws IOException {
    String[] parts = text.split("\\|");
    int keys = 60_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        for (String part : List.of(parts).subList(1, parts.length)) {
          String[] words = part.split(" ", 2);
          if (words[0].equals("replicaof")) {
            cluster.nodes.get(2).ask("REPLICAOF", "127.0.0.1", "1");
          } else if (words[1].equals(
              "full")) { // Nearly: what would come is more than there is room.
            String info = RespReader.text(cluster.nodes.get(2).ask("INFO", "memory"));
            long used = Long.parseLong(info.replaceAll("(?s).*used_memory:([0-9]+).*", "$1"));
            cluster.nodes.get(2).ask("CONFIG", "SET", words[0], Long.toString(used + 1_500_000));
          } else {
            cluster.nodes.get(2).ask("CONFIG", "SET", words[0], words[1]);
          }
        }
        String refusal = refusal(cluster);
        assertThat(refusal).contains(parts[0]);
        assertThat(cluster.nodes.get(2).size()).isZero();
        assertThat(cluster.status().path("epoch").asLong()).isEqualTo(1);
        assertAllThere(cluster, client, keys);
      }
    }
  }

  private static String refusal(LiveCluster cluster) throws IOException {
    LiveCluster.Answer asked = cluster.addNode(2);
    assertThat(asked.status()).as("%s", asked.body()).isEqualTo(202);
    cluster.awaitStatus("steady", status -> status.path("phase").asText().equals("STEADY"));
    return cluster.ask("GET", "/v1/audit?limit=1", "").body().get(0).path("what").asText();
  }

  /** A big key that a client wants moves, and a token that breaks is mended. */
  @Test
  void whatClientsNeedGoesOnWhileAMoveIsPaused() throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      Map<String, String> names = moving(cluster, List.of("one", "two", "big"));
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, 2_000);
        client.ask("SET", names.get("one"), "1");
        client.ask("SET", names.get("two"), "2");
        client.ask("SET", names.get("big"), "b".repeat(400_000));
        cluster.addNode(2, "\"keysPerSecond\":1");
        cluster.awaitStatus("moving", status -> status.path("phase").asText().equals("MOVING"));
        assertThat(cluster.ask("POST", "/v1/pause", "").status()).isEqualTo(200);
        awaitReply(client, "400000", "STRLEN", names.get("big"));
        cluster.nodes.get(2).signal("STOP");
        Object held = client.tell("GET", names.get("one")); // The source gives up after 500 ms.
        cluster.nodes.get(2).signal("CONT");
        assertThat(held).isInstanceOf(RespReader.Failed.class);
        awaitReply(client, "1", "GET", names.get("one"));
        awaitReply(client, "2", "GET", names.get("two"));
        assertThat(cluster.status().path("pause").asText()).startsWith("wanted by");
        assertThat(cluster.ask("POST", "/v1/abort", "").status()).isEqualTo(200);
        cluster.awaitStatus("the end", status -> status.path("phase").asText().equals("STEADY"));
        assertPlaced(cluster, cluster.topology(LiveCluster.ring(), 2));
        assertThat(client.ask("STRLEN", names.get("big"))).isEqualTo(400_000L);
      }
    }
  }

  private static void awaitReply(PlainClient client, String expected, String... words)
      throws IOException {
    long deadline = System.nanoTime() + 30_000_000_000L;
    Object last = null;
    while (System.nanoTime() < deadline) {
      last = client.tell(words);
      if (shown(last).equals(expected)) {
        return;
      }
    }
    throw new AssertionError(String.join(" ", words) + " gave " + shown(last));
  }

  /** A server that doesn't know RESTORE, and one that has another password. */
  @Test
  void serversThatCannotTakeKeysAreRefusedBeforeAnythingMoves() throws IOException {
    try (LiveCluster cluster = new LiveCluster(folder);
        RedisNode without =
            RedisNode.start(
                "--requirepass", RedisNode.PASSWORD, "--rename-command", "RESTORE", "");
        RedisNode other = RedisNode.start("--masterauth", "x", "--requirepass", "other")) {
      cluster.addServer();
      cluster.addServer();
      cluster.startControl(cluster.topology(LiveCluster.ring(), 2));
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, 1_000);
        for (RedisNode node : List.of(without, other)) {
          String body = "{\"id\":\"n2\",\"address\":\"" + node.address() + "\"}";
          assertThat(cluster.ask("POST", "/v1/nodes", body).status()).isEqualTo(202);
          cluster.awaitStatus("steady", status -> status.path("phase").asText().equals("STEADY"));
          String refusal =
              cluster.ask("GET", "/v1/audit?limit=1", "").body().get(0).path("what").asText();
          assertThat(refusal).contains(node == other ? "WRONGPASS" : "keys can't go from node");
        }
        assertAllThere(cluster, client, 1_000);
      }
    }
  }

  @Test
  void whoeverWritesWithoutAProxyIsNamedAndForceGoesOn() throws IOException {
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy);
          PlainClient direct = cluster.nodes.get(0).open()) {
        LiveCluster.fill(client, 2_000);
        direct.ask("CLIENT", "SETNAME", "cron-job");
        direct.ask("SET", "key:1", "value1");
        direct.ask("DEL", "nothing");
        assertThat(refusal(cluster)).contains("cron-job").contains("without a proxy");
        cluster.addNode(2, "\"force\":true");
        cluster.awaitStatus(
            "the new node",
            status ->
                status.path("phase").asText().equals("STEADY")
                    && status.path("epoch").asLong() > 1);
        assertThat(cluster.nodes.get(2).size()).isGreaterThan(100);
      }
    }
  }

  @Test
  void targetThatGetsFullWhileKeysMoveLosesNothing() throws IOException {
    int keys = 20_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        cluster.addNode(2, "\"keysPerSecond\":5000");
        cluster.awaitStatus(
            "some keys", status -> status.path("migration").path("keys").asLong() > 500);
        cluster.nodes.get(2).ask("CONFIG", "SET", "maxmemory", "1");
        cluster.awaitStatus(
            "the reason", status -> status.path("waitsFor").toString().contains("OOM"));
        cluster.nodes.get(2).ask("CONFIG", "SET", "maxmemory", "0");
        cluster.awaitSteady(2);
        assertAllThere(cluster, client, keys);
        assertPlaced(cluster, cluster.topology(LiveCluster.ring(), 3));
      }
    }
  }

  @Test
  void weightChangesInStepsAndTheLastStepIsWhatWasAskedFor() throws IOException {
    int keys = 6_000;
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 3)) {
      Proxy proxy = cluster.startProxy("one");
      try (PlainClient client = cluster.client(proxy)) {
        LiveCluster.fill(client, keys);
        LiveCluster.Answer asked =
            cluster.ask("PATCH", "/v1/nodes/n0", "{\"weight\":0.5,\"step\":0.25}");
        assertThat(asked.status()).as("%s", asked.body()).isEqualTo(202);
        assertThat(asked.body().path("steps").asInt()).isEqualTo(4);
        long last = asked.body().path("epoch").asLong();
        JsonNode end =
            cluster.awaitStatus(
                "the last step",
                status -> status.path("phase").asText().equals("STEADY") && !status.has("gradual"));
        assertThat(end.path("epoch").asLong()).isEqualTo(last);
        assertThat(end.path("nodes").get(0).path("weight").asDouble()).isEqualTo(0.5);
        assertAllThere(cluster, client, keys);
        // With checks it waits between the steps, since nothing is measured here; an abort then
        // brings back what was before the first one.
        cluster.ask("PATCH", "/v1/nodes/n0", "{\"weight\":1,\"step\":0.5,\"checkBetween\":true}");
        cluster.awaitStatus(
            "the first step",
            status ->
                status.path("phase").asText().equals("STEADY")
                    && status.path("waitsFor").toString().contains("of 100000 requests"));
        assertThat(cluster.ask("PATCH", "/v1/nodes/n1", "{\"weight\":2}").status()).isEqualTo(409);
        assertThat(cluster.ask("POST", "/v1/abort", "").status()).isEqualTo(200);
        JsonNode back =
            cluster.awaitStatus(
                "the way back",
                status -> status.path("phase").asText().equals("STEADY") && !status.has("gradual"));
        assertThat(back.path("nodes").get(0).path("weight").asDouble()).isEqualTo(0.5);
        assertAllThere(cluster, client, keys);
      }
    }
  }
}
