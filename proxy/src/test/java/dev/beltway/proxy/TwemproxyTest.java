package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.config.peers.Nutcracker;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.topology.Topology;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team moves over from the real twemproxy, and back: no key changes its server. */
@Tag("needs-redis")
@Tag("needs-peers")
@NullUnmarked // A null where none should be fails the test.
class TwemproxyTest {

  private static final int KEYS = 100_000;
  private static final int BATCH = 500;

  @Test
  void keysWrittenThroughOneAreFoundThroughTheOther(@TempDir Path folder) throws Exception {
    List<RedisProcess> servers =
        List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
    int port = RedisProcess.freePort();
    String config =
        "pool:\n  listen: 127.0.0.1:"
            + port
            + "\n  hash: fnv1a_64\n  distribution: ketama\n  hash_tag: \"{}\"\n  redis: true\n"
            + "  auto_eject_hosts: false\n  servers:\n   - "
            + servers.get(0).address()
            + ":1 alpha\n   - "
            + servers.get(1).address()
            + ":2 beta\n   - "
            + servers.get(2).address()
            + ":3\n";
    Topology topology =
        Nutcracker.read("nutcracker.yml", config.getBytes(StandardCharsets.UTF_8))
            .get(0)
            .topology();
    // What we write for it is obeyed the same way.
    String exported =
        Nutcracker.write("pool", topology).replace("127.0.0.1:22121", "127.0.0.1:" + port);
    for (String file : List.of(config, exported)) {
      for (RedisProcess server : servers) {
        server.ask("FLUSHALL");
      }
      Files.writeString(folder.resolve("n.yml"), file);
      int stats = RedisProcess.freePort();
      Process twemproxy =
          new ProcessBuilder(
                  "nutcracker",
                  "-c",
                  folder.resolve("n.yml").toString(),
                  "-s",
                  Integer.toString(stats),
                  "-o",
                  folder.resolve("log").toString())
              .start();
      try (Pool pool = Pool.over(List.of(), topology, s -> s);
          PlainClient theirs = connect(port);
          PlainClient ours = pool.client()) {
        write(theirs, "theirs:", KEYS);
        assertThat(found(ours, "theirs:", KEYS)).isEqualTo(KEYS);
        write(ours, "ours:", KEYS);
        assertThat(found(theirs, "ours:", KEYS)).isEqualTo(KEYS);
        assertThat(ours.ask("DBSIZE")).isEqualTo(2L * KEYS);
      } finally {
        twemproxy.destroy();
        twemproxy.waitFor();
      }
    }
    servers.forEach(RedisProcess::close);
  }

  private static PlainClient connect(int port) throws Exception {
    InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", port);
    for (long end = System.nanoTime() + 10_000_000_000L; ; ) {
      try {
        return PlainClient.connect(address, Pool.TIMEOUT);
      } catch (IOException e) {
        assertThat(System.nanoTime()).isLessThan(end);
      }
    }
  }

  private static String key(String begin, int number) {
    return number % 3 == 0 ? begin + "{" + number / 9 + "}:" + number : begin + number;
  }

  private static void write(PlainClient client, String begin, int count) throws Exception {
    for (int from = 0; from < count; from += BATCH) {
      ByteBuf requests = Unpooled.buffer();
      for (int i = from; i < from + BATCH; i++) {
        RespWriter.request(requests, "SET", key(begin, i), "v" + i);
      }
      client.write(requests);
      for (int i = from; i < from + BATCH; i++) {
        assertThat(RespReader.text(client.next())).isEqualTo("OK");
      }
    }
  }

  private static int found(PlainClient client, String begin, int count) throws Exception {
    int found = 0;
    for (int from = 0; from < count; from += BATCH) {
      ByteBuf requests = Unpooled.buffer();
      for (int i = from; i < from + BATCH; i++) {
        RespWriter.request(requests, "GET", key(begin, i));
      }
      client.write(requests);
      for (int i = from; i < from + BATCH; i++) {
        found += RespReader.text(client.next()).equals("v" + i) ? 1 : 0;
      }
    }
    return found;
  }
}
