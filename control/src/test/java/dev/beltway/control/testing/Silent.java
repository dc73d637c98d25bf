package dev.beltway.control.testing;

import dev.beltway.handover.Heat;
import dev.beltway.handover.Phase;
import dev.beltway.handover.RoutingFeed;
import dev.beltway.handover.RoutingState;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.NullUnmarked;

/** A proxy that learns nothing more from a point on, as one that is frozen. */
@NullUnmarked
public final class Silent implements RoutingFeed {

  private final RoutingFeed feed;
  private final CountDownLatch hears;

  public Silent(RoutingFeed feed, CountDownLatch hears) {
    this.feed = feed;
    this.hears = hears;
  }

  @Override
  public Membership register(String name, String hash, String address) throws IOException {
    Membership member = feed.register(name, hash, address);
    return new Membership() {
      @Override
      public String id() {
        return member.id();
      }

      @Override
      public int control() {
        return member.control();
      }

      @Override
      public boolean awaitAdmission(long millis) throws IOException, InterruptedException {
        return member.awaitAdmission(millis);
      }

      @Override
      public RoutingState read() throws IOException {
        return member.read();
      }

      @Override
      public void listen(Consumer<RoutingState> states, Runnable unregistered) {
        member.listen(
            state -> {
              if (state.phase() != Phase.STEADY) {
                hold();
              }
              states.accept(state);
            },
            unregistered);
      }

      private void hold() {
        try {
          hears.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public boolean isSucceeded() throws IOException {
        return member.isSucceeded();
      }

      @Override
      public void acknowledge(long version) {
        member.acknowledge(version);
      }

      @Override
      public void tell(Heat heat) {
        member.tell(heat);
      }

      @Override
      public void leave() {
        member.leave();
      }
    };
  }

  @Override
  public void close() {
    feed.close();
  }
}
