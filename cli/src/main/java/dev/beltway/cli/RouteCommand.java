package dev.beltway.cli;

import dev.beltway.lab.log.KeyVisitor;
import dev.beltway.placement.Failover;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.placement.Replicas;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway route}: keys to nodes. */
@Command(
    name = "route",
    mixinStandardHelpOptions = true,
    description = "Say which node owns each key.",
    footer = {
      "",
      "tsv: key TAB owner[,second,...], in the order of the input. A tab, line end or other control",
      "character in a key is written as JSON writes it; use json where keys have any.",
      "json: one object a line, {\"key\": ..., \"owners\": [...]}.",
      "",
      "Examples:",
      "  beltway route --topology examples/eight.yaml user:42 user:43",
      "  beltway route --topology examples/eight.yaml --keys keys.txt --format tsv",
      "  redis-cli --scan | beltway route --topology examples/eight.yaml --keys - --replicas 2"
    })
final class RouteCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Option(
      names = {"-t", "--topology"},
      required = true,
      paramLabel = "FILE",
      description = "The topology, YAML or JSON.")
  private Path topologyFile = Path.of("");

  @Mixin private KeyInput keyInput = new KeyInput();

  @Option(
      names = "--replicas",
      paramLabel = "R",
      description = "How many nodes to name for each key; by default what the topology says.")
  private @Nullable Integer replicas;

  @Option(
      names = "--down",
      paramLabel = "NODE,…",
      split = ",",
      description = "Nodes that are down: their keys go to the next node that is up.")
  private List<String> down = List.of();

  @Option(
      names = "--bound",
      paramLabel = "C",
      description =
          "Let no node have more than C times its fair share of the different keys, 1 to 1000; a key"
              + " for which there is no room goes on to the next node. 1.25 is usual.")
  private @Nullable Double bound;

  @Option(
      names = "--format",
      paramLabel = "text|tsv|json",
      defaultValue = "text",
      description = "How to print; text by default.")
  private String format = "text";

  @Parameters(paramLabel = "KEY", arity = "0..*", description = "Keys.")
  private List<String> keys = List.of();

  RouteCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    if (keys.isEmpty() && !keyInput.isGiven()) {
      throw new BadInputException(
          "no keys: name some, or a file with --keys (- is standard input)");
    }
    keyInput.format();
    if (down.stream().anyMatch(String::isEmpty)) {
      throw new BadInputException("--down: an empty name between the commas");
    }
    for (String key : keys) {
      if (key.indexOf('\ufffd') >= 0) {
        throw new BadInputException(
            "the key \"" + key + "\" isn't UTF-8; give its bytes by --keys - instead");
      }
    }
    Topology topology = TopologyInput.read(topologyFile);
    Placement placement = placement(topology);
    int wanted = replicas(topology);
    if (bound == null) {
      try (RoutePrinter printer = RoutePrinter.of(format, owners(placement, wanted), terminal)) {
        read(printer::print);
      }
    } else if (wanted > 1) {
      throw new BadInputException("--bound: goes with one replica only, not with " + wanted);
    } else {
      RouteOwners.Bounded all = new RouteOwners.Bounded((OrderedPlacement) placement, bound);
      read(all::add);
      all.assign();
      try (RoutePrinter printer = RoutePrinter.of(format, all, terminal)) {
        all.forEachLine(printer::print);
      }
      terminal.err().println("bound: " + all.overflow());
    }
    return ExitCode.DONE;
  }

  /** All keys, those of the command line first. */
  private void read(KeyVisitor visitor) throws BadInputException, IOException {
    for (String key : keys) {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      visitor.visit(bytes, 0, bytes.length);
    }
    if (keyInput.isGiven()) {
      keyInput.read(
          terminal,
          (bytes, offset, length) -> {
            visitor.visit(bytes, offset, length);
            terminal.sink().check(); // Whoever reads may have gone; the input may have no end.
          });
    }
  }

  private Placement placement(Topology topology) throws BadInputException {
    Placement placement = Placements.of(topology);
    if (down.isEmpty() && bound == null) {
      return placement;
    }
    if (!(placement instanceof OrderedPlacement ordered)) {
      throw new BadInputException(
          (bound == null ? "--down" : "--bound")
              + ": algorithm "
              + topology.rule().algorithm()
              + " has no second owner of a key");
    }
    if (down.isEmpty()) {
      return placement;
    }
    try {
      Failover failover = Failover.of(ordered, down);
      if (failover.owners().isEmpty()) {
        throw new BadInputException("--down: no node is left that owns anything");
      }
      return failover;
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--down: " + e.getMessage());
    }
  }

  private int replicas(Topology topology) throws BadInputException {
    int stated = topology.rule().replication().replicas();
    int wanted = replicas == null ? stated : replicas;
    if (wanted < 1 || wanted > Topology.MOST_NODES) {
      throw new BadInputException(
          "--replicas: " + wanted + " is outside 1 to " + Topology.MOST_NODES);
    }
    return wanted;
  }

  private RouteOwners owners(Placement placement, int wanted) throws BadInputException {
    if (wanted > 1 && !(placement instanceof OrderedPlacement)) {
      throw new BadInputException(
          "--replicas: algorithm "
              + placement.topology().rule().algorithm()
              + " has one owner for a key and no order of others; allowed is 1");
    }
    int active = placement.owners().size();
    if (wanted > active) {
      terminal.warn(
          wanted + " replicas on " + Formats.plural(active, "node") + ": lists are shorter");
    }
    if (wanted == 1 || !(placement instanceof OrderedPlacement ordered)) {
      return new RouteOwners.Sole(placement);
    }
    FailureDomain domain = placement.topology().rule().replication().domain();
    Replicas several = Replicas.of(ordered, Math.min(wanted, active), domain);
    if (several.fewerDomains()) {
      terminal.warn(
          several.replicas()
              + " replicas over "
              + Formats.plural(several.domains(), domain.text())
              + ": some share one");
    }
    return new RouteOwners.Several(ordered, several);
  }
}
