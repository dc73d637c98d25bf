package dev.beltway.cli;

import dev.beltway.cli.local.Folders;
import dev.beltway.cli.local.LocalRedis;
import dev.beltway.cli.local.RedisBinary;
import dev.beltway.config.TopologyText;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
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
    List<LocalRedis> servers = new CopyOnWriteArrayList<>();
    CountDownLatch stop = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              servers.forEach(LocalRedis::close);
              Folders.deleteAll(folder);
              stop.countDown();
            });
    Runtime.getRuntime().addShutdownHook(hook);
    List<Node> nodes = new ArrayList<>();
    try {
      Path binary = RedisBinary.find(folder);
      for (int i = 0; i < count; i++) {
        Path own = folder.resolve(Integer.toString(port + i));
        servers.add(LocalRedis.start(binary, own, port + i, password(), false));
        nodes.add(
            Node.of("node-" + (char) ('a' + i % 26) + (i < 26 ? "" : i / 26))
                .withAddress("127.0.0.1:" + (port + i)));
      }
      for (LocalRedis server : servers) {
        server.await();
      }
    } catch (IOException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    Topology topology =
        new Topology(1, RingRule.DEFAULT.withHashTags(true), nodes.subList(0, count - spare));
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

  /** What the servers ask for; nothing unless it is set. */
  private static String password() {
    String set = System.getenv("BELTWAY_NODE_PASSWORD");
    return set == null ? "" : set;
  }
}
