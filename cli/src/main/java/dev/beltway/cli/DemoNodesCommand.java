package dev.beltway.cli;

import dev.beltway.config.TopologyText;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.topology.Node;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway demo-nodes}: Redis servers to try things on. */
@Command(
    name = "demo-nodes",
    mixinStandardHelpOptions = true,
    description = {
      "Start Redis servers on this machine, in memory only, and write a topology of them. They end"
          + " with this command. The machine's own redis-server is used, else one that comes along.",
      ""
    },
    footer = {
      "",
      "With BELTWAY_NODE_PASSWORD set they ask for that password, as a live cluster needs it.",
      "",
      "Examples:",
      "  beltway demo-nodes 3 --write pool.yaml",
      "  BELTWAY_NODE_PASSWORD=secret beltway demo-nodes 4 --spare 1 --write pool.yaml"
    })
final class DemoNodesCommand implements Callable<Integer> {

  private static final int MOST = 64;
  private static final Duration START = Duration.ofSeconds(10);

  private final Terminal terminal;

  @Parameters(paramLabel = "N", defaultValue = "3", description = "How many; 3 by default.")
  private int count;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7001",
      description = "The first one's port, the others follow; ${DEFAULT-VALUE} by default.")
  private int port;

  @Option(
      names = "--spare",
      paramLabel = "N",
      defaultValue = "0",
      description = "So many of them are not in the topology: to be added later.")
  private int spare;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "Write the topology there, over what is there; else it is printed.")
  private @Nullable Path write;

  DemoNodesCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    if (count < 1 || count > MOST || port < 1 || port + count > 65_536) {
      throw new BadInputException(
          count + " nodes from port " + port + ": allowed are 1 to 64 on ports 1 to 65535");
    }
    if (spare < 0 || spare >= count) {
      throw new BadInputException("--spare: " + spare + " is outside 0 to " + (count - 1));
    }
    Path folder = Files.createTempDirectory("beltway-demo");
    List<Process> servers = new ArrayList<>();
    CountDownLatch stop = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              servers.forEach(Process::destroy);
              deleteAll(folder);
              stop.countDown();
            });
    Runtime.getRuntime().addShutdownHook(hook);
    String server = server(folder);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      servers.add(start(server, port + i, folder));
      nodes.add(
          Node.of("node-" + (char) ('a' + i % 26) + (i < 26 ? "" : i / 26))
              .withAddress("127.0.0.1:" + (port + i)));
    }
    for (int i = 0; i < count; i++) {
      awaitStart(servers.get(i), port + i);
    }
    RingRule usual = RingRule.DEFAULT;
    Topology topology =
        new Topology(
            1,
            new RingRule(
                usual.hash(),
                usual.vnodes(),
                usual.minVnodes(),
                usual.separator(),
                true,
                Replication.NONE,
                usual.maxTokens()),
            nodes.subList(0, count - spare));
    String text = TopologyText.yaml(topology);
    if (write == null) {
      terminal.out().print(text);
    } else {
      try {
        Files.writeString(write, text);
      } catch (IOException e) {
        throw new BadInputException("--write: " + write + " can't be written: " + e);
      }
    }
    terminal
        .err()
        .println(
            Formats.plural(count, "node")
                + " on ports "
                + port
                + " to "
                + (port + count - 1)
                + (write == null ? "" : ", topology in " + write)
                + "; Ctrl-C ends them");
    terminal.out().flush();
    terminal.err().flush();
    try {
      stop.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.DONE;
  }

  private static Process start(String server, int port, Path folder) throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                server,
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder.toString()));
    if (!password().isEmpty()) {
      words.add("--requirepass");
      words.add(password());
    }
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(port + ".log").toFile())
        .start();
  }

  /** What the servers ask for; nothing unless it is set. */
  private static String password() {
    String set = System.getenv("BELTWAY_NODE_PASSWORD");
    return set == null ? "" : set;
  }

  private void awaitStart(Process server, int at) throws BadInputException {
    long deadline = System.nanoTime() + START.toNanos();
    while (System.nanoTime() < deadline && server.isAlive()) {
      try (PlainClient client =
          PlainClient.connect(
              InetSocketAddress.createUnresolved("127.0.0.1", at), Duration.ofSeconds(1))) {
        if (!password().isEmpty()) {
          client.ask("AUTH", password());
        }
        Object pid = client.ask("INFO", "server");
        String text = pid instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
        if (text.contains("process_id:" + server.pid() + "\r")) {
          return;
        }
        throw new BadInputException("port " + at + " is taken by another server");
      } catch (IOException e) {
        pause();
      }
    }
    throw new BadInputException("the server on port " + at + " did not start; is the port taken?");
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The machine's own, else the one that comes along for this kind of machine. */
  private static String server(Path folder) throws BadInputException, IOException {
    String path = System.getenv("PATH");
    for (String place : (path == null ? "" : path).split(":", -1)) {
      Path own = Path.of(place.isEmpty() ? "." : place, "redis-server");
      if (Files.isExecutable(own)) {
        return own.toString();
      }
    }
    String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String cpu = System.getProperty("os.arch", "");
    String kind =
        (os.contains("mac") ? "darwin" : "linux")
            + "-"
            + (cpu.equals("aarch64") ? "arm64" : "amd64");
    try (InputStream in =
        DemoNodesCommand.class.getResourceAsStream("/redis-server-7.0.15-" + kind)) {
      if (in == null) {
        throw new BadInputException(
            "there is no redis-server on this machine, and none for " + kind);
      }
      Path server = folder.resolve("redis-server");
      Files.copy(in, server, StandardCopyOption.REPLACE_EXISTING);
      if (!server.toFile().setExecutable(true)) {
        throw new IOException(server + " can't be made executable");
      }
      return server.toString();
    }
  }

  private static void deleteAll(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      files.forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      return; // The system clears its folder for such files.
    }
    folder.toFile().delete();
  }
}
