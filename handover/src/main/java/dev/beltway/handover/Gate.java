package dev.beltway.handover;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one event loop of a proxy which commands may go on: those on keys that stay, and
 * those on keys that have left their source. Others wait here. Not thread-safe.
 *
 * @param <W> who waits
 */
public final class Gate<W> {

  private final int mostRemembered;
  private RoutingState state;

  /** Keys that have left their source under this version; forgetting one costs a question. */
  private final Set<Key> moved = new HashSet<>();

  private final Map<Key, Set<W>> waiting = new HashMap<>();
  private final Map<Key, TransferToken> underWay = new HashMap<>();

  /**
   * A gate.
   *
   * @param first what is obeyed first
   * @param mostRemembered how many moved keys are remembered
   */
  public Gate(RoutingState first, int mostRemembered) {
    this.state = first;
    this.mostRemembered = mostRemembered;
  }

  /** What is obeyed. */
  public RoutingState state() {
    return state;
  }

  /** Whether some keys may have to wait. */
  public boolean isActive() {
    return state.phase().isBetween();
  }

  /**
   * Obeys another state from now on.
   *
   * @return who has waited and is to ask again
   */
  public List<W> obey(RoutingState next) {
    boolean same =
        next.version() == state.version()
            && next.state().tokens().entrySet().stream()
                .allMatch(each -> isSameRun(each.getKey(), each.getValue()));
    if (!same) {
      moved.clear();
    }
    state = next;
    underWay.clear(); // Answers to those are about another state, or are learnt again.
    Set<W> all = new LinkedHashSet<>();
    waiting.values().forEach(all::addAll);
    waiting.clear();
    return new ArrayList<>(all);
  }

  private boolean isSameRun(String source, TransferToken token) {
    TransferToken old = state.state().tokens().get(source);
    return old != null && old.run().equals(token.run());
  }

  /**
   * What stands in the way of a command on this key: null if nothing does. Every key that a command
   * names must be asked for, also one that it only writes (rule 6).
   */
  public @Nullable Key barred(int database, byte[] bytes, int offset, int length) {
    if (!isActive() || state.source(bytes, offset, length) == null) {
      return null;
    }
    Key key = new Key(database, new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
    return state.phase() == Phase.MOVING && moved.contains(key) ? null : key;
  }

  /**
   * Somebody waits for keys.
   *
   * @return the keys that are to be transferred now; each is asked for once
   */
  public List<Key> await(List<Key> keys, W who) {
    List<Key> transfers = new ArrayList<>();
    for (Key key : keys) {
      waiting.computeIfAbsent(key, k -> new LinkedHashSet<>()).add(who);
      if (state.phase() == Phase.MOVING && !underWay.containsKey(key)) {
        TransferToken token = token(key);
        if (token != null) {
          underWay.put(key, token);
          transfers.add(key);
        }
      }
    }
    return transfers;
  }

  /** The token under which a key leaves its source; null if there is none now. */
  public @Nullable TransferToken token(Key key) {
    String source = state.source(key.name());
    return source == null ? null : state.state().tokens().get(source);
  }

  /**
   * A transfer has ended, or is lost.
   *
   * @param under the token that it showed
   * @return who is to ask again
   */
  public List<W> transferred(Key key, TransferToken under, boolean hasLeft) {
    TransferToken now = token(key);
    boolean counts =
        state.phase() == Phase.MOVING
            && now != null
            && now.version() == under.version()
            && now.run().equals(under.run());
    if (counts && hasLeft) {
      if (moved.size() >= mostRemembered) {
        moved.clear();
      }
      moved.add(key);
    }
    if (under.equals(underWay.get(key))) {
      underWay.remove(key);
    }
    Set<W> all = waiting.remove(key);
    return all == null ? List.of() : new ArrayList<>(all);
  }

  /** Somebody waits no longer. */
  public void forget(W who) {
    waiting.values().forEach(all -> all.remove(who));
    waiting.values().removeIf(Set::isEmpty);
  }

  /** How many keys are waited for. */
  public int waiting() {
    return waiting.size();
  }
}
