package dev.beltway.control.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.LoadReport;
import dev.beltway.config.ConfigFileException;
import dev.beltway.config.TopologyFiles;
import dev.beltway.config.TopologyText;
import dev.beltway.handover.ClusterState;
import dev.beltway.handover.ClusterView;
import dev.beltway.handover.Conductor;
import dev.beltway.handover.Heat;
import dev.beltway.handover.Registration;
import dev.beltway.handover.RoutingState;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * What is stored about one cluster, below {@code /beltway/<cluster>}:
 *
 * <pre>
 * state              the {@link ClusterState}; its znode version is the revision that writes name
 * topologies/N       each epoch, for ever
 * term               number of the elected leader; whatever the leader writes depends on it
 * proxies/r-N        registrations; with admitted/r-N, struck/r-N, acks/r-N and live/r-N beside them
 * runs               the processes of nodes that were admitted
 * audit/a-N          who changed what and why
 * status             what the leader has published last
 * moves/m-N          reports about keys that have moved
 * scrub              the last request to look at all keys
 * leader             the election
 * </pre>
 *
 * <p>Thread-safe. Only who knows the secret can read it.
 */
public final class ClusterStore implements AutoCloseable {

  private static final int SESSION_MILLIS = 6_000;
  private static final int CONNECT_MILLIS = 2_000;

  private final CuratorFramework client;
  private final String root;
  private final Map<Long, Placement> placements = new ConcurrentHashMap<>();
  private final Map<Long, Map<String, Double>> shares = new ConcurrentHashMap<>();
  private volatile @Nullable RoutingState lastRouting;

  private ClusterStore(CuratorFramework client, String root) {
    this.client = client;
    this.root = root;
  }

