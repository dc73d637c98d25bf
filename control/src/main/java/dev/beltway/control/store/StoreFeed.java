package dev.beltway.control.store;

import dev.beltway.handover.Heat;
import dev.beltway.handover.RoutingFeed;
import dev.beltway.handover.RoutingState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a proxy learns and acknowledges, straight at the store: no controller is needed for it. */
public final class StoreFeed implements RoutingFeed {

  private static final Logger LOG = LoggerFactory.getLogger(StoreFeed.class);

  private static final long POLL_MILLIS = 50;
  private static final long LOOK_MILLIS = 2_000;

  private final ClusterStore store;
  private final int control;

  /** On a store that this closes. */
  public StoreFeed(ClusterStore store, int control) {
    this.store = store;
    this.control = control;
  }

  @Override
  public Membership register(String name, String passwordHash, String address) throws IOException {
    return new Member(store.register(name, passwordHash, address), name);
  }

  @Override
  public void close() {
    store.close();
  }

  private final class Member implements Membership {

    private final String id;
    private final String name;
    private final BlockingQueue<Long> work = new LinkedBlockingQueue<>();
    private final List<AutoCloseable> watches = new ArrayList<>();
    private final AtomicReference<@Nullable Heat> heat = new AtomicReference<>();
    private volatile boolean ended;
    private long revision = -1;

    Member(String id, String name) {
      this.id = id;
      this.name = name;
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public int control() {
      return control;
    }

    @Override
    public boolean awaitAdmission(long millis) throws IOException, InterruptedException {
      long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      while (!store.isAdmitted(id)) {
        if (!store.isRegistered(id)) {
          return false;
        }
        if (System.nanoTime() > deadline) {
          throw new IOException(
              "registration "
                  + id
                  + " was not admitted within "
                  + millis / 1000
                  + " s; does a control process run, and do nodes answer it?");
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      return true;
    }

    @Override
    public RoutingState read() throws IOException {
      ClusterStore.Read read =
          store.state().orElseThrow(() -> new StoreException("there is no topology yet"));
      return read.routing();
    }

    @Override
    public boolean isSucceeded() throws IOException {
      for (ClusterStore.ProxyEntry other : store.proxies()) {
        boolean later = other.registration().id().compareTo(id) > 0;
        if (later && other.live() && other.registration().name().equals(name)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void listen(Consumer<RoutingState> states, Runnable unregistered) {
      watches.add(store.watch("state", () -> work.add(-1L)));
      watches.add(store.watch("proxies/" + id, () -> work.add(-1L)));
      Thread thread = new Thread(() -> run(states, unregistered), "beltway-feed");
      thread.setDaemon(true);
      thread.start();
    }

    private void run(Consumer<RoutingState> states, Runnable unregistered) {
      long owed = 0;
      while (!ended) {
        try {
          Long next = work.poll(owed > 0 ? POLL_MILLIS : LOOK_MILLIS, TimeUnit.MILLISECONDS);
          while (next != null) {
            owed = Math.max(owed, next);
            next = work.poll();
          }
          if (owed > 0 && store.acknowledge(id, owed)) {
            owed = 0;
          }
          // First of all: somebody's requests may wait for it. Whoever is struck off can do no
          // harm with it, since no node lets him in.
          ClusterStore.Read read = store.state().orElse(null);
          if (read != null && read.revision() > revision) {
            revision = read.revision();
            states.accept(read.routing());
          }
          if (!store.isRegistered(id)) {
            end();
            unregistered.run();
            return;
          }
          Heat told = heat.getAndSet(null);
          store.stayLive(id);
          if (told != null) {
            store.heat(id, told);
          }
        } catch (InterruptedException e) {
          return;
        } catch (IOException | RuntimeException e) {
          if (!ended) {
            // The data path doesn't need the store: what is known is obeyed further.
            LOG.atWarn().addKeyValue("reason", e.getMessage()).log("the store can't be asked");
          }
          pause();
        }
      }
    }

    private void pause() {
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS * 4);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void acknowledge(long version) {
      work.add(version);
    }

    @Override
    public void tell(Heat latest) {
      heat.set(latest);
    }

    @Override
    public void leave() {
      end();
      try {
        store.leave(id);
      } catch (IOException e) {
        LOG.atWarn().addKeyValue("reason", e.getMessage()).log("can't deregister");
      }
    }

    private void end() {
      ended = true;
      for (AutoCloseable watch : watches) {
        try {
          watch.close();
        } catch (Exception e) { // It declares nothing more exact, and there is nothing to do.
          LOG.debug("a watch could not be closed", e);
        }
      }
    }
  }
}
