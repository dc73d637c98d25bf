package dev.beltway.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.control.testing.RedisNode;
import dev.beltway.handover.Names;
import dev.beltway.handover.Script;
import dev.beltway.handover.Transfer;
import dev.beltway.handover.TransferToken;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The steps by which a big key is copied, at a real server: what each refuses (rule 10). */
@Tag("needs-redis")
@NullUnmarked
@Timeout(60)
class BigKeyScriptsTest {

  private static final TransferToken TOKEN = new TransferToken(3, 0, "run");

  private RedisNode node;
  private PlainClient client;

  @BeforeEach
  void start() throws IOException {
    node = RedisNode.start();
    client = node.open();
    for (Script script : Script.values()) {
      client.ask("SCRIPT", "LOAD", script.text());
    }
    client.ask("SELECT", "15");
    client.ask("SET", Names.TERM, "7");
    String place = Transfer.place("127.0.0.1", 1, "xfer", "pw");
    client.ask("HSET", Names.TOKEN, "text", TOKEN.text(), "to:t", place);
    client.ask("SELECT", "0");
  }

  @AfterEach
  void stop() {
    client.close();
    node.close();
  }

  private Object big(String step, String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of(step, "15"));
    words.addAll(List.of(more));
    return client.tell(Script.BIG.command(List.of(), words).toArray(new String[0]));
  }

  private static String error(Object reply) {
    return reply instanceof RespReader.Failed failed ? failed.text() : "no error: " + reply;
  }

  @Test
  void sealedKeyDoesNotEndWhileItIsCopiedAndGetsItsTimeBack() throws IOException {
    client.ask("SET", "k", "value", "PX", "50000");
    List<?> sealed = (List<?>) big("seal", "7", TOKEN.text(), "0", "k");
    assertThat(RespReader.text(sealed.get(0))).isEqualTo("string");
    assertThat((Long) client.ask("PTTL", "k")).isGreaterThan(80_000_000L);
    // A second attempt finds the deadline that the first has noted.
    List<?> again = (List<?>) big("seal", "7", TOKEN.text(), "0", "k");
    assertThat(again.get(2)).isEqualTo(sealed.get(2));
    long left = Long.parseLong(RespReader.text(big("mark", "7", TOKEN.text(), "0", "k")));
    assertThat(left).isBetween(1L, 50_000L);
    big("unseal", "7");
    assertThat((Long) client.ask("PTTL", "k")).isBetween(1L, 50_000L);
  }

  @Test
  void sealedKeyLeavesInNoTransferHoweverSmallItIs() throws IOException {
    client.ask("SET", "k", "small");
    big("seal", "7", TOKEN.text(), "0", "k");
    List<String> transfer = Transfer.command(TOKEN, 15, "t", 100, 0, List.of("k", "other"), false);
    assertThat(error(client.tell(transfer.toArray(new String[0])))).startsWith("BELTWAYBIG");
    assertThat(client.ask("EXISTS", "k")).isEqualTo(1L);
    // Whoever asks is noted, and the mover takes it first.
    assertThat(RespReader.text(big("wanted", "7", TOKEN.text()))).isEqualTo("0:k");
    assertThat(RespReader.text(big("wanted", "7", TOKEN.text()))).isEmpty();
  }

  @Test
  void deposedLeadersAndOtherTokensDoNothing() throws IOException {
    client.ask("SET", "k", "value", "PX", "50000");
    for (String step : List.of("seal", "mark", "drop")) {
      assertThat(error(big(step, "6", TOKEN.text(), "0", "k", "t", "5"))).startsWith("BELTWAYTERM");
      assertThat(error(big(step, "7", "2.0.run", "0", "k", "t", "5"))).startsWith("BELTWAYTOKEN");
    }
    assertThat(error(big("drop", "7", TOKEN.text(), "0", "k", "t", "5"))).startsWith("BELTWAYSEAL");
    assertThat((Long) client.ask("PTTL", "k")).isBetween(1L, 50_000L);
    assertThat(error(big("begin", "6", "one", "s"))).startsWith("BELTWAYTERM");
    big("begin", "7", "one", "s");
    assertThat(error(big("stage", "7", "two", "s", "3", "APPEND", Names.STAGING + "s", "x")))
        .startsWith("BELTWAYATTEMPT");
    assertThat(error(big("finish", "7", "two", "s", "0", "k", "-1"))).startsWith("BELTWAYATTEMPT");
    assertThat(RespReader.text(client.ask("GET", "k"))).isEqualTo("value");
  }

  @Test
  void fullServerStillGivesItsBigKeys() throws IOException {
    client.ask("SET", "k", "value");
    client.ask("CONFIG", "SET", "maxmemory", "1");
    assertThat(big("seal", "7", TOKEN.text(), "0", "k")).isInstanceOf(List.class);
    assertThat(error(big("mark", "7", TOKEN.text(), "0", "k"))).startsWith("no error");
    assertThat(big("drop", "7", TOKEN.text(), "0", "k", "t", "5")).isInstanceOf(List.class);
    assertThat(client.ask("EXISTS", "k")).isEqualTo(0L);
  }

  @Test
  void copiesOfTwoSourcesDoNotMeet() throws IOException {
    big("begin", "7", "one", "s");
    big("stage", "7", "one", "s", "3", "APPEND", Names.STAGING + "s", "first");
    big("begin", "7", "two", "u");
    big("stage", "7", "two", "u", "3", "APPEND", Names.STAGING + "u", "second");
    assertThat(big("finish", "7", "one", "s", "0", "k", "-1")).isEqualTo(0L);
    assertThat(big("finish", "7", "two", "u", "0", "l", "60000")).isEqualTo(0L);
    assertThat(RespReader.text(client.ask("GET", "k"))).isEqualTo("first");
    assertThat(RespReader.text(client.ask("GET", "l"))).isEqualTo("second");
    assertThat((Long) client.ask("PTTL", "l")).isBetween(1L, 60_000L);
  }
}
