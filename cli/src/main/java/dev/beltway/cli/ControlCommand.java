package dev.beltway.cli;

import dev.beltway.control.ControlServer;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway control}: the control plane. */
@Command(
    name = "control",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Keep a cluster's topology, change it live, and serve the API that the other commands and the"
          + " proxies ask.",
      ""
    },
    footer = {
      "",
      "Of several control processes with one ZooKeeper ensemble one leads, any answers. The",
      "administrator's password for the nodes is in BELTWAY_NODE_PASSWORD.",
      "",
      "Examples:",
      "  beltway control --data ./state --topology pool.yaml",
      "  beltway control --data ./state --zookeeper zk1:2181,zk2:2181,zk3:2181 --listen 0.0.0.0:7070 --keys keys.txt"
    })
final class ControlCommand implements Callable<Integer> {

  private static final int SECRET_BYTES = 32;

  private final Terminal terminal;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Where it keeps its secret, and the embedded ZooKeeper its data.")
  private Path data = Path.of("");

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = ControlOption.USUAL,
      description = "Where the API is; ${DEFAULT-VALUE} by default.")
  private String listen = "";

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT,...",
      description = "A ZooKeeper ensemble; embedded in this process by default.")
  private @Nullable String zooKeeper;

  @Option(
      names = "--zookeeper-listen",
      paramLabel = "HOST:PORT",
      description =
          "Where the embedded ZooKeeper listens, for proxies; 127.0.0.1 and the API's port + 1 by"
              + " default.")
  private @Nullable String zooKeeperListen;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "The cluster's name in ZooKeeper; ${DEFAULT-VALUE} by default.")
  private String cluster = "";

  @Option(
      names = {"-t", "--topology"},
      paramLabel = "FILE",
      description = "The topology to begin with, where none is stored yet.")
  private @Nullable Path topologyFile;

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description =
          "Who may call the API; a line for each: NAME view|operate|admin SHA256-OF-THE-KEY. Anybody"
              + " on this machine by default.")
  private @Nullable Path keysFile;

  @Option(
      names = "--control-database",
      paramLabel = "N",
      defaultValue = "15",
      description =
          "The last database of every node, where Beltway keeps its notes; clients may use those"
              + " before it. ${DEFAULT-VALUE} by default.")
  private int controlDatabase;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Certificate chain (PEM) of the API.")
  private @Nullable Path tlsCert;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key (PEM, PKCS #8).")
  private @Nullable Path tlsKey;

  @Mixin private final NodeLogin login = new NodeLogin();

  ControlCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    InetSocketAddress address = Endpoint.parse("--listen", listen);
    ApiKeys keys = keys();
    if (keys.isOpen() && !address.getAddress().isLoopbackAddress()) {
      throw new BadInputException(
          "--listen "
              + listen
              + " is open to the network and nobody needs a key; give --keys FILE");
    }
    if (controlDatabase < 1 || controlDatabase > 1023) {
      throw new BadInputException(
          "--control-database: " + controlDatabase + " is outside 1 to 1023");
    }
    Optional<Topology> first =
        topologyFile == null ? Optional.empty() : Optional.of(TopologyInput.read(topologyFile));
    String servers;
    Optional<ControlServer.Embedded> embedded = Optional.empty();
    if (zooKeeper == null) {
      String at =
          zooKeeperListen == null ? "127.0.0.1:" + (address.getPort() + 1) : zooKeeperListen;
      InetSocketAddress own = Endpoint.parse("--zookeeper-listen", at);
      embedded =
          Optional.of(
              new ControlServer.Embedded(
                  data.resolve("zookeeper"), own.getHostString(), own.getPort()));
      servers = own.getHostString() + ":" + own.getPort();
    } else {
      servers = zooKeeper;
    }
    ControlServer server;
    try {
      server =
          ControlServer.start(
              new ControlServer.Setup(
                  address,
                  embedded,
                  servers,
                  cluster,
                  secret(),
                  keys,
                  Pem.server(tlsCert, tlsKey),
                  login.settings("control"),
                  controlDatabase,
                  data.resolve("kept"),
                  id()),
              first);
    } catch (IOException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    try (server) {
      terminal
          .out()
          .println(
              "beltway control listens on "
                  + address.getHostString()
                  + ":"
                  + server.port()
                  + ", ZooKeeper "
                  + (embedded.isPresent() ? "embedded at " : "at ")
                  + servers
                  + ", cluster "
                  + cluster);
      terminal.out().flush();
      untilStopped();
    }
    return ExitCode.DONE;
  }

  private ApiKeys keys() throws BadInputException {
    try {
      return keysFile == null ? ApiKeys.OPEN : ApiKeys.read(keysFile);
    } catch (IOException e) {
      throw new BadInputException("--keys: " + e.getMessage());
    }
  }

  private static String id() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      host = "unknown";
    }
    return host + "-" + ProcessHandle.current().pid();
  }

  /** Opens what is stored: the same for all control processes of a cluster. */
  private String secret() throws BadInputException {
    String given = System.getenv("BELTWAY_SECRET");
    if (given != null && !given.isEmpty()) {
      return given;
    }
    Path file = data.resolve("secret");
    try {
      Files.createDirectories(data);
      if (!Files.exists(file)) {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        Path made = data.resolve("secret.new");
        Files.deleteIfExists(made);
        Files.createFile(
            made,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(made, HexFormat.of().formatHex(bytes) + "\n");
        Files.move(made, file);
      }
      String secret = Files.readString(file).strip();
      if (secret.isEmpty()) {
        throw new BadInputException(file + " is empty; remove it only together with the store");
      }
      return secret;
    } catch (IOException | UnsupportedOperationException e) {
      throw new BadInputException("--data: " + data + " can't be used: " + e);
    }
  }

  private static void untilStopped() {
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stop.countDown();
                  try {
                    stopped.await(3, TimeUnit.SECONDS);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    try {
      stop.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    stopped.countDown();
  }
}
