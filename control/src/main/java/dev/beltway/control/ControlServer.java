package dev.beltway.control;

import dev.beltway.control.api.Api;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.control.api.Sandbox;
import dev.beltway.control.lead.Keeper;
import dev.beltway.control.lead.Leadership;
import dev.beltway.control.lead.NodeDriver;
import dev.beltway.control.store.AuditEntry;
import dev.beltway.control.store.ClusterStore;
import dev.beltway.control.store.EmbeddedZooKeeper;
import dev.beltway.handover.Orders;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** One control process: the store (embedded or an ensemble), the leader, the API. */
public final class ControlServer implements AutoCloseable {

  private static final Duration CONNECT = Duration.ofSeconds(20);

  /**
   * How it is set up.
   *
   * @param listen where the API is
   * @param embedded where an embedded ZooKeeper keeps its data and listens; empty for an ensemble
   * @param servers of ZooKeeper, as proxies reach them
   * @param cluster its name in the store
   * @param secret that opens what is stored
   * @param keys of the API
   * @param tls of the API; null for none
   * @param nodes the administrator's login at nodes
   * @param control the control database at nodes
   * @param kept where what is removed from nodes is kept
   * @param id of this process
   */
  public record Setup(
      InetSocketAddress listen,
      Optional<Embedded> embedded,
      String servers,
      String cluster,
      String secret,
      ApiKeys keys,
      SslContextFactory.@Nullable Server tls,
      NodeSettings nodes,
      int control,
      Path kept,
      String id) {}

  /**
   * An embedded ZooKeeper.
   *
   * @param folder of its data
   * @param host where it listens
   * @param port where it listens
   */
  public record Embedded(Path folder, String host, int port) {}

  private final @Nullable DataLock lock;
  private final @Nullable EmbeddedZooKeeper zooKeeper;
  private final ClusterStore store;
  private final Leadership leadership;
  private final Api api;

  private ControlServer(
      @Nullable DataLock lock,
      @Nullable EmbeddedZooKeeper zooKeeper,
      ClusterStore store,
      Leadership leadership,
      Api api) {
    this.lock = lock;
    this.zooKeeper = zooKeeper;
    this.store = store;
    this.leadership = leadership;
    this.api = api;
  }

  /**
   * Starts it.
   *
   * @param first the topology to begin with, where none is stored yet
   * @throws IOException if a port is taken, or the store doesn't answer
   */
  public static ControlServer start(Setup setup, Optional<Topology> first) throws IOException {
    return start(setup, first, Optional.empty());
  }

  /**
   * Starts one that can start nodes' servers too.
   *
   * @param first the topology to begin with, where none is stored yet
   * @param sandbox starts them
   * @throws IOException if a port is taken, or the store doesn't answer
   */
  public static ControlServer start(
      Setup setup, Optional<Topology> first, Optional<Sandbox> sandbox) throws IOException {
    EmbeddedZooKeeper zooKeeper = null;
    ClusterStore store = null;
    Leadership leadership = null;
    DataLock lock = null;
    try {
      if (setup.embedded().isPresent()) {
        Embedded embedded = setup.embedded().get();
        lock = DataLock.of(embedded.folder());
        requireFree(embedded.host(), embedded.port());
        zooKeeper = EmbeddedZooKeeper.start(embedded.folder(), embedded.host(), embedded.port());
      }
      store = ClusterStore.connect(setup.servers(), setup.cluster(), setup.secret(), CONNECT);
      if (first.isPresent() && store.state().isEmpty()) {
        Topology topology = first.get();
        store.create(
            topology,
            new AuditEntry(
                Instant.now(),
                "control",
                "first topology",
                "--topology",
                1,
                "STEADY",
                Math.max(1, topology.epoch()),
                topology.fingerprint().hex(),
                0,
                ""));
      }
      leadership =
          new Leadership(
              store,
              new NodeDriver(setup.nodes(), setup.control()),
              Orders.Limits.USUAL,
              setup.control(),
              new Keeper(setup.kept()),
              setup.id());
      Api api =
          new Api(
              setup.listen(),
              store,
              setup.keys(),
              new Api.Coordination(
                  setup.servers(), setup.cluster(), setup.secret(), setup.control()),
              setup.tls(),
              sandbox);
      return new ControlServer(lock, zooKeeper, store, leadership, api);
    } catch (IOException | RuntimeException e) {
      if (leadership != null) {
        leadership.close();
      }
      if (store != null) {
        store.close();
      }
      if (zooKeeper != null) {
        zooKeeper.close();
      }
      if (lock != null) {
        lock.close();
      }
      throw e;
    }
  }

  /** Before ZooKeeper touches its files: on a taken port it would tidy up those of another one. */
  private static void requireFree(String host, int port) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new IOException(
          "the port of the embedded ZooKeeper, "
              + host
              + ":"
              + port
              + ", is taken: "
              + e.getMessage(),
          e);
    }
  }

  /** The port of the API. */
  public int port() {
    return api.port();
  }

  /** What is stored. */
  public ClusterStore store() {
    return store;
  }

  /** Whether this process leads. */
  public boolean isLeading() {
    return leadership.isLeading();
  }

  @Override
  public void close() {
    api.close();
    leadership.close();
    store.close();
    if (zooKeeper != null) {
      zooKeeper.close();
    }
    if (lock != null) {
      lock.close();
    }
  }
}
