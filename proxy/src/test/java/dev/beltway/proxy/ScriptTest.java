package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scripts and functions: on every node, and there again when a node has lost them. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class ScriptTest {

  private static final String SCRIPT = "return redis.call('incr', KEYS[1])";
  private static final String LIBRARY =
      "#!lua name=lib\nredis.register_function('twice', function(k, a) return a[1] .. a[1] end)";

  private Pool pool;

  @BeforeEach
  void start() throws Exception {
    pool = Pool.of(3);
  }

  @AfterEach
  void stop() {
    pool.close();
  }

  private static String text(Object value) {
    return RespReader.text(value);
  }

  @Test
  void aLoadedScriptRunsOnEveryNodeAlsoAfterItsRestart() throws Exception {
    try (PlainClient client = pool.client()) {
      String sha = text(client.ask("SCRIPT", "LOAD", SCRIPT));
      for (int node = 0; node < 3; node++) {
        assertThat(client.ask("EVALSHA", sha, "1", pool.keyOn(node, "c"))).isEqualTo(1L);
      }
      assertThat(client.ask("SCRIPT", "EXISTS", sha, "0".repeat(40))).isEqualTo(List.of(1L, 0L));
      pool.servers.get(1).kill();
      pool.servers.get(1).restart();
      String key = pool.keyOn(1, "c");
      Raw.until("the node is back", () -> !(client.tell("GET", key) instanceof RespReader.Failed));
      assertThat(client.ask("EVALSHA", sha, "1", key)).isEqualTo(1L);
      client.ask("SCRIPT", "FLUSH");
      assertThat(client.tell("EVALSHA", sha, "1", key).toString()).contains("NOSCRIPT");
    }
  }

  @Test
  void aScriptThatANodeHasForgottenIsLoadedAgain() throws Exception {
    try (PlainClient client = pool.client()) {
      String sha = text(client.ask("SCRIPT", "LOAD", SCRIPT));
      String key = pool.keyOn(0, "c");
      pool.servers.get(0).ask("SCRIPT", "FLUSH");
      assertThat(client.ask("EVALSHA", sha, "1", key)).isEqualTo(1L);
      // With more behind it, it may not be done late: the client is told, and the next one works.
      pool.servers.get(0).ask("SCRIPT", "FLUSH");
      ByteBuf two = Unpooled.buffer();
      RespWriter.request(two, "EVALSHA", sha, "1", key);
      RespWriter.request(two, "GET", key);
      client.write(two);
      Object first = client.next();
      Object second = client.next();
      if (first instanceof RespReader.Failed failed) {
        assertThat(failed.text()).startsWith("NOSCRIPT");
        assertThat(text(second)).isEqualTo("1");
      } else {
        assertThat(text(second)).isEqualTo("2");
      }
      Raw.until("it is loaded", () -> client.tell("EVALSHA", sha, "1", key) instanceof Long);
    }
  }

  @Test
  void functionsAreOnEveryNodeAlsoAfterItsRestart() throws Exception {
    try (PlainClient client = pool.client()) {
      assertThat(text(client.ask("FUNCTION", "LOAD", LIBRARY))).isEqualTo("lib");
      assertThat(client.tell("FUNCTION", "LOAD", LIBRARY).toString()).contains("already exists");
      for (int node = 0; node < 3; node++) {
        assertThat(text(client.ask("FCALL", "twice", "1", pool.keyOn(node, "f"), "x")))
            .isEqualTo("xx");
      }
      pool.servers.get(2).kill();
      pool.servers.get(2).restart();
      String key = pool.keyOn(2, "f");
      Raw.until("the node is back", () -> !(client.tell("GET", key) instanceof RespReader.Failed));
      assertThat(text(client.ask("FCALL", "twice", "1", key, "y"))).isEqualTo("yy");
      client.ask("FUNCTION", "DELETE", "lib");
      assertThat(client.tell("FCALL", "twice", "1", key, "y").toString()).contains("not found");
      assertThat(pool.proxy.scripts().requests()).isEmpty();
    }
  }

  @Test
  void aCommandThatOnlyTheNodesKnowIsLearnt() throws Exception {
    try (PlainClient client = pool.client()) {
      // Unknown to the nodes too: one question, then the same words as a server's.
      for (int i = 0; i < 3; i++) {
        assertThat(client.tell("NOSUCH", "a", "b"))
            .isEqualTo(
                new RespReader.Failed(
                    "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' "));
      }
      for (int i = 0; i < 300; i++) {
        client.tell("XYZ" + i, "a");
      }
    }
  }
}
