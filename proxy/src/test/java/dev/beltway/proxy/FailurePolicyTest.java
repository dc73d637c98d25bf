package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What happens to the keys of a node that is gone: nothing (error), or the next node (next). */
@Tag("needs-redis")
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
@NullUnmarked // A null where none should be fails the test.
class FailurePolicyTest {

  private static ProxySettings next(ProxySettings s) {
    NodeSettings nodes = s.nodes().withRequestTimeout(Duration.ofMillis(500));
    return SettingsDraft.of(
        s,
        d -> {
          d.databases = 4;
          d.policy = FailurePolicy.NEXT;
          d.nodes = nodes;
        });
  }

  private static String got(PlainClient client, String key) throws IOException {
    Object reply = client.tell("GET", key);
    return reply == null
        ? "miss"
        : reply instanceof RespReader.Failed ? "error" : RespReader.text(reply);
  }

  private static void untilClean(Pool pool) throws Exception {
    Raw.until("nothing old can be left", () -> !pool.proxy.isDirty());
  }

  private static void untilAround(Pool pool, int nodes) throws Exception {
    Raw.until(nodes + " nodes are routed around", () -> pool.proxy.routedAround() == nodes);
  }

  @Test
  void aStoreNeverMovesAKey() throws Exception {
    try (Pool pool = Pool.of(3);
        PlainClient client = pool.client()) {
      String key = pool.keyOn(0, "k");
      client.ask("SET", key, "v1");
      for (int round = 0; round < 3; round++) {
        pool.servers.get(0).freeze();
        AtomicReference<Object> reply = new AtomicReference<>();
        Thread asker =
            new Thread(
                () -> {
                  try (PlainClient other = pool.client()) {
                    reply.set(other.tell("SET", key, "v2"));
                  } catch (IOException e) {
                    reply.set(e);
                  }
                });
        asker.start();
        TimeUnit.MILLISECONDS.sleep(300); // A stall as long as the one that lost writes elsewhere.
        pool.servers.get(0).thaw();
        asker.join();
        assertThat(RespReader.text(reply.get())).isEqualTo("OK");
        assertThat(got(client, key)).isEqualTo("v2");
        client.ask("SET", key, "v1");
      }
      pool.servers.get(0).kill();
      for (int i = 0; i < 200; i++) {
        assertThat(client.tell("SET", key, "lost")).isInstanceOf(RespReader.Failed.class);
      }
      for (RedisProcess other : pool.servers.subList(1, 3)) {
        assertThat(other.ask("EXISTS", key)).isEqualTo(0L);
      }
    }
  }

