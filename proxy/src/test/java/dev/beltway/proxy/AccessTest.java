package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.access.CommandRules;
import dev.beltway.proxy.access.User;
import dev.beltway.proxy.access.Users;
import dev.beltway.proxy.testing.Raw;
import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Logging in at the proxy, and the proxy at its nodes. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class AccessTest {

  private static final Users USERS =
      new Users(
          List.of(
              new User(
                  "default",
                  List.of(User.sha256("p")),
                  false,
                  CommandRules.ALL,
                  List.of(""),
                  List.of("")),
              new User(
                  "app",
                  List.of(User.sha256("a1"), User.sha256("a2")),
                  false,
                  new CommandRules(List.of("+@all", "-@dangerous")),
                  List.of("app:", "shared:"),
                  List.of("news:"))));

  private static Pool pool() throws Exception {
    return Pool.of(
        2,
        s ->
            SettingsDraft.of(
                s,
                d -> {
                  d.allowFlush = true;
                  d.users = USERS;
                  d.nodes = s.nodes().withLogin("default", "node-secret");
                }),
        "--requirepass",
        "node-secret");
  }

  private static String error(Object reply) {
    return reply instanceof RespReader.Failed failed ? failed.text() : "no error: " + reply;
  }

  @Test
  void nothingIsDoneForAClientThatHasNotSaidWhoItIs() throws Exception {
    try (Pool pool = pool();
        RedisProcess plain = RedisProcess.start("--requirepass", "p");
        PlainClient client = pool.client();
        PlainClient one = plain.client()) {
      String[][] asked = {
        {"GET", "x"},
        {"PING"},
        {"HELLO", "3"},
        {"INFO"},
        {"MULTI"},
        {"SUBSCRIBE", "x"},
        {"NOSUCH"},
        {"AUTH", "wrong"},
        {"AUTH", "nobody", "p"},
        {"HELLO", "3", "AUTH", "default", "wrong"},
        {"CLIENT", "SETNAME", "x"},
        {"AUTH", "a", "b", "c"},
      };
      for (String[] words : asked) {
        String expected = error(one.tell(words));
        if (words[0].equals("NOSUCH")) {
          expected = "NOAUTH Authentication required."; // It isn't looked up for a stranger.
        }
        assertThat(error(client.tell(words))).as(String.join(" ", words)).isEqualTo(expected);
      }
      assertThat(Raw.exchange(pool.port(), "*1\r\n$99999\r\n", false))
          .isEqualTo(Raw.exchange(plain.port(), "*1\r\n$99999\r\n", false));
      assertThat(Raw.exchange(pool.port(), "*99\r\n", false))
          .isEqualTo(Raw.exchange(plain.port(), "*99\r\n", false));
      try (Raw raw = new Raw(pool.port())) {
        assertThat(raw.send("AUTH p\r\nPING\r\n").read(12)).isEqualTo("+OK\r\n+PONG\r\n");
      }
    }
  }

  @Test
  void whatAUserMayNotIsRefusedWithTheWordsOfAServer() throws Exception {
    try (Pool pool = pool();
        RedisProcess plain = RedisProcess.start();
        PlainClient client = pool.client();
        PlainClient one = plain.client()) {
      plain.ask(
          "ACL",
          "SETUSER",
          "app",
          "on",
          ">a2",
          "~app:*",
          "~shared:*",
          "resetchannels",
          "&news:*",
          "+@all",
          "-@dangerous");
      one.ask("AUTH", "app", "a2");
      client.ask("AUTH", "app", "a2");
      String[][] asked = {
        {"SET", "app:1", "v"},
        {"GET", "app:1"},
        {"GET", "other"},
        {"MGET", "app:1", "other"},
        {"MSET", "app:1", "1", "shared:2", "2"},
        {"KEYS", "*"},
        {"FLUSHALL"},
        {"SORT", "app:l"},
        {"PUBLISH", "news:1", "x"},
        {"PUBLISH", "old", "x"},
        {"SUBSCRIBE", "old"},
        {"RENAME", "app:1", "gone"},
        {"XREAD", "STREAMS", "app:1", "other", "0", "0"},
        {"CLIENT", "ID"},
        {"PING"},
        {"MULTI"},
        {"SET", "other", "v"},
        {"EXEC"},
        {"BLPOP", "other", "0"},
      };
      for (String[] words : asked) {
        Object expected = one.tell(words);
        Object actual = client.tell(words);
        if (expected instanceof RespReader.Failed failed) {
          String text = failed.text();
          if (text.startsWith("WRONGTYPE")) {
            continue;
          }
          assertThat(error(actual)).as(String.join(" ", words)).isEqualTo(text);
        } else {
          assertThat(actual).as(String.join(" ", words)).isNotInstanceOf(RespReader.Failed.class);
        }
      }
      assertThat(RespReader.text(client.ask("ACL", "WHOAMI"))).isEqualTo("app");
      client.ask("RESET");
      assertThat(error(client.tell("GET", "app:1"))).startsWith("NOAUTH");
      client.ask("HELLO", "3", "AUTH", "app", "a1", "SETNAME", "me");
      assertThat(RespReader.text(client.ask("GET", "app:1"))).isEqualTo("1");
    }
  }

  /**
   * A script does what the proxy may, and SORT reads keys by a pattern: limits must not end there.
   */
  @Test
  void limitsCantBeGoneRound() throws Exception {
    try (Pool pool = pool();
        PlainClient client = pool.client()) {
      client.ask("AUTH", "app", "a1");
      client.ask("RPUSH", "app:l", "1");
      for (String[] words :
          new String[][] {
            {"EVAL", "return redis.call('get', 'secret')", "1", "app:l"},
            {"EVALSHA", "0".repeat(40), "0"},
            {"FCALL", "f", "0"},
            {"SCRIPT", "LOAD", "return 1"},
            {"FUNCTION", "LOAD", "x"},
          }) {
        assertThat(error(client.tell(words)))
            .as(String.join(" ", words))
            .startsWith("NOPERM this user has no permissions to run");
      }
    }
    Users sorter =
        new Users(
            List.of(
                new User(
                    "default",
                    List.of(),
                    true,
                    new CommandRules(List.of("+@all", "+eval")),
                    List.of("app:"),
                    List.of(""))));
    try (Pool pool =
            Pool.of(
                1,
                s ->
                    SettingsDraft.of(
                        s,
                        d -> {
                          d.allowFlush = true;
                          d.users = sorter;
                        }));
        PlainClient client = pool.client()) {
      assertThat(client.ask("EVAL", "return 1", "0")).isEqualTo(1L); // A rule names it.
      client.ask("RPUSH", "app:l", "1");
      assertThat(error(client.tell("SORT", "app:l", "BY", "nosort", "GET", "secret*")))
          .isEqualTo("ERR GET option of SORT denied due to insufficient ACL permissions");
      assertThat(error(client.tell("SORT", "app:l", "STORE", "BY", "GET", "secret*")))
          .startsWith("NOPERM");
      assertThat(error(client.tell("SORT", "app:l", "STORE", "app:o", "STORE", "other")))
          .startsWith("NOPERM");
      assertThat(client.ask("SORT", "app:l", "BY", "nosort", "GET", "#")).isInstanceOf(List.class);
    }
  }

  @Test
  void aNodeThatRefusesTheLoginIsDownWithThatReason() throws Exception {
    try (Pool pool = Pool.of(2, s -> s, "--requirepass", "node-secret");
        PlainClient client = pool.client()) {
      Raw.until("the reason is told", () -> error(client.tell("GET", "x")).contains("NOAUTH"));
      assertThat(error(client.tell("GET", "x"))).startsWith("CLUSTERDOWN node n");
    }
  }
}
