package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandTable;
import dev.beltway.resp.command.Treatment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same stream of requests to one plain Redis and to the proxy over three: the replies are the
 * same, byte for byte.
 */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class DifferentialTest {

  private static final int REQUESTS = Integer.getInteger("beltway.requests", 12_000);

  /** Small collections keep the order of insertion, and waits end in good time. */
  private static final String[] OPTIONS = {
    "--hash-max-listpack-value", "1000000", "--hash-max-listpack-entries", "100000",
    "--zset-max-listpack-value", "1000000", "--zset-max-listpack-entries", "100000",
    "--set-max-intset-entries", "100000", "--hz", "500"
  };

  /** What is not drawn, and why not. */
  private static final Set<String> NOT_DRAWN =
      Set.of(
          "object help",
          "memory help",
          "xinfo help",
          "xgroup help",
          "script help",
          "pubsub help",
          "function help",
          "command help",
          "client help", // Texts for people.
          "acl genpass",
          "time",
          "lolwut",
          "randomkey",
          "scan",
          "keys", // By chance, clock or place.
          "info",
          "hello",
          "client id",
          "client info",
          "client list",
          "client kill",
          "client unblock",
          "client reply",
          "client setinfo",
          "client no-touch", // Of the proxy.
          "quit",
          "reset",
          "auth",
          "readonly",
          "readwrite", // Elsewhere.
          "function dump",
          "function stats",
          "function load",
          "function delete",
          "function flush",
          "function restore",
          "function kill",
          "script kill",
          "script flush",
          "flushdb",
          "flushall",
          "subscribe",
          "unsubscribe",
          "psubscribe",
          "punsubscribe",
          "ssubscribe",
          "sunsubscribe",
          "multi",
          "watch"); // Below, or in tests of their own.

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void repliesAreThoseOfOneServer(int protocol) throws Exception {
    long seed = Long.getLong("beltway.seed", protocol);
    Random random = new Random(seed);
    CommandSamples samples = new CommandSamples(random);
    try (RedisProcess plain = RedisProcess.start(OPTIONS);
        Pool pool = Pool.of(3, settings -> settings, OPTIONS);
        PlainClient one = plain.client();
        PlainClient proxied = pool.client()) {
      one.tell("HELLO", Integer.toString(protocol));
      proxied.tell("HELLO", Integer.toString(protocol));
      int sent = 0;
      while (sent < REQUESTS) {
        List<String[]> batch = new ArrayList<>();
        int size = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(60);
        boolean transaction = random.nextInt(10) == 0;
        int tag = random.nextInt(12);
        if (transaction) {
          batch.add(new String[] {"MULTI"});
        }
        for (int i = 0; i < size; i++) {
          String[] request = samples.next();
          if (!transaction || fitsTransaction(request)) {
            batch.add(transaction ? onTag(request, tag) : request);
          }
        }
        if (transaction) {
          batch.add(new String[] {random.nextInt(8) == 0 ? "DISCARD" : "EXEC"});
        }
        compare(one, proxied, batch, seed, random);
        sent += batch.size();
      }
    }
  }

  private static boolean fitsTransaction(String[] request) {
    Command command =
        CommandTable.redis().find(request[0].toLowerCase(java.util.Locale.ROOT)).orElse(null);
    return command != null
        && !request[request.length - 1].equals("a") // A key that isn't on the transaction's node.
        && !command.container()
        && (command.treatment() == Treatment.ONE_NODE || command.treatment() == Treatment.BLOCKING);
  }

  private static String[] onTag(String[] request, int tag) {
    String[] moved = request.clone();
    for (int i = 0; i < moved.length; i++) {
      moved[i] = moved[i].replaceAll("\\{t\\d+}", "{t" + tag + "}");
    }
    return moved;
  }

  private static void compare(
      PlainClient one, PlainClient proxied, List<String[]> batch, long seed, Random random)
      throws Exception {
    ByteBuf all = Unpooled.buffer();
    for (String[] request : batch) {
      byte[][] words = new byte[request.length][];
      for (int i = 0; i < words.length; i++) {
        words[i] = request[i].getBytes(StandardCharsets.UTF_8);
      }
      RespWriter.request(all, words);
    }
    one.write(all.duplicate());
    // In pieces, so that frames are cut anywhere.
    while (all.isReadable()) {
      int piece = random.nextInt(3) == 0 ? 1 + random.nextInt(40) : all.readableBytes();
      proxied.write(all.readSlice(Math.min(piece, all.readableBytes())));
    }
    for (String[] request : batch) {
      String expected = new String(one.nextFrame(), StandardCharsets.ISO_8859_1);
      String actual = new String(proxied.nextFrame(), StandardCharsets.ISO_8859_1);
      assertThat(settled(request, actual))
          .as("seed %d (-Dbeltway.seed): %s", seed, String.join(" ", request))
          .isEqualTo(settled(request, expected));
    }
  }

  /** What differs from moment to moment or server to server is made the same. */
  private static String settled(String[] request, String reply) {
    if (request[0].equals("TTL") || request[0].equals("PTTL")) {
      return reply.startsWith(":-") ? reply : ":some";
    }
    if (request[0].equals("CONFIG")) {
      return reply.replaceAll("\\$\\d+\r\n3600.*\r\n", "$0\r\n\r\n");
    }
    if (request[0].equals("ACL") || request.length > 1 && request[1].equals("LIST")) {
      return String.join("\n", reply.lines().sorted().toList());
    }
    if (request[0].equals("COMMAND") && reply.length() > 200) {
      return Integer.toString(reply.length()); // Maps come in the order of the server's own seed.
    }
    return reply;
  }

  @Test
  void everySupportedCommandIsDrawn() {
    Map<String, String> drawn = CommandSamples.commands();
    List<String> missing = new ArrayList<>();
    for (Command command : CommandTable.redis().commands()) {
      if (!command.container()
          && command.treatment() != Treatment.REFUSED
          && !drawn.containsKey(command.name())
          && !NOT_DRAWN.contains(command.name())) {
        missing.add(command.name());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(CommandSamples.kinds()).isGreaterThan(200);
  }
}
