package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.cli.local.Playground;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What docs/start.md tells a newcomer to type, in its order, at a cluster as they would have it.
 */
@Tag("long")
@Timeout(180)
class StartDocumentTest {

  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\n(.*?)```");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

  private static List<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(Cli.ROOT.resolve("docs/start.md")));
    while (block.find()) {
      block.group(1).lines().map(line -> line.replaceAll("\\s+#.*", "")).forEach(commands::add);
    }
    return commands;
  }

  @Test
  void everyCommandWorksInItsOrder() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = Math.min(64_000, socket.getLocalPort());
    }
    List<String> commands = commands();
    assertThat(commands).hasSizeGreaterThanOrEqualTo(10);
    try (Playground cluster =
        Playground.start(new Playground.Wishes(null, port, 27_380, true), text -> {})) {
      String control = "127.0.0.1:" + cluster.controlPort();
      for (String command : commands) {
        assertThat(command).startsWith("./beltway ");
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command.substring("./beltway ".length()));
        while (word.find()) {
          words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        words.addAll(List.of("--control", control));
        Cli.Run run = Cli.run(words.toArray(new String[0]));
        assertThat(run.code()).as("%s: %s%s", command, run.out(), run.err()).isZero();
        assertThat(run.err()).as(command).isEmpty();
      }
      assertThat(cluster.loadStory()).contains(" 0 misses, 0 wrong values, 0 errors");
      assertThat(Cli.run("status", "--control", control).out())
          .contains("node-a", "node-b")
          .doesNotContain("node-c", "node-d");
    }
  }
}
