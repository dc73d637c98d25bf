package dev.beltway.resp.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestScannerTest {

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
  }

  /** What a scanner finds in all of the bytes, or the words of its refusal. */
  private static List<Object> scan(ByteBuf buf, int piece) {
    List<Object> found = new ArrayList<>();
    RequestScanner scanner = new RequestScanner(RespLimits.OF_A_SERVER);
    int begin = 0;
    int end = 0;
    try {
      while (true) {
        if (scanner.scan(buf, begin, end)) {
          if (scanner.isInline()) {
            for (byte[] word : InlineRequest.words(buf, begin, begin + scanner.length())) {
              found.add("inline " + new String(word, StandardCharsets.ISO_8859_1));
            }
          } else {
            List<String> arguments = new ArrayList<>();
            for (int i = 0; i < scanner.count(); i++) {
              arguments.add(
                  buf.toString(
                      begin + scanner.offset(i), scanner.length(i), StandardCharsets.ISO_8859_1));
            }
            found.add(arguments);
          }
          begin += scanner.length();
          scanner.reset();
        } else if (end == buf.writerIndex()) {
          found.add("rest " + (end - begin));
          return found;
        } else {
          end = Math.min(buf.writerIndex(), end + piece);
        }
      }
    } catch (RespException e) {
      found.add(e.text());
      return found;
    }
  }

  private static final String[] INPUTS = {
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nva\r\nx\r\n*1\r\n$4\r\nPING\r\n",
    "*2\r\n$3\r\nGET\r\n$0\r\n\r\n",
    "*0\r\n*-1\r\nPING\r\n\r\n   \r\nset \"a b\" 'c'\n*1\r\n$1\r\na\r\n",
    "*2\r\n$3\r\nGET\r\n$5\r\nabc\r\n$3\r\n",
    "*1\r\n:3\r\n",
    "*x\r\n",
    "*1\r\n$x\r\n",
    "*1\r\n$-1\r\n",
    "*9999999\r\n",
    "*1\r\n$999999999\r\n",
    "*01\r\n",
    "*+1\r\n",
    "*1\r\n$03\r\nabc\r\n",
    "set \"open\r\n",
    "*12\r\n$2\r\nab\r\n",
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$20\r\n01234567890123456789\r\nget k\r\n",
  };

  @Test
  void itDoesNotMatterHowTheBytesArrive() {
    for (String input : INPUTS) {
      ByteBuf buf = bytes(input);
      List<Object> whole = scan(buf, input.length());
      for (int piece = 1; piece < input.length(); piece++) {
        assertThat(scan(buf, piece)).as("%s in pieces of %d", input, piece).isEqualTo(whole);
      }
    }
  }

  @Test
  void refusalsHaveTheWordsOfAServer() {
    assertThat(scan(bytes("*1\r\n:3\r\n"), 99))
        .containsExactly("Protocol error: expected '$', got ':'");
    assertThat(scan(bytes("*x\r\n"), 99))
        .containsExactly("Protocol error: invalid multibulk length");
    assertThat(scan(bytes("*1\r\n$536870913\r\n"), 99))
        .containsExactly("Protocol error: invalid bulk length");
    assertThat(scan(bytes("*1\r\n$536870912\r\n"), 99)).containsExactly("rest 16");
    assertThat(scan(bytes("a".repeat(65_537)), 70_000))
        .containsExactly("Protocol error: too big inline request");
    assertThat(scan(bytes("set \"a\"b\r\n"), 99))
        .containsExactly("Protocol error: unbalanced quotes in request");
  }

  @Test
  void beforeTheLoginLittleIsTaken() throws Exception {
    RequestScanner scanner = new RequestScanner(RespLimits.BEFORE_AUTH);
    ByteBuf many = bytes("*11\r\n");
    assertThatThrownBy(() -> scanner.scan(many, 0, many.writerIndex()))
        .hasMessage("Protocol error: unauthenticated multibulk length");
    scanner.reset();
    ByteBuf large = bytes("*1\r\n$16385\r\n");
    assertThatThrownBy(() -> scanner.scan(large, 0, large.writerIndex()))
        .hasMessage("Protocol error: unauthenticated bulk length");
  }

  /** Whatever comes, it ends in requests, a refusal or a wait, and pieces change nothing. */
  @Test
  void spoiledBytesAreTakenTheSameWayHoweverTheyArrive() {
    for (long seed = 1; seed <= 20_000; seed++) {
      Random random = new Random(seed);
      StringBuilder input = new StringBuilder(INPUTS[random.nextInt(INPUTS.length)]);
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int at = random.nextInt(input.length());
        switch (random.nextInt(3)) {
          case 0 -> input.deleteCharAt(at);
          case 1 -> input.insert(at, "\r\n*$-019a \"".charAt(random.nextInt(11)));
          default -> input.setCharAt(at, (char) random.nextInt(256));
        }
      }
      ByteBuf buf = bytes(input.toString());
      List<Object> whole = scan(buf, input.length());
      assertThat(scan(buf, 1)).as("seed %d", seed).isEqualTo(whole);
      assertThat(scan(buf, 1 + random.nextInt(9))).as("seed %d", seed).isEqualTo(whole);
    }
  }

  @Test
  void manyArgumentsAreFoundAndTheirTableIsGivenBack() throws Exception {
    ByteBuf buf = Unpooled.buffer();
    RespWriter.array(buf, 100_000);
    for (int i = 0; i < 100_000; i++) {
      RespWriter.bulk(buf, "a" + i);
    }
    RequestScanner scanner = new RequestScanner(RespLimits.OF_A_SERVER);
    assertThat(scanner.scan(buf, 0, buf.writerIndex())).isTrue();
    assertThat(scanner.count()).isEqualTo(100_000);
    assertThat(buf.toString(scanner.offset(99_999), scanner.length(99_999), StandardCharsets.UTF_8))
        .isEqualTo("a99999");
    scanner.reset();
    assertThatThrownBy(() -> scanner.offset(0)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