  /**
   * Connects.
   *
   * @param servers host:port, host:port …
   * @param secret that opens what is stored
   * @throws IOException if no server answers in time
   */
  public static ClusterStore connect(String servers, String cluster, String secret, Duration wait)
      throws IOException {
    if (!cluster.matches("[A-Za-z0-9_.-]{1,64}")) {
      throw new IOException("cluster \"" + cluster + "\" is not 1 to 64 letters, digits, ._-");
    }
    List<ACL> mine = ZooDefs.Ids.CREATOR_ALL_ACL;
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(servers)
            .sessionTimeoutMs(SESSION_MILLIS)
            .connectionTimeoutMs(CONNECT_MILLIS)
            .retryPolicy(new ExponentialBackoffRetry(50, 3, 500))
            .authorization("digest", Codec.bytes("beltway:" + secret))
            .aclProvider(
                new ACLProvider() {
                  @Override
                  public List<ACL> getDefaultAcl() {
                    return mine;
                  }

                  @Override
                  public List<ACL> getAclForPath(String path) {
                    return mine;
                  }
                })
            .build();
    client.start();
    ClusterStore store = new ClusterStore(client, "/beltway/" + cluster);
    try {
      if (!client.blockUntilConnected((int) wait.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new StoreException("no ZooKeeper server answers at " + servers);
      }
      for (String part :
          List.of("topologies", "proxies", "admitted", "struck", "acks", "live", "audit")) {
        store.ensure(part);
      }
      return store;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      client.close();
      throw new StoreException("interrupted", e);
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  private void ensure(String part) throws IOException {
    run(
        () ->
            client.checkExists().forPath(path(part)) == null
                ? client.create().orSetData().creatingParentsIfNeeded().forPath(path(part))
                : "");
  }

  /** Something to do at the store. */
  private interface Work<T> {
    @Nullable T run() throws Exception;
  }

  private static <T> @Nullable T run(Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted", e);
    } catch (IOException e) {
      throw e;
    } catch (KeeperException.NoAuthException | KeeperException.AuthFailedException e) {
      throw new StoreException("the store is another one's: its secret is not the one given", e);
    } catch (Exception e) { // Curator declares nothing more exact.
      throw new StoreException("the store does not answer: " + e.getMessage(), e);
    }
  }

  private String path(String part) {
    return root + "/" + part;
  }

  CuratorFramework client() {
    return client;
  }

  String root() {
    return root;
  }

  // ---------------------------------------------------------------- reading

  /**
   * A state with the revision that it was read at.
   *
   * @param routing the state with its mappings
   * @param revision of the document
   */
  public record Read(RoutingState routing, long revision) {}

  /** The state, if there is one yet; read from the store itself, behind what was written before. */
  public Optional<Read> state() throws IOException {
    Stat stat = new Stat();
    byte[] bytes =
        run(
            () -> {
              client.sync().forPath(path("state"));
              try {
                return client.getData().storingStatIn(stat).forPath(path("state"));
              } catch (KeeperException.NoNodeException e) {
                return null;
              }
            });
    return bytes == null
        ? Optional.empty()
        : Optional.of(new Read(routing(Codec.state(bytes)), stat.getVersion()));
  }

  /** A state with its mappings. */
  public RoutingState routing(ClusterState state) throws IOException {
    RoutingState known = lastRouting;
    if (known != null && isSameMapping(known.state(), state)) {
      return known.with(state); // Who gives keys to whom is found once, not at each look.
    }
    Placement from = placement(state.epoch());
    RoutingState made =
        state.next().isPresent()
            ? RoutingState.of(state, from, placement(state.next().getAsLong()))
            : RoutingState.steady(state, from);
    lastRouting = made;
    return made;
  }

  private static boolean isSameMapping(ClusterState one, ClusterState other) {
    return one.epoch() == other.epoch()
        && one.next().equals(other.next())
        && one.way().equals(other.way())
        && one.leg() == other.leg();
  }

  /** What share of the keys each node owns by the mapping of an epoch. */
  public Map<String, Double> shares(long epoch) throws IOException {
    Map<String, Double> known = shares.get(epoch);
    if (known != null) {
      return known;
    }
    Map<String, Double> made = new TreeMap<>();
    LoadReport.of(placement(epoch)).nodes().forEach(load -> made.put(load.id(), load.share()));
    if (shares.size() > 8) {
      shares.clear();
    }
    shares.put(epoch, made);
    return made;
  }

  /** The compiled mapping of an epoch. */
  public Placement placement(long epoch) throws IOException {
    Placement known = placements.get(epoch);
    if (known != null) {
      return known;
    }
    Placement made = Placements.of(topology(epoch));
    if (placements.size() > 8) {
      placements.clear();
    }
    placements.put(epoch, made);
    return made;
  }

  /**
   * A topology by its epoch.
   *
   * @throws IOException if there is none
   */
  public Topology topology(long epoch) throws IOException {
    byte[] bytes = data("topologies/" + epoch);
    if (bytes == null) {
      throw new StoreException("there is no epoch " + epoch);
    }
    JsonNode document = Codec.read(bytes);
    try {
      Topology topology =
          TopologyFiles.parse("epoch " + epoch, Codec.bytes(document.path("topology").asText()));
      String stated = document.path("fingerprint").asText();
      if (!topology.fingerprint().hex().equals(stated)) {
        throw new StoreException(
            "ALARM: the topology of epoch "
                + epoch
                + " has fingerprint "
                + topology.fingerprint()
                + ", but was stored as "
                + stated);
      }
      return topology;
    } catch (ConfigFileException e) {
      throw new StoreException(
          "the topology of epoch " + epoch + " is wrong: " + e.getMessage(), e);
    }
  }

  /** All epochs, ascending. */
  public List<Long> epochs() throws IOException {
    List<String> names = children("topologies");
    List<Long> epochs = new ArrayList<>();
    names.forEach(name -> epochs.add(Long.parseLong(name)));
    Collections.sort(epochs);
    return epochs;
  }

  private List<String> children(String part) throws IOException {
    List<String> names = run(() -> client.getChildren().forPath(path(part)));
    List<String> sorted = new ArrayList<>(names == null ? List.of() : names);
    Collections.sort(sorted);
    return sorted;
  }

  private byte @Nullable [] data(String part) throws IOException {
    return run(
        () -> {
          try {
            return client.getData().forPath(path(part));
          } catch (KeeperException.NoNodeException e) {
            return null;
          }
        });
  }

  /**
   * A registration with what people want to know of it.
   *
   * @param registration itself
   * @param address where its clients connect
   * @param since when it was made
   * @param live whether its process has a session with the store now
   */
  public record ProxyEntry(Registration registration, String address, String since, boolean live) {}

  /** All registrations of proxies, in the order in which they were made. */
  public List<ProxyEntry> proxies() throws IOException {
    List<String> admitted = children("admitted");
    List<String> struck = children("struck");
    List<String> live = children("live");
    List<ProxyEntry> all = new ArrayList<>();
    for (String id : children("proxies")) {
      byte[] bytes = data("proxies/" + id);
      if (bytes == null) {
        continue; // Struck off at this moment.
      }
      byte[] acknowledged = data("acks/" + id);
      JsonNode node = Codec.read(bytes);
      all.add(
          new ProxyEntry(
              new Registration(
                  id,
                  node.path("name").asText(),
                  node.path("hash").asText(),
                  admitted.contains(id),
                  struck.contains(id),
                  acknowledged == null ? 0 : Long.parseLong(Codec.text(acknowledged))),
              node.path("address").asText(),
              node.path("since").asText(),
              live.contains(id)));
    }
    return all;
  }

  /** What clients of each proxy ask for most, by registration; of those that have said so. */
  public Map<String, Heat> heat() throws IOException {
    Map<String, Heat> all = new TreeMap<>();
    ensure("heat");
    for (String id : children("heat")) {
      byte[] bytes = data("heat/" + id);
      if (bytes != null) {
        all.put(id, Codec.heat(bytes));
      }
    }
    return all;
  }

  /** Says what the clients of a proxy ask for most; it goes with the session. */
  void heat(String id, Heat heat) throws IOException {
    ensure("heat");
    live("heat/" + id, Codec.heat(heat));
  }

  /** The admitted processes of nodes. */
  public Map<String, String> runs() throws IOException {
    byte[] bytes = data("runs");
    Map<String, String> runs = new TreeMap<>();
    if (bytes != null) {
      Codec.read(bytes)
          .properties()
          .forEach(each -> runs.put(each.getKey(), each.getValue().asText()));
    }
    return runs;
  }

  /** Everything that a leader looks at; empty if there is no topology yet. */
  public Optional<ClusterView> view() throws IOException {
    Optional<Read> state = state();
    if (state.isEmpty()) {
      return Optional.empty();
    }
    List<Registration> registrations = new ArrayList<>();
    proxies().forEach(entry -> registrations.add(entry.registration()));
    return Optional.of(
        new ClusterView(
            state.get().routing(),
            state.get().revision(),
            registrations,
            runs(),
            shares(state.get().routing().state().epoch())));
  }

  /** The latest entries of the audit log, the newest first. */
  public List<AuditEntry> audit(int most) throws IOException {
    List<String> names = children("audit");
    Collections.reverse(names);
    List<AuditEntry> entries = new ArrayList<>();
    for (String name : names.subList(0, Math.min(most, names.size()))) {
      byte[] bytes = data("audit/" + name);
      if (bytes != null) {
        entries.add(AuditEntry.read(Codec.read(bytes)));
      }
    }
    return entries;
  }

  // ---------------------------------------------------------------- writing

  /**
   * Stores the first topology.
   *
   * @return whether there was none yet
   */
  public boolean create(Topology topology, AuditEntry entry) throws IOException {
    long epoch = Math.max(1, topology.epoch());
    Topology first = new Topology(epoch, topology.rule(), topology.nodes());
    Boolean made =
        run(
            () -> {
              TransactionOp op = client.transactionOp();
              try {
                client
                    .transaction()
                    .forOperations(
                        op.create().forPath(path("topologies/" + epoch), document(first)),
                        op.create()
                            .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                            .forPath(path("audit/a-"), Codec.bytes(entry.json())),
                        op.create()
                            .forPath(
                                path("state"),
                                Codec.bytes(Codec.state(ClusterState.first(epoch)))));
                return true;
              } catch (KeeperException.NodeExistsException e) {
                return false;
              }
            });
    return Boolean.TRUE.equals(made);
  }

  private static byte[] document(Topology topology) {
    ObjectNode node = Codec.object();
    node.put("fingerprint", topology.fingerprint().hex());
    node.put("topology", TopologyText.json(topology));
    return Codec.bytes(node);
  }

  /**
   * Writes a state if the stored one is still that revision; the audit entry, and the new
   * topologies that belong to it, in the same transaction.
   *
   * @param term the znode version of the term that must still hold; negative if the writer is not
   *     the leader
   * @return whether it was written
   */
  public boolean put(
      long revision, ClusterState next, List<Topology> topologies, AuditEntry entry, int term)
      throws IOException {
    Boolean put =
        run(
            () -> {
              TransactionOp op = client.transactionOp();
              List<CuratorOp> all = new ArrayList<>();
              if (term >= 0) {
                all.add(op.check().withVersion(term).forPath(path("term")));
              }
              for (Topology topology : topologies) {
                all.add(
                    op.create()
                        .forPath(path("topologies/" + topology.epoch()), document(topology)));
              }
              all.add(
                  op.create()
                      .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                      .forPath(path("audit/a-"), Codec.bytes(entry.json())));
              all.add(
                  op.setData()
                      .withVersion((int) revision)
                      .forPath(path("state"), Codec.bytes(Codec.state(next))));
              return commit(all);
            });
    return Boolean.TRUE.equals(put);
  }

  /** Whether a transaction went through; false if a condition of it did not hold. */
  private boolean commit(List<CuratorOp> all) throws Exception {
    try {
      client.transaction().forOperations(all);
      return true;
    } catch (KeeperException.BadVersionException
        | KeeperException.NodeExistsException
        | KeeperException.NoNodeException e) {
      return false;
    }
  }

  /**
   * The number and the znode version of a term.
   *
   * @param number grows with each election
   * @param version that the leader's writes depend on
   */
  public record Term(long number, int version) {}

  /** Begins a new term. */
  public Term nextTerm() throws IOException {
    Term term =
        run(
            () -> {
              while (true) {
                Stat stat = new Stat();
                try {
                  byte[] bytes = client.getData().storingStatIn(stat).forPath(path("term"));
                  long next = Long.parseLong(Codec.text(bytes)) + 1;
                  Stat after =
                      client
                          .setData()
                          .withVersion(stat.getVersion())
                          .forPath(path("term"), Codec.bytes(Long.toString(next)));
                  return new Term(next, after.getVersion());
                } catch (KeeperException.NoNodeException e) {
                  client.create().orSetData().forPath(path("term"), Codec.bytes("0"));
                } catch (KeeperException.BadVersionException e) {
                  // Somebody else was faster: once more.
                }
              }
            });
    if (term == null) {
      throw new StoreException("no term");
    }
    return term;
  }

  /** The number of the term now. */
  public long term() throws IOException {
    byte[] bytes = data("term");
    return bytes == null ? 0 : Long.parseLong(Codec.text(bytes));
  }

  /** Marks a registration as admitted. */
  public boolean admit(String id, Term term) throws IOException {
    return leaderWrites(
        term, op -> List.of(op.create().forPath(path("admitted/" + id), new byte[0])));
  }

  /** Strikes a registration off. */
  public boolean strike(String id, Term term) throws IOException {
    List<String> parts = new ArrayList<>();
    for (String kind : List.of("proxies", "acks", "admitted", "struck")) {
      if (children(kind).contains(id)) {
        parts.add(kind + "/" + id);
      }
    }
    return leaderWrites(
        term,
        op -> {
          List<CuratorOp> all = new ArrayList<>();
          for (String part : parts) {
            all.add(op.delete().forPath(path(part)));
          }
          return all;
        });
  }

  /** Notes a node's process as admitted. */
  public boolean run(String node, String runId, Term term) throws IOException {
    Map<String, String> runs = runs();
    runs.put(node, runId);
    ObjectNode document = Codec.object();
    runs.forEach(document::put);
    if (data("runs") == null) {
      run(() -> client.create().orSetData().forPath(path("runs"), Codec.bytes(Codec.object())));
    }
    return leaderWrites(
        term, op -> List.of(op.setData().forPath(path("runs"), Codec.bytes(document))));
  }

  private interface Operations {
    List<CuratorOp> of(TransactionOp op) throws Exception;
  }

  private boolean leaderWrites(Term term, Operations operations) throws IOException {
    Boolean done =
        run(
            () -> {
              TransactionOp op = client.transactionOp();
              List<CuratorOp> all = new ArrayList<>();
              all.add(op.check().withVersion(term.version()).forPath(path("term")));
              all.addAll(operations.of(op));
              return commit(all);
            });
    return Boolean.TRUE.equals(done);
  }

  /** Asks that a registration is fenced; false if there is none. */
  public boolean forget(String id, AuditEntry entry) throws IOException {
    if (!children("proxies").contains(id)) {
      return false;
    }
    run(
        () -> {
          client
              .create()
              .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
              .forPath(path("audit/a-"), Codec.bytes(entry.json()));
          return client.create().orSetData().forPath(path("struck/" + id), new byte[0]);
        });
    return true;
  }

  /** Writes an entry of the audit log that belongs to no change of state. */
  public void note(AuditEntry entry) throws IOException {
    run(
        () ->
            client
                .create()
                .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                .forPath(path("audit/a-"), Codec.bytes(entry.json())));
  }

  // ---------------------------------------------------------------- proxies

  /** Registers a start of a proxy; its id. */
  String register(String name, String hash, String address) throws IOException {
    ObjectNode node =
        Codec.object()
            .put("name", name)
            .put("hash", hash)
            .put("address", address)
            .put("since", Instant.now().toString());
    String made =
        run(
            () ->
                client
                    .create()
                    .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                    .forPath(path("proxies/r-"), Codec.bytes(node)));
    if (made == null) {
      throw new StoreException("not registered");
    }
    String id = made.substring(made.lastIndexOf('/') + 1);
    run(() -> client.create().orSetData().forPath(path("acks/" + id), Codec.bytes("0")));
    live("live/" + id, new byte[0]);
    return id;
  }

  /** Something that goes with this session. */
  void live(String part, byte[] bytes) throws IOException {
    run(
        () ->
            client.create().orSetData().withMode(CreateMode.EPHEMERAL).forPath(path(part), bytes));
  }

  /** A session may have been replaced: then what went with the old one is made again. */
  void stayLive(String id) throws IOException {
    if (!children("live").contains(id)) {
      live("live/" + id, new byte[0]);
    }
  }

  boolean isRegistered(String id) throws IOException {
    Boolean there =
        run(
            () -> {
              client.sync().forPath(path("proxies"));
              return client.checkExists().forPath(path("proxies/" + id)) != null;
            });
    return Boolean.TRUE.equals(there);
  }

  boolean isAdmitted(String id) throws IOException {
    return Boolean.TRUE.equals(
        run(() -> client.checkExists().forPath(path("admitted/" + id)) != null));
  }

  /** Notes an acknowledgement; false if the registration is gone. */
  boolean acknowledge(String id, long version) throws IOException {
    return Boolean.TRUE.equals(
        run(
            () -> {
              try {
                client.setData().forPath(path("acks/" + id), Codec.bytes(Long.toString(version)));
                return true;
              } catch (KeeperException.NoNodeException e) {
                return false;
              }
            }));
  }

  /** Asks that a registration is struck off because it has ended in order. */
  void leave(String id) throws IOException {
    run(() -> client.create().orSetData().forPath(path("struck/" + id), new byte[0]));
  }

  // ---------------------------------------------------------------- controllers

  /** Takes part in the election of the leader. */
  public LeaderLatch election(String id) throws IOException {
    LeaderLatch latch = new LeaderLatch(client, path("leader"), id);
    run(
        () -> {
          latch.start();
          return "";
        });
    return latch;
  }

  /** What the leader knows, for other control processes. */
  public void publish(String status) throws IOException {
    run(() -> client.create().orSetData().forPath(path("status"), Codec.bytes(status)));
  }

  /** What the leader has published last; empty if none has. */
  public String status() throws IOException {
    byte[] bytes = data("status");
    return bytes == null ? "" : Codec.text(bytes);
  }

  /** How many reports of moves are kept. */
  private static final int MOST_MOVES = 50;

  /** Adds a report about keys that have moved, and says where it is; the oldest are forgotten. */
  public String addMove(String report) throws IOException {
    ensure("moves");
    String made =
        run(
            () ->
                client
                    .create()
                    .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                    .forPath(path("moves/m-"), Codec.bytes(report)));
    List<String> all = children("moves");
    for (String old : all.subList(0, Math.max(0, all.size() - MOST_MOVES))) {
      run(() -> client.delete().quietly().forPath(path("moves/" + old)));
    }
    return String.valueOf(made);
  }

  /** Takes back a report of what was not so. */
  public void removeMove(String made) throws IOException {
    run(() -> client.delete().quietly().forPath(made));
  }

  /** Reports about keys that have moved, the newest first. */
  public List<String> moves() throws IOException {
    ensure("moves");
    List<String> names = new ArrayList<>(children("moves"));
    Collections.reverse(names);
    List<String> all = new ArrayList<>();
    for (String name : names) {
      byte[] bytes = data("moves/" + name);
      if (bytes != null) {
        all.add(Codec.text(bytes));
      }
    }
    return all;
  }

  /** Asks that all keys are looked at; gives the request's number. */
  public long askScrub(boolean repairs, AuditEntry entry) throws IOException {
    long number = scrub().map(Conductor.ScrubRequest::number).orElse(0L) + 1;
    byte[] document = Codec.bytes(Codec.object().put("number", number).put("repairs", repairs));
    note(entry);
    run(() -> client.create().orSetData().forPath(path("scrub"), document));
    return number;
  }

  /** What was asked for last. */
  public Optional<Conductor.ScrubRequest> scrub() throws IOException {
    byte[] bytes = data("scrub");
    if (bytes == null) {
      return Optional.empty();
    }
    JsonNode document = Codec.read(bytes);
    return Optional.of(
        new Conductor.ScrubRequest(
            document.path("number").asLong(), document.path("repairs").asBoolean()));
  }

  // ---------------------------------------------------------------- watching

  /**
   * Calls whenever something stored changes that the leader has not written about itself and that
   * is not for people alone, perhaps more often; until it is closed.
   */
  public AutoCloseable watch(Runnable changed) {
    CuratorCache cache = CuratorCache.build(client, root);
    String status = path("status");
    String moves = path("moves");
    String heat = path("heat");
    cache
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forAll(
                    (type, was, is) -> {
                      ChildData about = is == null ? was : is;
                      String where = about == null ? "" : about.getPath();
                      if (!where.equals(status)
                          && !where.startsWith(moves)
                          && !where.startsWith(heat)) {
                        changed.run();
                      }
                    })
                .build());
    cache.start();
    return cache;
  }

  /** Calls whenever one part changes, perhaps more often; until it is closed. */
  AutoCloseable watch(String part, Runnable changed) {
    CuratorCache cache =
        CuratorCache.build(client, path(part), CuratorCache.Options.SINGLE_NODE_CACHE);
    cache
        .listenable()
        .addListener(
            CuratorCacheListener.builder().forAll((type, was, is) -> changed.run()).build());
    cache.start();
    return cache;
  }

  @Override
  public void close() {
    client.close();
  }
}
