package dev.beltway.handover;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A proxy's part in the barriers (rules 3 and 4): what it obeys, and what it may acknowledge. One
 * for each registration; not thread-safe.
 */
public final class Participant {

  /** What is to be done. */
  public sealed interface Effect {
    /**
     * Obey this from now on; when nothing sent before can be done any more, say {@link
     * Participant#drained}.
     */
    record Obey(RoutingState state) implements Effect {}

    /** Write down that this version is acknowledged. An acknowledgement in doubt binds. */
    record Acknowledge(long version) implements Effect {}

    /** Drop all connections and whatever is remembered, and register anew. */
    record Leave(String reason) implements Effect {}
  }

  private @Nullable RoutingState state;
  private long first;
  private long acknowledged;
  private boolean left;

  /** A state was read. The first must come from the store itself, after the login was made. */
  public List<Effect> learned(RoutingState next) {
    if (left) {
      return List.of();
    }
    RoutingState now = state;
    if (now == null) {
      first = next.version();
    } else if (next.version() < now.version()) {
      // The store knows less than it did: whoever leads must hear of it, and do nothing.
      return acknowledged > next.version()
          ? List.of(new Effect.Acknowledge(acknowledged))
          : List.of();
    } else if (next.state().equals(now.state())) {
      return List.of(); // Nothing new.
    }
    long barrier = next.state().barrier();
    boolean passed = barrier < next.version(); // Later states know that it is complete.
    if (passed && barrier >= first && acknowledged < barrier) {
      return leave("the barrier of version " + barrier + " was passed without this proxy");
    }
    state = next;
    return List.of(new Effect.Obey(next));
  }

  /** All that was sent before this version was obeyed has ended. */
  public List<Effect> drained(long version) {
    RoutingState now = state;
    if (left || now == null || now.version() != version || acknowledged >= version) {
      return List.of();
    }
    acknowledged = version;
    return List.of(new Effect.Acknowledge(version));
  }

  /** It was struck off. */
  public List<Effect> unregistered() {
    return left ? List.of() : leave("this proxy is not registered any more");
  }

  private List<Effect> leave(String reason) {
    left = true;
    return List.of(new Effect.Leave(reason));
  }

  /** The last version that was acknowledged; 0 for none. */
  public long acknowledged() {
    return acknowledged;
  }

  /** Whether it has to register anew. */
  public boolean hasLeft() {
    return left;
  }
}
