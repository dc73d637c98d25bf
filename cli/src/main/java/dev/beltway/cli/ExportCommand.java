package dev.beltway.cli;

import dev.beltway.config.peers.HaproxyBackend;
import dev.beltway.config.peers.NginxUpstream;
import dev.beltway.config.peers.Nutcracker;
import dev.beltway.config.peers.PoolException;
import dev.beltway.topology.Topology;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway export}: a topology to another system's pool. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Write a topology as a pool for nginx, HAProxy or twemproxy. Only topologies with that system's"
          + " own algorithm can be: with any other one keys would move.",
      ""
    },
    footer = {"", "Example:", "  beltway export twemproxy pool.yaml > nutcracker.yml"})
final class ExportCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "beltway",
      description = "What the pool is called; ${DEFAULT-VALUE} by default.")
  private String name = "";

  @Parameters(index = "0", paramLabel = "nginx|haproxy|twemproxy", description = "For whom.")
  private String to = "";

  @Parameters(index = "1", paramLabel = "FILE", description = "The topology, YAML or JSON.")
  private Path topologyFile = Path.of("");

  ExportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException {
    if (!name.matches("[A-Za-z0-9_.-]{1,64}")) {
      throw new BadInputException(
          "--name: " + name + " is not 1 to 64 letters, digits, dots, dashes or underscores");
    }
    Topology topology = TopologyInput.read(topologyFile);
    try {
      terminal
          .out()
          .print(
              switch (to) {
                case "nginx" -> NginxUpstream.write(name, topology);
                case "haproxy" -> HaproxyBackend.write(name, topology);
                case "twemproxy" -> Nutcracker.write(name, topology);
                default ->
                    throw new BadInputException(to + " is none of nginx, haproxy, twemproxy");
              });
    } catch (PoolException e) {
      throw new BadInputException(topologyFile + ": " + e.getMessage());
    }
    return ExitCode.DONE;
  }
}
