package dev.beltway.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.control.testing.LiveCluster;
import dev.beltway.control.testing.Silent;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.proxy.Proxy;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every state by every class of command: a change is held in FENCING by a proxy that doesn't
 * answer, commands of all kinds are asked for on keys that move and keys that stay, and then the
 * change goes on.
 */
@Tag("needs-redis")
@Tag("long")
@NullUnmarked
@Timeout(120)
class HeldCommandsTest {

  private static final Duration SHORT = Duration.ofMillis(150);

  @TempDir Path folder;

  /** Commands by class: the key is put where the mark stands. */
  private static final List<List<String>> ON_ONE_KEY =
      List.of(
          List.of("GET", "?"),
          List.of("SET", "?", "v"),
          List.of("DEL", "?"),
          List.of("EXISTS", "?"),
          List.of("MGET", "?", "?2"),
          List.of("MSET", "?", "v", "?2", "w"),
          List.of("INCR", "?n"),
          List.of("RENAME", "?", "?2"),
          List.of("LPUSH", "?l", "x"),
          List.of("BLPOP", "?l", "1"),
          List.of("EVAL", "return redis.call('GET', KEYS[1])", "1", "?"),
          List.of("OBJECT", "ENCODING", "?"),
          List.of("EXPIRE", "?", "100"),
          List.of("DUMP", "?"),
          List.of("SORT", "?l"),
          List.of("XADD", "?x", "*", "f", "v"),
          List.of("XREAD", "COUNT", "1", "STREAMS", "?x", "0"),
          List.of("WATCH", "?"),
          List.of("PUBLISH", "?", "hello"));

  private static final List<List<String>> ABOUT_ALL =
      List.of(
          List.of("EVAL", "return 1", "0"),
          List.of("KEYS", "*"),
          List.of("SORT", "?l", "BY", "{?}w_*"),
          List.of("FLUSHALL"),
          List.of("COPY", "?", "?2", "DB", "3"));

  private static final List<List<String>> ALWAYS =
      List.of(
          List.of("PING"),
          List.of("DBSIZE"),
          List.of("SCAN", "0"),
          List.of("RANDOMKEY"),
          List.of("SCRIPT", "LOAD", "return 1"),
          List.of("TIME"),
          List.of("CLIENT", "ID"));

  private static String[] on(List<String> command, String key) {
    String tag = "{" + key + "}";
    return command.stream()
        .map(word -> word.equals("{?}w_*") ? tag + "w_*" : word.replace("?", tag))
        .toArray(String[]::new);
  }

  private static Object tell(PlainClient client, String[] words) {
    try {
      return client.tell(words);
    } catch (IOException e) {
      throw new AssertionError(String.join(" ", words) + ": " + e, e);
    }
  }

  private static boolean isHeld(Object reply) {
    return reply instanceof RespReader.Failed failed && failed.text().startsWith("TRYAGAIN");
  }

