package dev.beltway.proxy;

import dev.beltway.handover.Heat;
import dev.beltway.handover.Names;
import dev.beltway.handover.Participant;
import dev.beltway.handover.RoutingFeed;
import dev.beltway.handover.RoutingState;
import dev.beltway.resp.client.CallFailure;
import dev.beltway.resp.client.NodeSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A proxy's part in a cluster, in a thread of its own: registers, learns states, has the workers
 * obey them, and acknowledges. What it decides is in {@link Participant}. If it finds itself struck
 * off, it lets go of everything and registers anew; clients stay connected and are told to try
 * again meanwhile.
 */
final class Coordination {

  private static final Logger LOG = LoggerFactory.getLogger(Coordination.class);

  private static final int PASSWORD_BYTES = 24;
  private static final long ADMISSION_MILLIS = 60_000;
  private static final int RETRY_MILLIS = 500;
  private static final long HEAT_MILLIS = 5_000;
  private static final int MOST_HOT_KEYS = 25;

  /** What the thread hears of. */
  private sealed interface News {
    record Learned(RoutingFeed.Membership from, RoutingState state) implements News {}

    record Drained(RoutingFeed.Membership from, long version) implements News {}

    record Unregistered(RoutingFeed.Membership from) implements News {}
  }

  /** A registration that has been admitted, and the state that it begins with. */
  record Entry(RoutingFeed.Membership membership, NodeSettings nodes, RoutingState first) {}

  private final RoutingFeed feed;
  private final ProxySettings settings;
  private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
  private @Nullable Proxy proxy;
  private Entry entry;
  private Participant participant = new Participant();
  private @Nullable Thread thread;
  private volatile boolean ended;
  private volatile long acknowledged;
  private long told = System.nanoTime();

  private Coordination(RoutingFeed feed, ProxySettings settings) throws IOException {
    this.feed = feed;
    this.settings = settings;
    this.entry = enter();
  }

  /**
   * Registers and waits until it is admitted.
   *
   * @throws IOException if that doesn't happen in time
   */
  static Coordination join(RoutingFeed feed, ProxySettings settings) throws IOException {
    return new Coordination(feed, settings);
  }

  Entry entry() {
    return entry;
  }

  long acknowledged() {
    return acknowledged;
  }

  private Entry enter() throws IOException {
    byte[] bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    String password = HexFormat.of().formatHex(bytes);
    String address = settings.listen().getHostString() + ":" + settings.listen().getPort();
    RoutingFeed.Membership membership = feed.register(settings.name(), sha256(password), address);
    boolean admitted = false;
    try {
      admitted = membership.awaitAdmission(ADMISSION_MILLIS);
      if (!admitted) {
        throw new IOException("registration " + membership.id() + " was struck off");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      if (!admitted) {
        membership.leave(); // Nothing was sent under it; it must not hold any change up.
      }
    }
    NodeSettings nodes = settings.nodes().withLogin(Names.PROXY_USERS + membership.id(), password);
    return new Entry(membership, nodes, membership.read());
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256")
                  .digest(text.getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }

  /** Begins; the workers obey the first state already. */
  void start(Proxy started) {
    proxy = started;
    Thread made = new Thread(this::run, "beltway-coordination");
    made.setDaemon(true);
    thread = made;
    made.start();
    begin();
  }

  private void begin() {
    RoutingFeed.Membership membership = entry.membership();
    news.add(new News.Learned(membership, entry.first()));
    membership.listen(
        state -> news.add(new News.Learned(membership, state)),
        () -> news.add(new News.Unregistered(membership)));
  }

  /** Ends it: in order, if everything that was sent is over. */
  void close(boolean inOrder) {
    ended = true;
    if (thread != null) {
      thread.interrupt();
    }
    if (inOrder) {
      entry.membership().leave();
    }
    feed.close();
  }

  private void run() {
    while (!ended) {
      try {
        News next = news.poll(HEAT_MILLIS, TimeUnit.MILLISECONDS);
        if (System.nanoTime() - told >= TimeUnit.MILLISECONDS.toNanos(HEAT_MILLIS)) {
          told = System.nanoTime();
          tellHeat();
        }
        if (next instanceof News.Learned learned && learned.from() == entry.membership()) {
          act(participant.learned(learned.state()));
        } else if (next instanceof News.Drained drained && drained.from() == entry.membership()) {
          act(participant.drained(drained.version()));
        } else if (next instanceof News.Unregistered gone && gone.from() == entry.membership()) {
          act(participant.unregistered());
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        if (ended) {
          return; // The loops are closed already.
        }
        LOG.error("a fault of this program in the coordination", e);
        Proxy running = proxy;
        if (running != null) {
          running.countFault();
        }
      }
    }
  }

  /** Says what clients ask for most; for people, so that it may get lost. */
  private void tellHeat() {
    Proxy running = proxy;
    if (running != null) {
      RoutingFeed.Membership membership = entry.membership();
      running
          .eachWorker(worker -> worker.hotKeys().take(MOST_HOT_KEYS))
          .thenAccept(parts -> membership.tell(Heat.of(parts, MOST_HOT_KEYS)));
    }
  }

  private void act(List<Participant.Effect> effects) throws InterruptedException {
    for (Participant.Effect effect : effects) {
      if (effect instanceof Participant.Effect.Obey obey) {
        obey(obey.state());
      } else if (effect instanceof Participant.Effect.Acknowledge ack) {
        entry.membership().acknowledge(ack.version());
        acknowledged = ack.version();
        LOG.atInfo().addKeyValue("version", ack.version()).log("acknowledged");
      } else if (effect instanceof Participant.Effect.Leave leave) {
        rejoin(leave.reason());
      }
    }
  }

  private void obey(RoutingState state) {
    Proxy running = proxy;
    if (running == null) {
      return;
    }
    LOG.atInfo()
        .addKeyValue("version", state.version())
        .addKeyValue("phase", state.phase())
        .addKeyValue("epoch", state.state().epoch())
        .log("obeys");
    RoutingFeed.Membership from = entry.membership();
    CompletableFuture<List<CompletableFuture<Boolean>>> told = running.obey(state);
    told.thenCompose(waits -> CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0])))
        .whenComplete(
            (done, failed) -> {
              if (failed != null) {
                LOG.error("a worker does not obey version {}", state.version(), failed);
                running.countFault();
              } else if (told.join().stream().allMatch(CompletableFuture::join)) {
                news.add(new News.Drained(from, state.version()));
              }
            });
  }

  private void rejoin(String reason) throws InterruptedException {
    LOG.atWarn().addKeyValue("reason", reason).log("the proxy registers anew");
    Proxy running = proxy;
    if (running == null) {
      return;
    }
    running.letGo(
        new CallFailure(CallFailure.Kind.REFUSED, "this proxy is registering anew; try again"));
    while (!ended) {
      try {
        if (entry.membership().isSucceeded()) {
          ended = true;
          running.succeed();
          return;
        }
        entry = enter();
        participant = new Participant();
        running.beginAnew(entry);
        begin();
        return;
      } catch (IOException | RuntimeException e) {
        LOG.atWarn().addKeyValue("reason", e.getMessage()).log("can't register yet");
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      }
    }
  }
}
