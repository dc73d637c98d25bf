package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.beltway.config.ConfigFileException;
import dev.beltway.config.UsersFile;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.StoreFeed;
import dev.beltway.handover.RoutingFeed;
import dev.beltway.proxy.FailurePolicy;
import dev.beltway.proxy.Proxy;
import dev.beltway.proxy.ProxySettings;
import dev.beltway.proxy.access.CommandRules;
import dev.beltway.proxy.access.User;
import dev.beltway.proxy.access.Users;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.telemetry.MetricsPages;
import dev.beltway.telemetry.ProxyMetrics;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway proxy}: a Redis proxy. */
@Command(
    name = "proxy",
    mixinStandardHelpOptions = true,
    subcommands = {ClusterCommands.ListProxies.class, ClusterCommands.Forget.class},
    sortOptions = false,
    description = {
      "Route Redis clients to the nodes of a topology: plain Redis servers from version 6 on, or"
          + " Valkey.",
      ""
    },
    footer = {
      "",
      "The topology file is looked at every second: new addresses are obeyed at once, a change that",
      "would move keys is refused. SIGTERM lets what is under way end first. Logs are JSON on standard",
      "error. The password for the nodes is in BELTWAY_NODE_PASSWORD.",
      "",
      "Examples:",
      "  beltway proxy --topology pool.yaml",
      "  beltway proxy --topology pool.yaml --listen 0.0.0.0:6379 --users users.yaml --metrics 127.0.0.1:9121"
    })
final class ProxyCommand implements Callable<Integer> {

  private static final Duration CONTROL_WAIT = Duration.ofSeconds(60);

  /** Files and connections beside those of clients. */
  private static final int SPARE_FILES = 100;

  private final Terminal terminal;

  @Option(
      names = {"-t", "--topology"},
      paramLabel = "FILE",
      description = "The topology, YAML or JSON.")
  private @Nullable Path topologyFile;

