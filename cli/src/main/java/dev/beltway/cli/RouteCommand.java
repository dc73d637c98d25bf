package dev.beltway.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.beltway.placement.OrderedPlacement;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.io.OutputStream;
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
    for (String key : keys) {
      if (key.indexOf('\ufffd') >= 0) {
        throw new BadInputException(
            "the key \"" + key + "\" isn't UTF-8; give its bytes by --keys - instead");
      }
    }
    Topology topology = TopologyInput.read(topologyFile);
    try (Printer printer = printer(Placements.of(topology), replicas(topology))) {
      for (String key : keys) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        printer.print(bytes, 0, bytes.length);
      }
      if (keyInput.isGiven()) {
        keyInput.read(
            terminal,
            (bytes, offset, length) -> {
              printer.print(bytes, offset, length);
              terminal.sink().check(); // Whoever reads may have gone; the input may have no end.
            });
      }
    }
    return ExitCode.DONE;
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

  private Printer printer(Placement placement, int wanted) throws BadInputException {
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
    Owners owners = new Owners(placement, Math.min(wanted, active));
    return switch (format) {
      case "text" -> new TextPrinter(owners, "  ", ", ", terminal.out());
      case "tsv" -> new TextPrinter(owners, "\t", ",", terminal.out());
      case "json" -> new JsonPrinter(owners, terminal.out());
      default ->
          throw new BadInputException("--format: \"" + format + "\" is not one of text, tsv, json");
    };
  }

  /** The owners of one key after the other, without an object for each. */
  private static final class Owners {

    private final Placement placement;
    private final List<Node> nodes;
    private final int[] found;

    Owners(Placement placement, int replicas) {
      this.placement = placement;
      this.nodes = placement.owners();
      this.found = new int[replicas];
    }

    int find(byte[] key, int offset, int length) {
      long position = placement.partitioner().position(key, offset, length);
      if (found.length > 1 && placement instanceof OrderedPlacement ring) {
        return ring.preferenceList(position, found);
      }
      found[0] = placement.ownerIndexAt(position);
      return 1;
    }

    String id(int i) {
      return nodes.get(found[i]).id();
    }
  }

  private interface Printer extends AutoCloseable {
    void print(byte[] key, int offset, int length) throws IOException;

    @Override
    void close() throws IOException;
  }

  private static final class TextPrinter implements Printer {

    private final Owners owners;
    private final byte[] gap;
    private final byte[] comma;
    private final OutputStream out;

    TextPrinter(Owners owners, String gap, String comma, OutputStream out) {
      this.owners = owners;
      this.gap = gap.getBytes(StandardCharsets.UTF_8);
      this.comma = comma.getBytes(StandardCharsets.UTF_8);
      this.out = out;
    }

    @Override
    public void print(byte[] key, int offset, int length) throws IOException {
      if (hasControl(key, offset, length)) {
        String text = Json.tree(new String(key, offset, length, StandardCharsets.UTF_8)).toString();
        out.write(text.substring(1, text.length() - 1).getBytes(StandardCharsets.UTF_8));
      } else {
        out.write(key, offset, length);
      }
      out.write(gap);
      int count = owners.find(key, offset, length);
      for (int i = 0; i < count; i++) {
        if (i > 0) {
          out.write(comma);
        }
        out.write(owners.id(i).getBytes(StandardCharsets.UTF_8));
      }
      out.write('\n');
    }

    private static boolean hasControl(byte[] key, int offset, int length) {
      for (int i = offset; i < offset + length; i++) {
        if (key[i] >= 0 && key[i] < ' ' || key[i] == 0x7f) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void close() throws IOException {
      out.flush();
    }
  }

  private static final class JsonPrinter implements Printer {

    private final Owners owners;
    private final JsonGenerator json;

    JsonPrinter(Owners owners, OutputStream out) throws UncheckedJsonException {
      this.owners = owners;
      try {
        this.json = new JsonFactory().createGenerator(out);
      } catch (IOException e) {
        throw new UncheckedJsonException(e);
      }
      json.setRootValueSeparator(null);
    }

    @Override
    public void print(byte[] key, int offset, int length) throws IOException {
      json.writeStartObject();
      json.writeStringField("key", new String(key, offset, length, StandardCharsets.UTF_8));
      json.writeArrayFieldStart("owners");
      int count = owners.find(key, offset, length);
      for (int i = 0; i < count; i++) {
        json.writeString(owners.id(i));
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    }

    @Override
    public void close() throws IOException {
      json.flush();
    }
  }

  /** A generator on a stream that can't be made, which doesn't happen. */
  private static final class UncheckedJsonException extends java.io.UncheckedIOException {

    private static final long serialVersionUID = 1L;

    UncheckedJsonException(IOException cause) {
      super(cause);
    }
  }
}