  @Test
  void commandsOnMovingKeysAreHeldAndOthersGoOn() throws Exception {
    CountDownLatch hears = new CountDownLatch(1);
    try (LiveCluster cluster = LiveCluster.started(folder, 3, 2)) {
      Proxy proxy = cluster.startProxy("one", SHORT);
      Proxy patient = cluster.startProxy("patient", Duration.ofSeconds(30));
      cluster.startProxy("silent", feed -> new Silent(feed, hears));
      Placement before = Placements.of(cluster.topology(LiveCluster.ring(), 2));
      Placement after = Placements.of(cluster.topology(LiveCluster.ring(), 3));
      String moving = key(before, after, true);
      String staying = key(before, after, false);
      try (PlainClient client = cluster.client(proxy);
          PlainClient blocked = cluster.client(patient);
          PlainClient listener = cluster.client(patient);
          PlainClient waiting = cluster.client(patient);
          PlainClient watching = cluster.client(patient);
          PlainClient fresh = cluster.client(patient)) {
        for (List<String> command : ON_ONE_KEY) {
          assertThat(isHeld(tell(client, on(command, moving)))).as("steady: %s", command).isFalse();
        }
        client.tell("UNWATCH");
        client.ask("SET", "{" + moving + "}", "kept");
        CompletableFuture<Object> pop = ask(blocked, "BLPOP", "{" + moving + "}queue", "0");
        listener.ask("SUBSCRIBE", "{" + moving + "}channel");
        watching.ask("WATCH", "{" + moving + "}");
        watching.ask("MULTI");
        watching.ask("SET", "{" + moving + "}", "never");
        cluster.addNode(2);
        cluster.awaitStatus(
            "the barrier without the silent one",
            status ->
                status.path("phase").asText().equals("FENCING")
                    && acknowledged(status, "one") >= 2
                    && acknowledged(status, "patient") >= 2);
        for (List<String> command : ON_ONE_KEY) {
          assertThat(isHeld(tell(client, on(command, moving)))).as("fencing: %s", command).isTrue();
          assertThat(isHeld(tell(client, on(command, staying))))
              .as("fencing, a key that stays: %s", command)
              .isFalse();
        }
        client.tell("UNWATCH");
        for (List<String> command : ABOUT_ALL) {
          assertThat(tell(client, on(command, moving)))
              .as("fencing: %s", command)
              .isInstanceOf(RespReader.Failed.class);
        }
        for (List<String> command : ALWAYS) {
          assertThat(tell(client, on(command, moving)))
              .as("fencing: %s", command)
              .isNotInstanceOf(RespReader.Failed.class);
        }
        // A pop that waited was released: its time is over, as it seems.
        assertThat(pop.get(10, TimeUnit.SECONDS)).isNull();
        // A watch is broken: the transaction does nothing.
        assertThat(watching.tell("EXEC")).isNull();
        for (List<String> transaction :
            List.of(
                List.of("SET", "{" + moving + "}", "x"),
                List.of("EVAL", "return redis.call('SET', 'a', 1)", "0"))) {
          client.ask("MULTI");
          client.tell(transaction.toArray(new String[0]));
          assertThat(isHeld(client.tell("EXEC"))).as("%s in MULTI", transaction).isTrue();
        }
        // What waits long enough is done by the new owner, in the order in which it was asked for.
        CompletableFuture<Object> late = ask(waiting, "APPEND", "{" + moving + "}", "!");
        cluster.ask("DELETE", "/v1/proxies/silent", "");
        cluster.awaitSteady(2);
        assertThat(late.get(20, TimeUnit.SECONDS)).isEqualTo(5L);
        assertThat(RespReader.text(fresh.ask("GET", "{" + moving + "}"))).isEqualTo("kept!");
        for (List<String> command : ON_ONE_KEY) {
          assertThat(isHeld(tell(client, on(command, moving))))
              .as("steady again: %s", command)
              .isFalse();
        }
        client.tell("UNWATCH");
        client.ask("PUBLISH", "{" + moving + "}channel", "after");
        List<?> message = (List<?>) listener.next();
        assertThat(RespReader.text(message.get(2))).isEqualTo("after");
        hears.countDown();
      }
    }
  }

  private static CompletableFuture<Object> ask(PlainClient client, String... words) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return client.tell(words);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static long acknowledged(com.fasterxml.jackson.databind.JsonNode status, String name) {
    List<Long> found = new ArrayList<>();
    status
        .path("proxies")
        .forEach(
            proxy -> {
              if (proxy.path("name").asText().equals(name)) {
                found.add(proxy.path("acknowledged").asLong());
              }
            });
    return found.isEmpty() ? 0 : found.get(0);
  }

  private static String key(Placement before, Placement after, boolean moves) {
    for (int i = 0; ; i++) {
      String tag = "t" + i;
      if (before.owner(tag).id().equals(after.owner(tag).id()) != moves) {
        return tag;
      }
    }
  }
}
