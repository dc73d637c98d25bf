package dev.beltway.cli.local;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.ControlServer;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.control.api.Sandbox;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.StoreFeed;
import dev.beltway.proxy.Proxy;
import dev.beltway.proxy.ProxySettings;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole cluster in this process and its children, of the same parts that a real one is made of:
 * Redis servers, control with an embedded ZooKeeper, proxies, and a light load.
 */
public final class Playground implements AutoCloseable {

  private static final int NODES = 3;
  private static final int PROXIES = 2;
  private static final int CONTROL_DATABASE = 15;
  private static final int FIRST_NODE_PORT = 7001;
  private static final Duration READY = Duration.ofSeconds(30);
  private static final String CLUSTER = "default";

  /**
   * How it is wanted.
   *
   * @param data where its state is kept; null for nowhere
   * @param control the port of the API, if it is free; ZooKeeper is at the next one
   * @param proxy the port of the first proxy, if it is free
   * @param load whether there is a load
   */
  public record Wishes(@Nullable Path data, int control, int proxy, boolean load) {}

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final Servers servers;
  private final Home home;
  private final List<Integer> proxyPorts = new ArrayList<>();
  private int controlPort;
  private @Nullable SampleLoad load;

  private Playground(Home home, Ports ports, Consumer<String> told) throws IOException {
    this.home = home;
    this.servers = new Servers(home, ports, told);
    parts.push(home);
  }

  /**
   * Starts it all, and returns when each part answers.
   *
   * @param told what people should know: ports that are in use, what a dead predecessor had left
   * @throws IOException if a part doesn't start; nothing is left running then
   */
  public static Playground start(Wishes wishes, Consumer<String> told) throws IOException {
    Path data = wishes.data();
    Home home = data == null ? Home.temporary(told) : Home.kept(data, told);
    Playground playground = new Playground(home, new Ports(told), told);
    try {
      playground.run(wishes, playground.servers.ports);
      return playground;
    } catch (IOException | RuntimeException e) {
      playground.close();
      throw e;
    }
  }

