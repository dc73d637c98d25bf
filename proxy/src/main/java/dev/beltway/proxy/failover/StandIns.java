package dev.beltway.proxy.failover;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which nodes of a cache are served by others in their stead, and when that is safe. Immutable;
 * each event gives the next state.
 *
 * <p>The danger are old values. While a node is out, its keys are written on stand-ins, so what it
 * holds itself grows old: before it serves again it is <em>emptied</em>. Once it serves, the copies
 * on the stand-ins grow old: until they are <em>swept</em> away the pool is dirty, and as long as
 * it is dirty nobody is routed around, however much is down. So there is never a value that is
 * older than the last write, in either direction; the price is an error for a moment, if a second
 * node fails just then.
 *
 * @param down what doesn't answer
 * @param around what is routed around
 * @param unswept what could not be swept, so must be emptied before it serves
 * @param dirty whether nodes may hold copies that are not theirs
 * @param barred why nobody may be routed around at all; empty if they may
 */
public record StandIns(
    Set<String> down, Set<String> around, Set<String> unswept, boolean dirty, String barred) {

  /** A pool that nobody was routed around in, as far as is known, and that may hold strays. */
  public static final StandIns AT_START = atStart(Set.of());

  /** Copies the sets. */
  public StandIns {
    down = Set.copyOf(down);
    around = Set.copyOf(around);
    unswept = Set.copyOf(unswept);
  }

  /**
   * A pool at the start of a proxy.
   *
   * @param owed what was {@link #owed()} when an earlier one ended: what these nodes hold may be
   *     old
   */
  public static StandIns atStart(Collection<String> owed) {
    return new StandIns(Set.of(), Set.of(), new TreeSet<>(owed), true, "");
  }

  /** What must be emptied before it serves, sooner or later: to be remembered beyond a restart. */
  public Set<String> owed() {
    return plus(around, unswept);
  }

  /** What these nodes hold isn't known: they are other servers now. */
  public StandIns unknown(Collection<String> nodes) {
    return new StandIns(down, around, plus(unswept, nodes), dirty, barred);
  }

  /** Whether requests may go to the node. */
  public boolean serves(String node) {
    return !down.contains(node) && !around.contains(node) && !unswept.contains(node);
  }

  /** What answers again and must be emptied. */
  public Set<String> toEmpty() {
    Set<String> nodes = new TreeSet<>(around);
    nodes.addAll(unswept);
    nodes.removeAll(down);
    return nodes;
  }

  /** A node doesn't answer. */
  public StandIns out(String node) {
    Set<String> now = plus(down, Set.of(node));
    boolean safe = !dirty && barred.isEmpty();
    return new StandIns(now, safe ? plus(around, Set.of(node)) : around, unswept, dirty, barred);
  }

  /** A node answers again. */
  public StandIns back(String node) {
    return new StandIns(minus(down, node), around, unswept, dirty, barred);
  }

  /** A node holds nothing any more, and nothing that was sent to it before can change that. */
  public StandIns emptied(String node) {
    if (down.contains(node)) {
      return this;
    }
    boolean wasAround = around.contains(node);
    return new StandIns(
        down, minus(around, node), minus(unswept, node), dirty || wasAround, barred);
  }

  /**
   * Every node that serves was searched, and what isn't its own was deleted, after all that was
   * sent by an earlier state had been done.
   *
   * @param skipped what could not be searched
   */
  public StandIns swept(Collection<String> skipped) {
    boolean safe = barred.isEmpty();
    return new StandIns(
        down, safe ? plus(around, down) : around, plus(unswept, skipped), false, barred);
  }

  /** From now on nobody may be routed around, for that reason; or they may, if it is empty. */
  public StandIns barred(String reason) {
    boolean safe = reason.isEmpty() && !dirty;
    return new StandIns(down, safe ? plus(around, down) : around, unswept, dirty, reason);
  }

  private static Set<String> plus(Set<String> nodes, Collection<String> more) {
    Set<String> all = new TreeSet<>(nodes);
    all.addAll(more);
    return all;
  }

  private static Set<String> minus(Set<String> nodes, String node) {
    Set<String> rest = new TreeSet<>(nodes);
    rest.remove(node);
    return rest;
  }
}
