package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Transaction;

/** Real client libraries with their default settings, and what others send, byte by byte. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class ClientLibrariesTest {

  private static Pool pool;

  @BeforeAll
  static void start() throws Exception {
    pool = Pool.of(3);
    try (PlainClient client = pool.client()) {
      Raw.until("all nodes have said their version", () -> client.ask("DBSIZE") instanceof Long);
    }
  }

  @AfterAll
  static void stop() {
    pool.close();
  }

  @Test
  void jedis() {
    try (RedisClient client = RedisClient.create("127.0.0.1", pool.port())) {
      client.set("jedis", "1");
      assertThat(client.get("jedis")).isEqualTo("1");
      assertThat(client.mset("ja", "1", "jb", "2", "jc", "3")).isEqualTo("OK");
      assertThat(client.mget("ja", "jb", "none", "jc")).containsExactly("1", "2", null, "3");
      client.hset("jh", Map.of("f", "v", "g", "w"));
      assertThat(client.hgetAll("jh")).containsEntry("f", "v").containsEntry("g", "w");
      assertThat(client.eval("return {KEYS[1], ARGV[1]}", 1, "jk", "x"))
          .isEqualTo(List.of("jk", "x"));
      client.lpush("jl", "a");
      assertThat(client.blpop(1, "jl").toString()).contains("a");
      assertThat(client.del("ja", "jb", "jc")).isEqualTo(3);
    }
    try (Jedis jedis = new Jedis("127.0.0.1", pool.port())) {
      jedis.set("{j}1", "1");
      Transaction transaction = jedis.multi();
      transaction.incr("{j}1");
      transaction.set("{j}2", "x");
      assertThat(transaction.exec()).containsExactly(2L, "OK");
    }
  }

  @Test
  void lettuce() throws Exception {
    io.lettuce.core.RedisClient client =
        io.lettuce.core.RedisClient.create(RedisURI.create("127.0.0.1", pool.port()));
    try (StatefulRedisConnection<String, String> connection = client.connect();
        StatefulRedisPubSubConnection<String, String> subscriber = client.connectPubSub()) {
      RedisCommands<String, String> redis = connection.sync();
      redis.set("lettuce", "1");
      assertThat(redis.get("lettuce")).isEqualTo("1");
      redis.hset("lh", Map.of("f", "v"));
      assertThat(redis.hgetall("lh")).isEqualTo(Map.of("f", "v"));
      redis.zadd("lz", 1.5, "m");
      assertThat(redis.zscore("lz", "m")).isEqualTo(1.5);
      redis.watch("lettuce");
      redis.multi();
      redis.incr("lettuce");
      assertThat((Long) redis.exec().get(0)).isEqualTo(2L);
      CompletableFuture<String> heard = new CompletableFuture<>();
      subscriber.addListener(
          new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
              heard.complete(channel + " " + message);
            }
          });
      subscriber.sync().subscribe("lettuce-news");
      redis.publish("lettuce-news", "hello");
      assertThat(heard.get(10, TimeUnit.SECONDS)).isEqualTo("lettuce-news hello");
      List<CompletableFuture<String>> pipelined = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        pipelined.add(connection.async().set("lp" + i, "v" + i).toCompletableFuture());
      }
      for (CompletableFuture<String> each : pipelined) {
        assertThat(each.get(10, TimeUnit.SECONDS)).isEqualTo("OK");
      }
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  private static final String IOREDIS =
      """
      const Redis = require('ioredis');
      (async () => {
        const redis = new Redis(PORT, '127.0.0.1', { maxRetriesPerRequest: 1 });
        await redis.set('io', '1');
        const sub = new Redis(PORT, '127.0.0.1');
        const heard = new Promise(r => sub.on('message', (c, m) => r(c + ' ' + m)));
        await sub.subscribe('io-news');
        await redis.publish('io-news', 'hello');
        const out = [await redis.get('io'), await redis.mget('io', 'none'), await heard];
        out.push(await redis.pipeline().set('{io}a', 1).incr('{io}a').exec());
        out.push(await redis.multi().incr('{io}a').exec());
        out.push(await redis.eval('return ARGV[1]', 1, 'k', 'x'));
        await redis.hset('ioh', 'f', 'v');
        out.push(await redis.hgetall('ioh'));
        console.log(JSON.stringify(out));
        redis.disconnect(); sub.disconnect();
      })().catch(e => { console.error(e); process.exit(1); });
      """;

  private static final String NODE_REDIS =
      """
      const { createClient } = require('redis');
      (async () => {
        const client = createClient({ url: 'redis://127.0.0.1:PORT' });
        client.on('error', e => { console.error(e); process.exit(1); });
        await client.connect();
        await client.set('nr', '1');
        const sub = client.duplicate();
        await sub.connect();
        const heard = new Promise(r => sub.subscribe('nr-news', (m, c) => r(c + ' ' + m)));
        await new Promise(r => setTimeout(r, 50));
        await client.publish('nr-news', 'hello');
        const out = [await client.get('nr'), await client.mGet(['nr', 'none']), await heard];
        out.push(await client.multi().set('{nr}a', '1').incr('{nr}a').exec());
        out.push(await client.eval('return ARGV[1]', { keys: ['k'], arguments: ['x'] }));
        await client.hSet('nrh', 'f', 'v');
        out.push(await client.hGetAll('nrh'));
        console.log(JSON.stringify(out));
        client.destroy(); sub.destroy();
      })().catch(e => { console.error(e); process.exit(1); });
      """;

  @Test
  @Tag("needs-npm")
  void ioredis(@TempDir Path folder) throws Exception {
    assertThat(node(folder, "ioredis@6.0.0", IOREDIS))
        .isEqualTo(
            "[\"1\",[\"1\",null],\"io-news hello\",[[null,\"OK\"],[null,2]],[[null,3]],\"x\",{\"f\":\"v\"}]");
  }

  @Test
  @Tag("needs-npm")
  void nodeRedis(@TempDir Path folder) throws Exception {
    assertThat(node(folder, "redis@6.3.1", NODE_REDIS))
        .isEqualTo("[\"1\",[\"1\",null],\"nr-news hello\",[\"OK\",2],\"x\",{\"f\":\"v\"}]");
  }

  private static String node(Path folder, String library, String script) throws Exception {
    run(
        folder,
        "npm",
        "install",
        "--no-save",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
        library);
    Files.writeString(
        folder.resolve("script.js"), script.replace("PORT", Integer.toString(pool.port())));
    return run(folder, "node", "script.js").strip();
  }

  private static String run(Path folder, String... command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(folder.resolve("errors.txt").toFile())
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor())
        .as(String.join(" ", command) + "\n" + Files.readString(folder.resolve("errors.txt")))
        .isZero();
    return out;
  }

  private static String frame(String... words) {
    StringBuilder frame = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      frame.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return frame.toString();
  }

  /** What redis-py 8.1 and go-redis 9.22 send when they connect, then a little work. */
  @Test
  void theOpeningsOfRedisPyAndGoRedisAreAnsweredAsAServerDoes() throws Exception {
    String work = frame("SET", "o", "1") + frame("GET", "o") + frame("ECHO", "end-of-it");
    String redisPy =
        frame("HELLO", "3")
            + frame("CLIENT", "MAINT_NOTIFICATIONS", "ON", "moving-endpoint-type", "internal-ip")
            + frame("CLIENT", "SETINFO", "LIB-NAME", "redis-py")
            + frame("CLIENT", "SETINFO", "LIB-VER", "8.1.0")
            + frame("SELECT", "0");
    String goRedis =
        frame("hello", "3")
            + frame("client", "maint_notifications", "on", "moving-endpoint-type", "internal-ip")
            + frame("client", "setinfo", "LIB-NAME", "go-redis(,go1.24)")
            + frame("client", "setinfo", "LIB-VER", "9.22.0");
    try (RedisProcess plain = RedisProcess.start()) {
      for (String opening : List.of(redisPy, goRedis)) {
        for (boolean slowly : new boolean[] {false, true}) {
          String expected = answers(plain.port(), opening + work, slowly);
          String actual = answers(pool.port(), opening + work, slowly);
          // SETINFO came with 7.2: this server doesn't know it, we do.
          assertThat(actual)
              .isEqualTo(
                  expected.replaceAll(
                      "(?i)-ERR unknown subcommand 'setinfo'. Try CLIENT HELP.\r\n", "+OK\r\n"));
        }
      }
    }
  }

  private static String answers(int port, String bytes, boolean slowly) throws Exception {
    try (Raw raw = new Raw(port)) {
      if (slowly) {
        for (int i = 0; i < bytes.length(); i++) {
          raw.send(bytes.substring(i, i + 1));
        }
      } else {
        raw.send(bytes);
      }
      return raw.readUntil("end-of-it\r\n").replaceAll("id\r\n:\\d+", "id\r\n:N");
    }
  }
}
