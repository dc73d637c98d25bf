package dev.beltway.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.resp.codec.RequestScanner;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CommandTableTest {

  private static FrameArguments request(String... words) throws Exception {
    ByteBuf buf = Unpooled.buffer();
    buf.writeBytes("ahead".getBytes(StandardCharsets.US_ASCII));
    RespWriter.request(buf, words);
    RequestScanner scanner = new RequestScanner(RespLimits.OF_A_SERVER);
    assertThat(scanner.scan(buf, 5, buf.writerIndex())).isTrue();
    FrameArguments request = new FrameArguments(scanner);
    request.at(buf, 5);
    return request;
  }

  private static List<String> keys(String line) throws Exception {
    FrameArguments request = request(line.split(" ", -1));
    CommandIndex<Command> index =
        new CommandIndex<>(CommandTable.redis().commands(), command -> command);
    List<String> keys = new ArrayList<>();
    Objects.requireNonNull(index.find(request))
        .visitKeys(request, (key, effect) -> keys.add(request.text(key)));
    return keys;
  }

  @Test
  void keysAreFoundWhereverTheyStand() throws Exception {
    assertThat(keys("get a")).containsExactly("a");
    assertThat(keys("MSET a 1 b 2")).containsExactly("a", "b");
    assertThat(keys("blpop a b 0")).containsExactly("a", "b");
    assertThat(keys("EVAL script 2 a b c")).containsExactly("a", "b");
    assertThat(keys("EVAL script 0 a")).isEmpty();
    assertThat(keys("XREADGROUP GROUP g c COUNT 1 STREAMS a b > >")).containsExactly("a", "b");
    assertThat(keys("XREAD STREAMS streams a 0 0")).containsExactly("streams", "a");
    assertThat(keys("BITOP AND d a b")).containsExactly("d", "a", "b");
    assertThat(keys("ZUNIONSTORE d 2 a b WEIGHTS 1 2")).containsExactly("d", "a", "b");
    assertThat(keys("LMPOP 2 a b LEFT")).containsExactly("a", "b");
    assertThat(keys("BLMPOP 0 2 a b LEFT")).containsExactly("a", "b");
    assertThat(keys("SORT a BY w GET x STORE d")).containsExactly("a", "d");
    assertThat(keys("GEORADIUS a 1 2 3 m STORE d")).containsExactly("a", "d");
    assertThat(keys("MIGRATE h 1  0 9 KEYS a b")).containsExactly("a", "b");
    assertThat(keys("object encoding a")).containsExactly("a");
    assertThat(keys("XGROUP create a g 0")).containsExactly("a");
    assertThat(keys("MEMORY USAGE a")).containsExactly("a");
    assertThat(keys("PING")).isEmpty();
  }

  @Test
  void everyCommandIsFoundByItsNameInAnyCase() throws Exception {
    CommandIndex<Command> index =
        new CommandIndex<>(CommandTable.redis().commands(), command -> command);
    for (Command command : CommandTable.redis().commands()) {
      String[] words = command.name().split(" ", -1);
      assertThat(index.find(request(words))).isSameAs(command);
      words[words.length - 1] = words[words.length - 1].toUpperCase(java.util.Locale.ROOT);
      assertThat(index.find(request(words))).isSameAs(command);
      assertThat(command.treatment() == Treatment.REFUSED).isEqualTo(!command.reason().isEmpty());
    }
    assertThat(index.find(request("nosuch"))).isNull();
    assertThat(index.find(request("client", "nosuch"))).extracting("name").isEqualTo("client");
    assertThat(index.find(request(""))).isNull();
    assertThat(index.find(request("x".repeat(1_000)))).isNull();
    assertThat(index.find(request("config get", "x"))).isNull(); // One word is one word.
    assertThat(index.find(request("client", ""))).extracting("name").isEqualTo("client");
  }

  @Test
  void whatMovesKeysOrShowsTheNodesIsRefused() {
    for (String name :
        List.of(
            "migrate",
            "move",
            "swapdb",
            "cluster slots",
            "cluster nodes",
            "debug",
            "shutdown",
            "config set",
            "replicaof",
            "monitor",
            "save",
            "asking",
            "client tracking",
            "wait")) {
      assertThat(CommandTable.redis().find(name).orElseThrow().treatment())
          .as(name)
          .isEqualTo(Treatment.REFUSED);
    }
  }

  /** As Redis 7 answers for a command of a module, and as Redis 6 does. */
  @Test
  void aCommandIsLearntFromCommandInfo() throws Exception {
    String seven =
        "*10\r\n$8\r\njson.set\r\n:-4\r\n*2\r\n+write\r\n+denyoom\r\n:1\r\n:1\r\n:1\r\n*1\r\n+@json\r\n*0\r\n*1\r\n"
            + "*6\r\n$5\r\nflags\r\n*1\r\n+RW\r\n$12\r\nbegin_search\r\n*4\r\n$4\r\ntype\r\n$5\r\nindex\r\n$4\r\nspec\r\n"
            + "*2\r\n$5\r\nindex\r\n:1\r\n$9\r\nfind_keys\r\n*4\r\n$4\r\ntype\r\n$5\r\nrange\r\n$4\r\nspec\r\n*6\r\n$7\r\nlastkey\r\n:0"
            + "\r\n$7\r\nkeystep\r\n:1\r\n$5\r\nlimit\r\n:0\r\n*0\r\n";
    Optional<Command> command =
        CommandInfo.parse(
            RespReader.read(Unpooled.copiedBuffer(seven, StandardCharsets.US_ASCII), 0));
    assertThat(command).isPresent();
    assertThat(command.get().name()).isEqualTo("json.set");
    assertThat(command.get().treatment()).isEqualTo(Treatment.ONE_NODE);
    assertThat(command.get().onlyKey()).isEqualTo(1);
    assertThat(command.get().categories()).containsExactly("json");
    String six =
        "*7\r\n$6\r\nmod.mx\r\n:-3\r\n*1\r\n+readonly\r\n:1\r\n:-1\r\n:2\r\n*1\r\n+@read\r\n";
    Command old =
        CommandInfo.parse(RespReader.read(Unpooled.copiedBuffer(six, StandardCharsets.US_ASCII), 0))
            .orElseThrow();
    List<String> keys = new ArrayList<>();
    FrameArguments request = request("mod.mx", "a", "1", "b", "2");
    old.visitKeys(request, (key, effect) -> keys.add(request.text(key)));
    assertThat(keys).containsExactly("a", "b");
    assertThat(CommandInfo.parse(null)).isEmpty();
    String keyless = "*7\r\n$3\r\nfoo\r\n:1\r\n*0\r\n:0\r\n:0\r\n:0\r\n*0\r\n";
    assertThat(
            CommandInfo.parse(
                    RespReader.read(Unpooled.copiedBuffer(keyless, StandardCharsets.US_ASCII), 0))
                .orElseThrow()
                .treatment())
        .isEqualTo(Treatment.REFUSED);
  }
}