  private void run(Wishes wishes, Ports ports) throws IOException {
    parts.push(servers);
    servers.startKnown();
    List<Node> nodes = new ArrayList<>();
    if (!home.hasBegun()) {
      List<LocalRedis> started = new ArrayList<>();
      for (int i = 0; i < NODES; i++) {
        String id = "node-" + (char) ('a' + i);
        LocalRedis server = servers.start(id);
        started.add(server);
        nodes.add(Node.of(id).withAddress(server.address()));
      }
      for (LocalRedis server : started) {
        server.await();
      }
    }
    controlPort = ports.take(wishes.control(), 1, "the console");
    String zooKeeper = "127.0.0.1:" + (controlPort + 1);
    String secret = home.secret("store-key");
    ControlServer control =
        ControlServer.start(
            new ControlServer.Setup(
                at(controlPort),
                Optional.of(
                    new ControlServer.Embedded(
                        home.folder().resolve("zookeeper"), "127.0.0.1", controlPort + 1)),
                zooKeeper,
                CLUSTER,
                secret,
                ApiKeys.OPEN,
                null,
                NodeSettings.plain("beltway-control").withLogin("default", servers.password),
                CONTROL_DATABASE,
                home.folder().resolve("kept"),
                "up"),
            nodes.isEmpty()
                ? Optional.empty()
                : Optional.of(new Topology(1, RingRule.DEFAULT.withHashTags(true), nodes)),
            Optional.of(new Surroundings()));
    parts.push(control);
    home.begun();
    servers.watch();
    List<Proxy> proxies = new ArrayList<>();
    for (int i = 0; i < PROXIES; i++) {
      int port = ports.take(wishes.proxy() + i, 0, "proxy " + (i + 1));
      ClusterStore store = ClusterStore.connect(zooKeeper, CLUSTER, secret, READY);
      Proxy proxy =
          Proxy.start(
              ProxySettings.usual("proxy-" + port, at(port)),
              new StoreFeed(store, CONTROL_DATABASE));
      parts.push(proxy);
      proxies.add(proxy);
      proxyPorts.add(port);
    }
    for (Proxy proxy : proxies) {
      awaitReady(proxy);
    }
    if (wishes.load()) {
      SampleLoad sample = new SampleLoad(proxyPorts);
      load = sample;
      parts.push(sample);
      sample.start();
    }
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static void awaitReady(Proxy proxy) throws IOException {
    long deadline = System.nanoTime() + READY.toNanos();
    String unready = proxy.unready();
    while (!unready.isEmpty()) {
      if (System.nanoTime() > deadline) {
        throw new IOException("a proxy is not ready: " + unready);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      unready = proxy.unready();
    }
  }

  /** The port of the API and the console. */
  public int controlPort() {
    return controlPort;
  }

  /** The ports of the proxies. */
  public List<Integer> proxyPorts() {
    return List.copyOf(proxyPorts);
  }

  /** The nodes' addresses, by id. */
  public Map<String, String> nodes() {
    return servers.addresses();
  }

  /** How many keys the load has; 0 without one. */
  public int sampleKeys() {
    SampleLoad running = load;
    return running == null ? 0 : running.keys();
  }

  /** Ends the load; what it meets from now on counts no more. */
  public void endLoad() {
    SampleLoad running = load;
    if (running != null) {
      running.close();
    }
  }

  /** What the load has seen, in words; empty without one. */
  public String loadStory() {
    SampleLoad running = load;
    if (running == null) {
      return "";
    }
    SampleLoad.Figures seen = running.figures();
    return String.format(
            java.util.Locale.ROOT,
            "%,d requests: %,d misses, %,d wrong values, %,d errors",
            seen.requests(),
            seen.misses(),
            seen.wrong(),
            seen.errors())
        + (seen.error().isEmpty() ? "" : ", the last: " + seen.error());
  }

  /** Ends all parts, the one that was started last first. */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) { // The others must end all the same.
        org.slf4j.LoggerFactory.getLogger(Playground.class).warn("a part did not end well", e);
      }
    }
  }

  /** What control can do here. */
  private final class Surroundings implements Sandbox {

    @Override
    public String serve(String id) throws IOException {
      return servers.serve(id);
    }

    @Override
    public ObjectNode load() {
      ObjectNode root = JsonNodeFactory.instance.objectNode();
      SampleLoad running = load;
      if (running != null) {
        SampleLoad.Figures seen = running.figures();
        root.put("requests", seen.requests())
            .put("misses", seen.misses())
            .put("wrong", seen.wrong())
            .put("errors", seen.errors())
            .put("error", seen.error());
      }
      return root;
    }
  }

  /**
   * The nodes' servers, by id. One whose node has left goes on, empty: a rollback needs it again.
   */
  private static final class Servers implements AutoCloseable {

    private static final int MOST_SERVERS = 64;
    private static final int MOST_RESTARTS = 20;
    private static final long WATCH_MILLIS = 500;

    private final Home home;
    private final Ports ports;
    private final String password;
    private final Map<String, LocalRedis> running = new TreeMap<>();
    private final Map<String, Integer> promised = new TreeMap<>();
    private final Map<String, Integer> restarts = new TreeMap<>();
    private final Consumer<String> told;
    private @Nullable Path binary;
    private @Nullable Thread watcher;
    private boolean ended;

    Servers(Home home, Ports ports, Consumer<String> told) throws IOException {
      this.told = told;
      this.home = home;
      this.ports = ports;
      this.password = home.secret("password");
    }

    /** Those that an earlier run with this folder had, each on the port that the topology has. */
    synchronized void startKnown() throws IOException {
      for (Path folder : home.nodes()) {
        int port = LocalRedis.portOf(folder);
        if (port > 0) {
          String id = folder.getFileName().toString();
          if (!Ports.isFree(port)) {
            throw new IOException(
                "port "
                    + port
                    + ", where "
                    + id
                    + " has been, is in use by another program; end that, or begin with another"
                    + " --data");
          }
          ports.reserve(port);
          promised.put(id, port);
        }
      }
      for (String id : promised.keySet()) {
        start(id);
      }
      for (Map.Entry<String, LocalRedis> each : Map.copyOf(running).entrySet()) {
        try {
          each.getValue().await();
        } catch (IOException e) {
          told.accept(each.getKey() + " of an earlier run is not there: " + e.getMessage());
          running.remove(each.getKey());
          each.getValue().close();
        }
      }
    }

    /** From now on starts those again that end, each some times at most. */
    void watch() {
      Thread thread =
          new Thread(
              () -> {
                while (!Thread.currentThread().isInterrupted()) {
                  try {
                    TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
                    restartEnded();
                  } catch (InterruptedException e) {
                    return;
                  }
                }
              },
              "beltway-servers");
      thread.setDaemon(true);
      watcher = thread;
      thread.start();
    }

    private synchronized void restartEnded() {
      for (Map.Entry<String, LocalRedis> each : Map.copyOf(running).entrySet()) {
        String id = each.getKey();
        if (!ended
            && !each.getValue().isRunning()
            && restarts.merge(id, 1, Integer::sum) <= MOST_RESTARTS) {
          try {
            each.getValue().close();
            serve(id);
            told.accept(id + " had ended and was started again");
          } catch (IOException e) {
            told.accept(id + " had ended and can't be started again: " + e.getMessage());
          }
        }
      }
    }

    synchronized int port(String id) throws IOException {
      Integer port = promised.get(id);
      if (port == null) {
        port = ports.take(FIRST_NODE_PORT + promised.size(), 0, id);
        promised.put(id, port);
      }
      return port;
    }

    /** Starts one that is missing or has ended, and waits until it answers. */
    synchronized String serve(String id) throws IOException {
      LocalRedis server = start(id);
      try {
        return server.await().address();
      } catch (IOException e) {
        running.remove(id);
        server.close();
        throw e;
      }
    }

    synchronized LocalRedis start(String id) throws IOException {
      LocalRedis server = running.get(id);
      if (server != null && server.isRunning()) {
        return server;
      }
      if (ended) {
        throw new IOException("this cluster ends");
      }
      if (promised.size() >= MOST_SERVERS && !promised.containsKey(id)) {
        throw new IOException("there are " + MOST_SERVERS + " servers already");
      }
      Path program = binary;
      if (program == null) {
        program = RedisBinary.find(home.folder());
        binary = program;
      }
      server = LocalRedis.start(program, home.node(id), port(id), password, home.isKept());
      running.put(id, server);
      return server;
    }

    synchronized Map<String, String> addresses() {
      Map<String, String> all = new TreeMap<>();
      running.forEach((id, server) -> all.put(id, server.address()));
      return all;
    }

    @Override
    public synchronized void close() {
      ended = true;
      Thread watching = watcher;
      if (watching != null) {
        watching.interrupt();
      }
      running.values().forEach(LocalRedis::close);
    }
  }
}
