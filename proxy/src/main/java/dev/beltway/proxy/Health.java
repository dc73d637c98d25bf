package dev.beltway.proxy;

import dev.beltway.health.FailureDetector;
import dev.beltway.health.HealthRules;
import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeConnection;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.topology.Node;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the nodes: asks each by a PING on a connection of its own, and hears of requests that
 * were not answered. Everything happens in one event loop; what it found out is told to the {@link
 * Listener} there.
 */
final class Health {

  private static final Logger LOG = LoggerFactory.getLogger(Health.class);

  private static final int PROBE_MILLIS = 500;

  /** How a node is. */
  enum State {
    /** It answers. */
    UP,
    /** It is out: it has not answered several times. */
    OUT,
    /** It answers again, and is being emptied before it serves. */
    RETURNING
  }

  /** Who acts on what is found out. */
  interface Listener {
    /** A node is out. */
    void out(String node, String reason);

    /** A node answers again, after having been out. */
    void back(String node);

    /** How a node is that is not out. */
    default State state(String node) {
      return State.UP;
    }
  }

  /** Nodes that are out are reported, and nothing else is done about it. */
  static final Listener REPORT_ONLY =
      new Listener() {
        @Override
        public void out(String node, String reason) {}

        @Override
        public void back(String node) {}
      };

  private final Worker worker;
  private final EventLoop loop;
  private final Map<String, Probe> probes = new HashMap<>();
  private volatile FailureDetector detector;
  private volatile Listener listener = REPORT_ONLY;

  Health(Worker worker, Routing routing) {
    this.worker = worker;
    this.loop = worker.tick().loop();
    this.detector =
        FailureDetector.of(HealthRules.USUAL, routing.nodes().stream().map(Node::id).toList());
  }

  void start(Listener told) {
    listener = told;
    loop.execute(() -> watch(worker.view().routing()));
    loop.scheduleWithFixedDelay(this::probe, PROBE_MILLIS, PROBE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Watches the nodes where they are by this routing; in the loop. */
  void watch(Routing routing) {
    Set<String> ids = new HashSet<>();
    routing.nodes().forEach(node -> ids.add(node.id()));
    for (String gone : List.copyOf(probes.keySet())) {
      if (!ids.contains(gone)) {
        Probe probe = probes.remove(gone);
        if (probe != null) {
          probe.connection.close();
        }
      }
    }
    for (Node node : routing.nodes()) {
      Probe old = probes.get(node.id());
      detector = detector.watching(node.id());
      if (old == null || !old.node.address().equals(node.address())) {
        probes.put(node.id(), new Probe(node));
        if (old != null) {
          old.connection.close();
        }
      }
    }
  }

  /** Asks all nodes by another login from now on; in the loop. */
  void anew(Routing routing) {
    probes.values().forEach(probe -> probe.connection.close());
    probes.clear();
    watch(routing);
  }

  /** What a node calls the connection that it is asked on; 0 if there is none. In the loop. */
  long connectionId(String node) {
    Probe probe = probes.get(node);
    return probe == null ? 0 : probe.connection.id();
  }

  State state(String node) {
    return detector.watching(node).isFailing(node) ? State.OUT : listener.state(node);
  }

  /** A request to a node was not answered; from any loop. */
  void failed(String node, CallFailure failure) {
    // A connection that is cut says nothing yet, the next one will; and a node that answers, be it
    // with an error, is there.
    if (failure.kind() == CallFailure.Kind.DOWN || failure.kind() == CallFailure.Kind.SILENT) {
      loop.execute(() -> observe(node, false, failure.text()));
    }
  }

  private void probe() {
    worker.tick().stamp();
    probes.values().forEach(Probe::ask);
  }

  private void observe(String node, boolean good, String reason) {
    FailureDetector before = detector;
    long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    FailureDetector after = good ? before.succeeded(node, now) : before.failed(node, now);
    detector = after;
    if (after.isOut(node) && !before.isOut(node)) {
      LOG.atWarn().addKeyValue("node", node).addKeyValue("reason", reason).log("node is out");
      listener.out(node, reason);
    } else if (!after.isOut(node) && before.isOut(node)) {
      LOG.atInfo().addKeyValue("node", node).log("node answers again");
      listener.back(node);
    }
  }

  void close() {
    probes.values().forEach(probe -> probe.connection.close());
  }

  /** One node's probe. */
  private final class Probe extends Call implements NodeConnection.Listener {

    private final Node node;
    private final NodeConnection connection;
    private boolean asked;

    Probe(Node node) {
      this.node = node;
      this.connection =
          NodeConnection.shared(
              worker.tick(),
              worker.bootstrap(),
              Routing.address(node),
              worker.nodes().withRequestTimeout(worker.nodes().connectTimeout()),
              2,
              0,
              this);
    }

    void ask() {
      connection.checkTime();
      if (asked) {
        return;
      }
      asked = true;
      ByteBuf ping = worker.tick().allocator().directBuffer();
      RespWriter.request(ping, "PING");
      connection.send(this, ping, 0, ping.writerIndex());
      ping.release();
    }

    @Override
    public void replied(ByteBuf buf, int offset, int length) {
      asked = false;
      boolean good = buf.getByte(offset) == '+';
      observe(
          node.id(),
          good,
          good ? "" : buf.toString(offset, length, StandardCharsets.UTF_8).strip());
    }

    @Override
    public void failed(CallFailure failure) {
      asked = false;
      observe(node.id(), false, failure.text());
    }

    @Override
    public void up(NodeConnection made) {}

    @Override
    public void down(NodeConnection lost, CallFailure failure) {}

    @Override
    public void pushed(NodeConnection from, ByteBuf buf, int offset, int length) {}

    @Override
    public List<byte[]> preparation() {
      return List.of();
    }
  }
}
