package dev.beltway.resp.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplyScannerTest {

  private static final String[] REPLIES = {
    "+OK\r\n",
    "-ERR x\r\n",
    ":12\r\n",
    "$-1\r\n",
    "*-1\r\n",
    "$0\r\n\r\n",
    "$3\r\na\r\n\r\n",
    "*0\r\n",
    "*2\r\n$1\r\na\r\n*2\r\n:1\r\n*1\r\n+x\r\n",
    "_\r\n",
    "#t\r\n",
    ",1.5\r\n",
    "(12345678901234567890\r\n",
    "=7\r\ntxt:abc\r\n",
    "!5\r\nERR x\r\n",
    "~2\r\n:1\r\n:2\r\n",
    "%2\r\n+a\r\n:1\r\n+b\r\n*0\r\n",
    ">3\r\n+message\r\n+c\r\n+m\r\n",
    "|1\r\n+ttl\r\n:3\r\n$1\r\nv\r\n",
    "*2\r\n|1\r\n+k\r\n+v\r\n:1\r\n:2\r\n",
    "$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n",
    "*?\r\n:1\r\n*?\r\n.\r\n:2\r\n.\r\n",
    "%?\r\n+a\r\n:1\r\n.\r\n",
    "*1\r\n$?\r\n;0\r\n",
    "%0\r\n",
    "~0\r\n",
    "|1\r\n+a\r\n*1\r\n|1\r\n+b\r\n:1\r\n:2\r\n*1\r\n+end\r\n",
    "+" + "x".repeat(100_000) + "\r\n",
    "*3\r\n*-1\r\n$-1\r\n_\r\n",
  };

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
  }

  /** The length of the reply that begins there, −1 if it isn't complete. */
  private static int length(String text, int piece) throws RespException {
    ByteBuf buf = bytes(text);
    ReplyScanner scanner = new ReplyScanner(RespLimits.OF_A_SERVER);
    for (int end = piece; ; end += piece) {
      int to = Math.min(end, text.length());
      if (scanner.scan(buf, 0, to)) {
        return scanner.length();
      }
      if (to == text.length()) {
        return -1;
      }
    }
  }

  @Test
  void everyReplyEndsWhereItEndsHoweverItArrives() throws Exception {
    for (String reply : REPLIES) {
      String followed = reply + "+NEXT\r\n";
      int most = Math.min(reply.length(), 40);
      for (int piece = 1; piece <= most; piece++) {
        assertThat(length(followed, piece))
            .as("%.60s by %d", reply, piece)
            .isEqualTo(reply.length());
      }
      int step = Math.max(1, reply.length() / 500);
      for (int cut = 0; cut < reply.length(); cut += step) {
        assertThat(length(reply.substring(0, cut) + "", Math.max(1, cut)))
            .as("%.60s cut at %d", reply, cut)
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void whatIsNoReplyIsRefused() {
    for (String bad :
        List.of(
            "x\r\n",
            "$abc\r\n",
            "$-2\r\n",
            "*-2\r\n",
            ".\r\n",
            "$?\r\n+x\r\n",
            "$999999999999\r\n",
            "*99999999999\r\n",
            "*1\r\n".repeat(200),
            "%-5\r\n",
            "\r\n")) {
      assertThatThrownBy(() -> length(bad, 1)).as(bad).isInstanceOf(RespException.class);
    }
  }

  @Test
  void spoiledRepliesEndInALengthAWaitOrARefusal() {
    for (long seed = 1; seed <= 20_000; seed++) {
      Random random = new Random(seed);
      StringBuilder reply = new StringBuilder(REPLIES[random.nextInt(REPLIES.length - 2)]);
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int at = random.nextInt(reply.length());
        if (random.nextBoolean()) {
          reply.setCharAt(at, "\r\n*$-019a|%~>.;?+:".charAt(random.nextInt(18)));
        } else if (reply.length() > 1) {
          reply.deleteCharAt(at);
        }
      }
      String whole = outcome(reply.toString(), reply.length());
      assertThat(outcome(reply.toString(), 1)).as("seed %d", seed).isEqualTo(whole);
      assertThat(outcome(reply.toString(), 1 + random.nextInt(7)))
          .as("seed %d", seed)
          .isEqualTo(whole);
    }
  }

  private static String outcome(String text, int piece) {
    try {
      return Integer.toString(length(text, piece));
    } catch (RespException e) {
      return "refused";
    }
  }

  @Test
  void readingGivesTheValues() {
    assertThat(RespReader.read(bytes("$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n"), 0))
        .isEqualTo("Hello".getBytes(StandardCharsets.UTF_8));
    assertThat(RespReader.read(bytes("*?\r\n:1\r\n_\r\n.\r\n"), 0))
        .isEqualTo(java.util.Arrays.asList(1L, null));
    assertThat(RespReader.read(bytes("|1\r\n+a\r\n:1\r\n:7\r\n"), 0)).isEqualTo(7L);
    assertThat(RespReader.read(bytes("!5\r\nERR x\r\n"), 0))
        .isEqualTo(new RespReader.Failed("ERR x"));
    assertThat(RespReader.text(RespReader.read(bytes(",1.5\r\n"), 0))).isEqualTo("1.5");
  }

  @Test
  void numbersAreWrittenAndReadAsRedisDoes() {
    for (long number :
        new long[] {
          0, 1, 9, 10, -1, -10, 99, 100, Long.MAX_VALUE, Long.MIN_VALUE, 1_234_567_890_123L
        }) {
      ByteBuf buf = Unpooled.buffer(1);
      Digits.write(buf, number);
      assertThat(buf.toString(StandardCharsets.US_ASCII)).isEqualTo(Long.toString(number));
      assertThat(Digits.length(number)).isEqualTo(buf.writerIndex());
      if (number != Long.MIN_VALUE) {
        assertThat(Digits.parse(buf, 0, buf.writerIndex())).isEqualTo(number);
      }
    }
    for (String bad :
        List.of("", "-", "+1", "01", "-0", "1 ", " 1", "9223372036854775808", "1a", "0x1")) {
      ByteBuf buf = bytes(bad);
      assertThat(Digits.parse(buf, 0, buf.writerIndex())).as(bad).isEqualTo(Digits.NONE);
    }
  }
}
