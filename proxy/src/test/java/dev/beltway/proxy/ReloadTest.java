package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Obeying another topology while clients go on. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class ReloadTest {

  private static Topology with(Topology topology, List<Node> nodes) {
    return new Topology(topology.epoch() + 1, topology.rule(), nodes);
  }

  @Test
  void aNodeMovesToAnotherAddressWithoutAnError() throws Exception {
    try (Pool pool = Pool.of(3);
        RedisProcess elsewhere = RedisProcess.start();
        PlainClient client = pool.client()) {
      String key = pool.keyOn(1, "k");
      client.ask("SET", key, "old");
      elsewhere.ask("SET", key, "new");
      AtomicBoolean ended = new AtomicBoolean();
      AtomicReference<String> wrong = new AtomicReference<>();
      Thread load =
          new Thread(
              () -> {
                try (PlainClient other = pool.client()) {
                  for (int i = 0; !ended.get(); i++) {
                    other.ask("SET", "load" + i % 100, "v");
                  }
                } catch (java.io.IOException e) {
                  wrong.set(e.toString());
                }
              });
      load.start();
      List<Node> nodes = new ArrayList<>(pool.topology.nodes());
      nodes.set(1, nodes.get(1).withAddress(elsewhere.address()));
      assertThat(pool.proxy.reload(with(pool.topology, nodes))).isEmpty();
      assertThat(RespReader.text(client.ask("GET", key))).isEqualTo("new");
      assertThat(pool.proxy.reading().epoch()).isEqualTo(2);
      ended.set(true);
      load.join();
      assertThat(wrong.get()).isNull();
    }
  }

  @Test
  void whatBelongsToTheOldServerEndsWithIt() throws Exception {
    try (Pool pool = Pool.of(3);
        RedisProcess elsewhere = RedisProcess.start();
        PlainClient transaction = pool.client();
        PlainClient watcher = pool.client();
        PlainClient subscriber = pool.client();
        PlainClient blocked = pool.client()) {
      String key = pool.keyOn(1, "k");
      transaction.ask("MULTI");
      transaction.ask("SET", key, "v");
      watcher.ask("WATCH", key);
      subscriber.ask("SUBSCRIBE", key);
      ByteBuf wait = Unpooled.buffer();
      RespWriter.request(wait, "BLPOP", key, "0");
      blocked.write(wait);
      List<Node> nodes = new ArrayList<>(pool.topology.nodes());
      nodes.set(1, nodes.get(1).withAddress(elsewhere.address()));
      Raw.until(
          "it waits at the node",
          () ->
              RespReader.text(pool.servers.get(1).ask("INFO", "clients"))
                  .contains("blocked_clients:1"));
      assertThat(pool.proxy.reload(with(pool.topology, nodes))).isEmpty();
      assertThat(transaction.tell("EXEC").toString()).contains("EXECABORT").contains("try again");
      assertThat(pool.servers.get(1).ask("EXISTS", key)).isEqualTo(0L);
      assertThat(elsewhere.ask("EXISTS", key)).isEqualTo(0L);
      watcher.ask("MULTI");
      watcher.ask("SET", key, "v");
      assertThat(watcher.ask("EXEC")).isNull();
      assertThatThrownBy(subscriber::next).hasMessageContaining("closed");
      pool.servers.get(1).ask("RPUSH", key, "x");
      assertThat(blocked.next()).isInstanceOfAny(RespReader.Failed.class, List.class);
      assertThat(transaction.ask("SET", key, "new")).isNotNull();
      assertThat(elsewhere.ask("EXISTS", key)).isEqualTo(1L);
    }
  }

  @Test
  void twoNodesAtOneAddressAreRefused() throws Exception {
    try (Pool pool = Pool.of(2)) {
      List<Node> nodes = new ArrayList<>(pool.topology.nodes());
      nodes.set(1, nodes.get(1).withAddress(pool.servers.get(0).address()));
      assertThatThrownBy(() -> pool.proxy.reload(with(pool.topology, nodes)))
          .hasMessage("nodes n1 and n2 have the same address");
    }
  }

  @Test
  void aChangeThatMovesKeysIsRefusedAndChangesNothing() throws Exception {
    try (Pool pool = Pool.of(3);
        PlainClient client = pool.client()) {
      List<Node> more = new ArrayList<>(pool.topology.nodes());
      more.add(Node.of("n4").withAddress("127.0.0.1:1"));
      assertThat(pool.proxy.reload(with(pool.topology, more)))
          .contains("would move keys")
          .contains("migration");
      List<Node> heavier = new ArrayList<>(pool.topology.nodes());
      heavier.set(0, heavier.get(0).withWeight(2));
      assertThat(pool.proxy.reload(with(pool.topology, heavier))).contains("would move keys");
      // A node that owns nothing may come.
      more.set(3, more.get(3).withWeight(0));
      assertThat(pool.proxy.reload(with(pool.topology, more))).isEmpty();
      for (int i = 0; i < 100; i++) {
        client.ask("SET", "k" + i, "v");
      }
      assertThat(client.ask("DBSIZE")).isEqualTo(100L);
    }
  }
}
