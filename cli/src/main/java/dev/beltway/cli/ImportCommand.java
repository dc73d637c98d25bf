package dev.beltway.cli;

import dev.beltway.config.ConfigFileException;
import dev.beltway.config.TopologyText;
import dev.beltway.config.peers.HaproxyBackend;
import dev.beltway.config.peers.NginxUpstream;
import dev.beltway.config.peers.Nutcracker;
import dev.beltway.config.peers.Pool;
import dev.beltway.config.peers.PoolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway import}: another system's pool to a topology. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Read a pool from the configuration of twemproxy, nginx or HAProxy and print the topology that"
          + " puts every key where that system does.",
      ""
    },
    footer = {"", "Example:", "  beltway import nutcracker.yml > pool.yaml"})
final class ImportCommand implements Callable<Integer> {

  private static final int MOST_BYTES = 8 << 20;
  private static final Pattern UPSTREAM = Pattern.compile("(?m)^\\s*upstream\\s+\\S+\\s*\\{");
  private static final Pattern BACKEND =
      Pattern.compile("(?m)^\\s*(backend|listen|defaults|global)(\\s|$)");

  private final Terminal terminal;

  @Option(
      names = "--from",
      paramLabel = "twemproxy|nginx|haproxy",
      description = "Whose configuration it is; by default its content tells.")
  private @Nullable String from;

  @Option(
      names = "--pool",
      paramLabel = "NAME",
      description = "Which pool, where the file has several.")
  private @Nullable String pool;

  @Parameters(paramLabel = "FILE", description = "The configuration.")
  private Path file = Path.of("");

  ImportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    byte[] bytes;
    try {
      bytes = Files.size(file) > MOST_BYTES ? new byte[0] : Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new BadInputException(file + ": there is no such file");
    } catch (IOException e) {
      throw new BadInputException(file + ": can't be read: " + e.getMessage());
    }
    if (bytes.length == 0) {
      throw new BadInputException(file + " is empty or larger than 8 MiB");
    }
    Pool chosen = chosen(pools(bytes));
    if (chosen.topology().nodes().isEmpty()) {
      throw new BadInputException(file + ": pool " + chosen.name() + " has no servers");
    }
    for (String note : chosen.notes()) {
      terminal.warn(note);
    }
    terminal.out().print("# " + chosen.name() + "\n" + TopologyText.yaml(chosen.topology()));
    return ExitCode.DONE;
  }

  private List<Pool> pools(byte[] bytes) throws BadInputException {
    String text = new String(bytes, StandardCharsets.UTF_8);
    String system = from;
    if (system == null) {
      system =
          UPSTREAM.matcher(text).find()
              ? "nginx"
              : BACKEND.matcher(text).find() ? "haproxy" : "twemproxy";
    }
    try {
      return switch (system) {
        case "nginx" -> NginxUpstream.read(text);
        case "haproxy" -> HaproxyBackend.read(text);
        case "twemproxy" -> Nutcracker.read(file.toString(), bytes);
        default ->
            throw new BadInputException(
                "--from: " + system + " is none of twemproxy, nginx, haproxy");
      };
    } catch (ConfigFileException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    } catch (PoolException e) {
      throw new BadInputException(file + ": " + e.getMessage());
    }
  }

  private Pool chosen(List<Pool> pools) throws BadInputException {
    String names = pools.stream().map(Pool::name).collect(Collectors.joining(", "));
    if (pools.isEmpty()) {
      throw new BadInputException(file + " has no pool");
    }
    if (pool == null) {
      if (pools.size() > 1) {
        throw new BadInputException(file + " has several pools, choose one by --pool: " + names);
      }
      return pools.get(0);
    }
    for (Pool each : pools) {
      if (each.name().equals(pool)) {
        return each;
      }
    }
    throw new BadInputException("--pool: " + pool + " is none of " + names);
  }
}