  @Option(
      names = "--control",
      paramLabel = "HOST:PORT",
      description =
          "Obey a live cluster instead: the address of a control process, which is asked once where"
              + " ZooKeeper is. The API key is in BELTWAY_API_KEY.")
  private @Nullable String control;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:6380",
      description = "Where clients connect; ${DEFAULT-VALUE} by default.")
  private String listen = "";

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description = "Where /metrics, /healthz and /readyz are; nowhere by default.")
  private @Nullable String metrics;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "proxy",
      description = "Its name: nodes see beltway-NAME; ${DEFAULT-VALUE} by default.")
  private String name = "";

  @Option(
      names = "--policy",
      paramLabel = "error|next",
      defaultValue = "error",
      description = {
        "What happens to keys of a node that is down. error: their requests fail, for a store."
            + " next: they go to the next node, and the node is EMPTIED (FLUSHALL) before it serves"
            + " again, for a cache alone. ${DEFAULT-VALUE} by default."
      })
  private String policy = "";

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description =
          "With --policy next: where it writes down which nodes must be emptied, for its next start."
              + " Keep it as long as the pool.")
  private @Nullable Path stateFile;

  @Option(
      names = "--users",
      paramLabel = "FILE",
      description = "Who may do what; docs/proxy.md has the format. Anybody anything by default.")
  private @Nullable Path usersFile;

  @Option(
      names = "--open",
      description = "Listen beyond this machine although anybody may do anything.")
  private boolean open;

  @Option(
      names = "--databases",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many databases clients may SELECT; ${DEFAULT-VALUE} by default.")
  private int databases;

  @Option(names = "--allow-flush", description = "Allow FLUSHDB and FLUSHALL.")
  private boolean allowFlush;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "10000",
      description = "The most clients; ${DEFAULT-VALUE} by default.")
  private int clients;

  @Option(
      names = "--memory",
      paramLabel = "MB",
      defaultValue = "256",
      description =
          "What buffers may take before the client that holds the most is closed; ${DEFAULT-VALUE} by"
              + " default. A value of that size needs room twice.")
  private int memory;

  @Option(
      names = "--loops",
      paramLabel = "N",
      defaultValue = "1",
      description = "Event loops, each with connections of its own; ${DEFAULT-VALUE} by default.")
  private int loops;

  @Option(
      names = "--request-timeout",
      paramLabel = "MS",
      defaultValue = "3000",
      description = "How long a node may take to answer; ${DEFAULT-VALUE} by default.")
  private int requestTimeout;

  @Option(
      names = "--slow",
      paramLabel = "MS",
      defaultValue = "100",
      description = "From how long on a request is logged as slow; ${DEFAULT-VALUE} by default.")
  private int slow;

  @Option(
      names = "--hold",
      paramLabel = "MS",
      defaultValue = "3000",
      description =
          "With --control: how long a request may wait for keys that move; ${DEFAULT-VALUE} by"
              + " default.")
  private int hold;

  @Option(
      names = "--drain",
      paramLabel = "S",
      defaultValue = "10",
      description = "How long a stop waits for requests under way; ${DEFAULT-VALUE} by default.")
  private int drain;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Certificate chain (PEM): clients must use TLS.")
  private @Nullable Path tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Its private key (PEM, PKCS #8, no passphrase).")
  private @Nullable Path tlsKey;

  @Mixin private final NodeLogin login = new NodeLogin();

  ProxyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    if ((topologyFile == null) == (control == null)) {
      throw new BadInputException("state one of --topology and --control");
    }
    Topology topology = topologyFile == null ? null : TopologyInput.read(topologyFile);
    InetSocketAddress address = Endpoint.parse("--listen", listen);
    if (control != null && name.equals("proxy")) {
      name = "proxy-" + address.getPort(); // Names tell the proxies of a cluster apart.
    }
    Users users = users();
    boolean anybody = users.unnamed().isPresent();
    if (anybody && !address.getAddress().isLoopbackAddress() && !open) {
      throw new BadInputException(
          "--listen "
              + listen
              + " is open to the network and anybody may do anything; give --users FILE, or --open"
              + " if that is meant");
    }
    @Nullable InetSocketAddress pages =
        metrics == null ? null : Endpoint.parse("--metrics", metrics);
    if (memory < 16 || memory > 1 << 20) {
      throw new BadInputException("--memory: " + memory + " MB is outside 16 to " + (1 << 20));
    }
    ProxySettings settings;
    try {
      settings = settings(address, users);
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    if (settings.policy() == FailurePolicy.NEXT && stateFile == null) {
      throw new BadInputException("--policy next needs --state FILE; docs/proxy.md says why");
    }
    if (topology != null) {
      refuseOwnAddress(topology, address);
    }
    warnOfFewFiles();
    Proxy proxy;
    try {
      proxy =
          topology == null
              ? Proxy.start(settings, feed())
              : Proxy.start(settings, topology, stateFile);
    } catch (IllegalArgumentException | IOException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
    try (proxy;
        MetricsPages server = pages == null ? null : pages(pages, proxy)) {
      PrintStream out = terminal.out();
      out.println(
          "beltway proxy listens on "
              + shown(proxy.address())
              + (server == null ? "" : ", metrics on " + shown(server.address()))
              + "; "
              + (topology == null
                  ? "cluster of " + control
                  : Formats.plural(topology.nodes().size(), "node")
                      + ", epoch "
                      + topology.epoch()
                      + ", fingerprint "
                      + topology.fingerprint()));
      out.flush();
      untilStopped(proxy);
      if (proxy.hasEnded()) {
        throw new BadInputException(
            "another proxy named " + name + " has started and taken its place; give each a --name");
      }
    }
    return ExitCode.DONE;
  }

  /** A node that is the proxy itself would send each request round for ever. */
  private static void refuseOwnAddress(Topology topology, InetSocketAddress own)
      throws BadInputException {
    String text = shown(own);
    for (Node node : topology.nodes()) {
      if (node.address().isPresent() && node.address().get().equals(text)) {
        throw new BadInputException("node " + node.id() + " is at " + text + ", where --listen is");
      }
    }
  }

  /** Made when it is needed: this class is loaded for every command, which would wait for it. */
  private static Logger log() {
    return LoggerFactory.getLogger(ProxyCommand.class);
  }

  private void warnOfFewFiles() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        && system.getMaxFileDescriptorCount() < clients + SPARE_FILES) {
      terminal.warn(
          "this process may open "
              + system.getMaxFileDescriptorCount()
              + " files (ulimit -n), too few for "
              + clients
              + " clients (--clients)");
    }
  }

  private static String shown(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  private static MetricsPages pages(InetSocketAddress address, Proxy proxy)
      throws BadInputException {
    try {
      return MetricsPages.start(address, new ProxyMetrics(proxy::reading), proxy::unready);
    } catch (IOException e) {
      throw new BadInputException("--metrics: can't listen there: " + e.getMessage());
    }
  }

  /** Looks at the topology file now and then, until the process is told to end. */
  private void untilStopped(Proxy proxy) {
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              stop.countDown();
              try {
                stopped.await(drain + 5L, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Runtime.getRuntime().addShutdownHook(hook);
    byte[] seen = bytes();
    try {
      while (!stop.await(1, TimeUnit.SECONDS) && !proxy.hasEnded()) {
        byte[] now = bytes();
        if (topologyFile != null && !Arrays.equals(now, seen)) {
          seen = now;
          reload(proxy);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    proxy.close();
    stopped.countDown();
  }

  /** Asks a control process where the store is. */
  private RoutingFeed feed() throws BadInputException, IOException {
    JsonNode coordination = null;
    long deadline = System.nanoTime() + CONTROL_WAIT.toNanos();
    while (coordination == null) {
      try {
        coordination = new ControlClient(String.valueOf(control)).get("/v1/coordination");
      } catch (RefusedException e) {
        throw new BadInputException("--control: " + e.getMessage());
      } catch (BadInputException e) { // After a reboot it may still be starting.
        if (System.nanoTime() > deadline) {
          throw e;
        }
        log().atWarn().addKeyValue("reason", e.getMessage()).log("waits for control");
        try {
          TimeUnit.SECONDS.sleep(1);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw e;
        }
      }
    }
    ClusterStore store =
        ClusterStore.connect(
            coordination.path("servers").asText(),
            coordination.path("cluster").asText(),
            coordination.path("secret").asText(),
            Duration.ofSeconds(20));
    return new StoreFeed(store, coordination.path("control").asInt());
  }

  private byte[] bytes() {
    if (topologyFile == null) {
      return new byte[0];
    }
    try {
      boolean plain = Files.isRegularFile(topologyFile); // A pipe could keep us for ever.
      return plain ? Files.readAllBytes(topologyFile) : new byte[0];
    } catch (IOException e) {
      return new byte[0]; // Being replaced, or gone for now: what is obeyed stays.
    }
  }

  private void reload(Proxy proxy) {
    String refusal;
    try {
      if (topologyFile == null || !Files.isRegularFile(topologyFile)) {
        throw new BadInputException(topologyFile + " is no file now");
      }
      refusal = proxy.reload(TopologyInput.read(topologyFile));
    } catch (BadInputException | IllegalArgumentException e) {
      refusal = String.valueOf(e.getMessage());
    }
    if (refusal.isEmpty()) {
      log().info("the topology file was read again");
    } else {
      log().atError().addKeyValue("reason", refusal).log("the topology file is not obeyed");
    }
  }

  private ProxySettings settings(InetSocketAddress address, Users users) throws BadInputException {
    return new ProxySettings(
        name,
        address,
        loops,
        databases,
        clients,
        1_024,
        (long) memory << 20,
        allowFlush,
        policy(),
        users,
        tls(),
        nodes(),
        Duration.ofMillis(slow),
        Duration.ofSeconds(drain),
        Duration.ofMillis(hold));
  }

  private FailurePolicy policy() throws BadInputException {
    return switch (policy) {
      case "error" -> FailurePolicy.ERROR;
      case "next" -> FailurePolicy.NEXT;
      default -> throw new BadInputException("--policy: " + policy + " is neither error nor next");
    };
  }

  private NodeSettings nodes() throws BadInputException {
    if (requestTimeout < 1) {
      throw new BadInputException("--request-timeout: " + requestTimeout + " is below 1");
    }
    return login.settings(
        name + "-" + Integer.toHexString(new SecureRandom().nextInt() & 0xffffff),
        Duration.ofMillis(requestTimeout));
  }

  private Optional<SslContext> tls() throws BadInputException {
    if (tlsCert == null && tlsKey == null) {
      return Optional.empty();
    }
    if (tlsCert == null || tlsKey == null) {
      throw new BadInputException("--tls-cert and --tls-key go together");
    }
    try {
      return Optional.of(
          SslContextBuilder.forServer(tlsCert.toFile(), tlsKey.toFile())
              .sslProvider(SslProvider.JDK)
              .build());
    } catch (SSLException | IllegalArgumentException e) {
      throw new BadInputException("--tls-cert: " + e.getMessage());
    }
  }

  private Users users() throws BadInputException {
    if (usersFile == null) {
      return Users.OPEN;
    }
    List<User> users = new ArrayList<>();
    String place = usersFile.toString();
    try {
      for (UsersFile.Entry entry : UsersFile.read(usersFile)) {
        place = entry.place();
        users.add(
            new User(
                entry.name(),
                entry.passwords().stream().map(p -> p.toLowerCase(Locale.ROOT)).toList(),
                entry.anyPassword(),
                new CommandRules(entry.commands()),
                entry.keys(),
                entry.channels()));
      }
      if (users.isEmpty()) {
        throw new BadInputException(usersFile + ": users: nobody is in it");
      }
      return new Users(users);
    } catch (ConfigFileException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw new BadInputException(place + ": " + e.getMessage());
    }
  }
}
