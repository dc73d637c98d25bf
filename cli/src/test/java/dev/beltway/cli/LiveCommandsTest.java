package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.control.ControlServer;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.StoreFeed;
import dev.beltway.proxy.Proxy;
import dev.beltway.proxy.ProxySettings;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands about a live cluster, at a real one. */
@Tag("needs-redis")
@Tag("long")
@NullUnmarked
@Timeout(120)
class LiveCommandsTest {

  private static final String PASSWORD = "secret";
  private static final int KEYS = 3_000;

  @TempDir Path folder;
  private final List<Process> servers = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();
  private ControlServer control;
  private Proxy proxy;
  private String at;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private PlainClient open(int port) throws IOException {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (true) {
      try {
        return PlainClient.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Duration.ofSeconds(10));
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  @BeforeEach
  void start() throws IOException {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int port = freePort();
      ports.add(port);
      servers.add(
          new ProcessBuilder(
                  "redis-server",
                  "--port",
                  Integer.toString(port),
                  "--bind",
                  "127.0.0.1",
                  "--save",
                  "",
                  "--dir",
                  folder.toString(),
                  "--requirepass",
                  PASSWORD)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start());
      Runtime.getRuntime().addShutdownHook(new Thread(servers.get(i)::destroyForcibly));
      open(port).close();
      if (i < 2) {
        nodes.add(Node.of("n" + i).withAddress("127.0.0.1:" + port));
      }
    }
    int store = freePort();
    control =
        ControlServer.start(
            new ControlServer.Setup(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(new ControlServer.Embedded(folder.resolve("zk"), "127.0.0.1", store)),
                "127.0.0.1:" + store,
                "test",
                "opensesame",
                ApiKeys.OPEN,
                null,
                NodeSettings.plain("control").withLogin("default", PASSWORD),
                15,
                folder.resolve("kept"),
                "test"),
            Optional.of(new Topology(1, RingRule.DEFAULT, nodes)));
    at = "127.0.0.1:" + control.port();
    ClusterStore reached =
        ClusterStore.connect("127.0.0.1:" + store, "test", "opensesame", Duration.ofSeconds(20));
    proxy =
        Proxy.start(
            ProxySettings.usual("one", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            new StoreFeed(reached, 15));
    try (PlainClient client = open(proxy.address().getPort())) {
      for (int i = 0; i < KEYS; i++) {
        client.ask("SET", "key:" + i, "value" + i);
      }
    }
  }

  @AfterEach
  void stop() {
    proxy.close();
    control.close();
    servers.forEach(Process::destroyForcibly);
  }

  private Cli.Run run(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--control", at));
    return Cli.run(all.toArray(new String[0]));
  }

  private Cli.Run done(String... words) {
    Cli.Run run = run(words);
    assertThat(run.code()).as("%s: %s %s", String.join(" ", words), run.out(), run.err()).isZero();
    assertThat(run.err()).isEmpty();
    return run;
  }

  private void refused(int code, String why, String... words) {
    Cli.Run run = run(words);
    assertThat(run.code()).as("%s: %s", String.join(" ", words), run.out()).isEqualTo(code);
    assertThat(run.err()).contains(why);
    assertThat(run.err().strip().lines()).hasSizeLessThanOrEqualTo(2); // And what helps.
  }

  @Test
  void nodeJoinsWithACanaryIsReportedAndChangesItsWeightInSteps() throws IOException {
    String address = "127.0.0.1:" + ports.get(2);
    String[] words = {
      "node", "add", "n2", "--address", address, "--keys-per-second", "2000", "--dry-run"
    };
    Cli.Run dry = done(words);
    for (int i = 0; i < 500 && !dry.out().contains("about "); i++) {
      dry = done(words); // The leader counts keys from time to time.
    }
    assertThat(dry.out()).contains("about ").contains(" s\n").contains("dry run");
    done(
        "node",
        "add",
        "n2",
        "--address",
        address,
        "--weight",
        "2",
        "--canary",
        "10%",
        "--keys-per-second",
        "20000");
    Cli.Run report = done("migration", "report");
    assertThat(report.out())
        .contains("part 1 of 2: done", "part 2 of 2: done", "each key was compared");
    assertThat(done("migration", "report", "--limit", "1").out()).doesNotContain("part 1 of 2");
    assertThat(done("migration", "report", "--json", "--limit", "1").out()).contains("\"keys\"");
    assertThat(done("migration", "status").out()).startsWith("steady");
    assertThat(done("migration", "status", "--watch", "--json").out()).contains("STEADY");
    assertThat(done("node", "weight", "n2", "1", "--step", "50%").out()).contains("in 2 steps");
    assertThat(done("status").out()).contains("n2").contains("steady");
    assertThat(done("scrub").out()).contains("every key is on its owner, and only there");
    done("node", "remove", "n2", "--verify", "full", "--bytes-per-second", "10000000");
    assertThat(done("audit").out()).contains("remove node n2");
  }

  @Test
  void strayIsFoundAndMended() throws IOException {
    try (PlainClient direct = open(ports.get(0));
        PlainClient other = open(ports.get(1))) {
      direct.ask("AUTH", PASSWORD);
      other.ask("AUTH", PASSWORD);
      direct.ask("SELECT", "2");
      other.ask("SELECT", "2");
      direct.ask("SET", "stray", "one");
      other.ask("SET", "stray", "two");
    }
    Cli.Run found = run("scrub");
    assertThat(found.code()).isEqualTo(ExitCode.LIMIT_NOT_MET);
    assertThat(found.out()).contains("stray in database 2 at node");
    assertThat(found.err()).contains("1 keys are not where they belong; --repair mends them");
    assertThat(done("scrub", "--repair").out()).contains("1 keys were mended");
    assertThat(done("scrub", "--json").out()).contains("\"ended\" : true");
  }

  @Test
  void wrongWordsAndWrongTimesAreOneLine() {
    refused(ExitCode.LIMIT_NOT_MET, "nothing is going on", "migration", "pause");
    refused(ExitCode.LIMIT_NOT_MET, "nothing is paused", "migration", "resume");
    refused(ExitCode.LIMIT_NOT_MET, "nothing is going on", "migration", "abort");
    refused(ExitCode.LIMIT_NOT_MET, "nothing is going on", "migration", "throttle", "5");
    refused(
        ExitCode.BAD_INPUT, "below 0", "migration", "throttle", "5", "--bytes-per-second", "-1");
    refused(ExitCode.BAD_INPUT, "--limit: 0 is below 1", "migration", "report", "--limit", "0");
    String[][] wrong = {
      {"--canary", "60%"},
      {"--canary", "0%"},
      {"--canary", "some"},
      {"--step", "0.1%"},
      {"--step", "70%"},
      {"--check-between"},
      {"--verify", "half"},
      {"--keys-per-second", "-1"},
      {"--bytes-per-second", "-1"},
    };
    for (String[] options : wrong) {
      List<String> words = new ArrayList<>(List.of("node", "weight", "n0", "0.5"));
      words.addAll(List.of(options));
      refused(ExitCode.BAD_INPUT, options[0], words.toArray(new String[0]));
    }
    refused(
        ExitCode.BAD_INPUT,
        "keysPerSecond",
        "node",
        "weight",
        "n0",
        "0.5",
        "--keys-per-second",
        "9000000000000000");
  }
}