  /** Step by step as it was reported. */
  @Test
  void c18AnOldValueNeverComesBack() throws Exception {
    try (Pool pool = Pool.of(3, FailurePolicyTest::next);
        PlainClient client = pool.client()) {
      untilClean(pool);
      RedisProcess owner = pool.servers.get(0);
      String key = pool.keyOn(0, "k");
      client.ask("SET", key, "v1");
      owner.freeze();
      untilAround(pool, 1);
      assertThat(got(client, key)).isEqualTo("miss");
      client.ask("SET", key, "v2");
      assertThat(got(client, key)).isEqualTo("v2");
      owner.thaw();
      untilAround(pool, 0);
      assertThat(got(client, key)).isEqualTo("miss"); // v1 was on it, and is gone.
      client.ask("SET", key, "v3");
      assertThat(got(client, key)).isEqualTo("v3");
      owner.kill();
      for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8); System.nanoTime() < end; ) {
        assertThat(got(client, key)).isIn("miss", "error", "v3");
      }
      untilClean(pool);
      for (RedisProcess other : pool.servers.subList(1, 3)) {
        assertThat(other.ask("EXISTS", key)).isEqualTo(0L);
      }
    }
  }

  /** A write that a frozen node has in its socket is not done after the node was emptied. */
  @Test
  void whatWasSentBeforeIsNotDoneAfter() throws Exception {
    try (Pool pool = Pool.of(3, FailurePolicyTest::next);
        PlainClient client = pool.client()) {
      untilClean(pool);
      RedisProcess owner = pool.servers.get(0);
      String key = pool.keyOn(0, "k");
      client.ask("SET", key, "v1");
      owner.freeze();
      assertThat(client.tell("SET", key, "late")).isInstanceOf(RespReader.Failed.class);
      untilAround(pool, 1);
      client.ask("SET", key, "v2");
      owner.thaw();
      untilAround(pool, 0);
      untilClean(pool);
      for (int i = 0; i < 200; i++) {
        assertThat(got(client, key)).isEqualTo("miss");
      }
    }
  }

  @Test
  void aFlappingNodeGivesNoOldValueAndMovesSeldom() throws Exception {
    int seconds = Integer.getInteger("beltway.flap.seconds", 10);
    try (Pool pool = Pool.of(3, FailurePolicyTest::next)) {
      untilClean(pool);
      String key = pool.keyOn(0, "k");
      AtomicBoolean ended = new AtomicBoolean();
      AtomicReference<String> wrong = new AtomicReference<>();
      AtomicInteger reads = new AtomicInteger();
      Thread client =
          new Thread(
              () -> {
                int written = 0;
                int certain = 0;
                try (PlainClient own = pool.client()) {
                  while (!ended.get() && wrong.get() == null) {
                    written++;
                    if (!(own.tell("SET", key, Integer.toString(written))
                        instanceof RespReader.Failed)) {
                      certain = written;
                    }
                    String read = got(own, key);
                    if (read.matches("\\d+")) {
                      reads.incrementAndGet();
                      if (Integer.parseInt(read) < certain) {
                        wrong.set("read " + read + " after " + certain + " was written");
                      }
                    }
                  }
                } catch (IOException e) {
                  wrong.set(e.toString());
                }
              });
      client.start();
      long moves = 0;
      long around = 0;
      for (int second = 0; second < seconds; second++) {
        if (second % 2 == 0) {
          pool.servers.get(0).freeze();
        } else {
          pool.servers.get(0).thaw();
        }
        for (int i = 0; i < 20; i++) {
          TimeUnit.MILLISECONDS.sleep(50);
          long now = pool.proxy.routedAround();
          moves += now == around ? 0 : 1;
          around = now;
        }
      }
      pool.servers.get(0).thaw();
      ended.set(true);
      client.join();
      assertThat(wrong.get()).isNull();
      assertThat(reads.get()).isPositive();
      assertThat(moves).isLessThanOrEqualTo(6);
    }
  }

  @Test
  void killedWhileItReturnsANodeIsNotServedHalfEmptied() throws Exception {
    try (Pool pool = Pool.of(3, FailurePolicyTest::next);
        PlainClient client = pool.client()) {
      untilClean(pool);
      String key = pool.keyOn(0, "k");
      client.ask("SET", key, "v1");
      for (int round = 0; round < 2; round++) {
        pool.servers.get(0).kill();
        untilAround(pool, 1);
        client.ask("SET", key, "round" + round);
        pool.servers.get(0).restart();
        untilAround(pool, 0);
        untilClean(pool);
        assertThat(got(client, key)).isEqualTo("miss");
      }
    }
  }

  @Test
  void whatWasLeftFromAnEarlierTimeIsSweptBeforeAnybodyIsRoutedAround() throws Exception {
    List<RedisProcess> servers =
        List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
    Topology topology = Pool.topology(servers);
    String key;
    try (Pool first = Pool.over(servers, topology, s -> s)) {
      key = first.keyOn(0, "k");
      for (RedisProcess stranger : servers.subList(1, 3)) {
        stranger.ask("SET", key, "old"); // As a proxy that was killed left it.
        try (PlainClient third = stranger.client()) {
          third.ask("SELECT", "2");
          third.ask("SET", key, "old");
        }
      }
      first.proxy.close();
      try (Pool pool = Pool.over(servers, topology, FailurePolicyTest::next);
          PlainClient client = pool.client()) {
        untilClean(pool);
        servers.get(0).kill();
        untilAround(pool, 1);
        assertThat(got(client, key)).isEqualTo("miss");
        client.ask("SELECT", "2");
        assertThat(got(client, key)).isEqualTo("miss");
      }
    }
  }

  /** Killed while it routes around a node, a proxy knows of it when it starts again. */
  @Test
  void aRestartForgetsNothing(@TempDir Path folder) throws Exception {
    List<RedisProcess> servers =
        List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
    Topology topology = Pool.topology(servers);
    Path record = folder.resolve("state");
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ProxySettings settings = next(ProxySettings.usual("test", any));
    String key;
    try (Proxy first = Proxy.start(settings, topology, record)) {
      key = "k";
      String owner = first.routing().placement().owner(key).id();
      RedisProcess frozen = servers.get(Integer.parseInt(owner.substring(1)) - 1);
      try (PlainClient client = connect(first)) {
        Raw.until("nothing old can be left", () -> !first.isDirty());
        client.ask("SET", key, "old");
        frozen.freeze();
        Raw.until("it is routed around", () -> first.routedAround() == 1);
        client.ask("SET", key, "new");
      }
      assertThat(java.nio.file.Files.readString(record)).contains(owner);
      frozen.thaw();
      // As kill -9 leaves it: nothing is emptied any more.
      first.abandon();
      assertThat(frozen.ask("EXISTS", key)).isEqualTo(1L);
    }
    try (Proxy second = Proxy.start(settings, topology, record);
        PlainClient client = connect(second)) {
      for (int i = 0; i < 300; i++) {
        assertThat(got(client, key)).isIn("miss", "error");
      }
      Raw.until("nothing old can be left", () -> !second.isDirty());
      assertThat(got(client, key)).isEqualTo("miss");
      Raw.until(
          "nothing is owed", () -> !java.nio.file.Files.readString(record).contains("n" + "1\n"));
    }
    servers.forEach(RedisProcess::close);
  }

  private static PlainClient connect(Proxy proxy) throws IOException {
    return PlainClient.connect(
        InetSocketAddress.createUnresolved("127.0.0.1", proxy.address().getPort()), Pool.TIMEOUT);
  }

  /** That a node refuses a connection is no reason to empty it. */
  @Test
  void aNodeWithFewerDatabasesIsNotOut() throws Exception {
    try (Pool pool = Pool.of(3, s -> SettingsDraft.of(next(s), d -> d.databases = 64));
        PlainClient client = pool.client()) {
      untilClean(pool);
      client.ask("SET", "stays", "v");
      client.ask("SELECT", "40");
      for (int i = 0; i < 300; i++) {
        assertThat(client.tell("SET", "x" + i, "v")).isInstanceOf(RespReader.Failed.class);
        TimeUnit.MILLISECONDS.sleep(5);
      }
      client.ask("SELECT", "0");
      assertThat(got(client, "stays")).isEqualTo("v");
      assertThat(pool.proxy.routedAround()).isZero();
    }
  }

  /** With several event loops all of them change their mind together. */
  @Test
  void severalLoopsAgree() throws Exception {
    try (Pool pool = Pool.of(3, s -> SettingsDraft.of(next(s), d -> d.loops = 3))) {
      untilClean(pool);
      String key = pool.keyOn(0, "k");
      AtomicBoolean ended = new AtomicBoolean();
      AtomicReference<String> wrong = new AtomicReference<>();
      AtomicInteger written = new AtomicInteger();
      Thread writer =
          new Thread(
              () -> {
                try (PlainClient client = pool.client()) {
                  for (int i = 1; !ended.get(); i++) {
                    if (!(client.tell("SET", key, Integer.toString(i))
                        instanceof RespReader.Failed)) {
                      written.set(i);
                    }
                  }
                } catch (IOException e) {
                  wrong.set(e.toString());
                }
              });
      Thread reader =
          new Thread(
              () -> {
                try (PlainClient a = pool.client();
                    PlainClient b = pool.client()) {
                  while (!ended.get()) {
                    for (PlainClient client : List.of(a, b)) {
                      int before = written.get();
                      String read = got(client, key);
                      if (read.matches("\\d+") && Integer.parseInt(read) < before) {
                        wrong.set("read " + read + " after " + before + " was written");
                      }
                    }
                  }
                } catch (IOException e) {
                  wrong.set(e.toString());
                }
              });
      writer.start();
      reader.start();
      for (int round = 0; round < 2; round++) {
        pool.servers.get(0).freeze();
        untilAround(pool, 1);
        pool.servers.get(0).thaw();
        untilAround(pool, 0);
        untilClean(pool);
      }
      ended.set(true);
      writer.join();
      reader.join();
      assertThat(wrong.get()).isNull();
    }
  }

  @Test
  void whatCantBeDoneSafelyIsRefused() throws Exception {
    try (Pool pool = Pool.of(2)) {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      ProxySettings other = next(ProxySettings.usual("other", any));
      assertThatThrownBy(() -> Proxy.start(other, pool.topology))
          .hasMessageContaining("another proxy, beltway-test, uses node n1");
      Topology modulo =
          new Topology(
              0,
              new ModuloRule(dev.beltway.hash.HashFunctions.CRC32, false),
              List.of(
                  Node.of("a").withAddress(pool.servers.get(0).address()),
                  Node.of("b").withAddress(pool.servers.get(1).address())));
      assertThatThrownBy(() -> Proxy.start(other, modulo))
          .hasMessage("policy next: algorithm modulo has no second owner of a key");
    }
  }

  @Test
  void anotherProxyThatComesLaterBarsIt() throws Exception {
    try (Pool pool = Pool.of(2, FailurePolicyTest::next)) {
      untilClean(pool);
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (Proxy other = Proxy.start(ProxySettings.usual("other", any), pool.topology);
          PlainClient client = pool.client()) {
        assertThat(other.sessions()).isZero();
        Raw.until("it is noticed", () -> !pool.proxy.barred().isEmpty());
        pool.servers.get(0).kill();
        String key = pool.keyOn(0, "k");
        Raw.until("the node is out", () -> pool.proxy.health().state("n1") == Health.State.OUT);
        assertThat(got(client, key)).isEqualTo("error");
        assertThat(pool.proxy.routedAround()).isZero();
      }
      untilAround(pool, 1);
    }
  }
}
