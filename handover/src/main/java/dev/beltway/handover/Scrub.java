package dev.beltway.handover;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every key of a node: is it the node's own? One that isn't is either a second copy of
 * what its owner has, or a key that nobody can reach. On request both are mended: the owner's copy
 * wins, and what the owner lacks is taken to it. Before anything is removed it is kept elsewhere.
 */
public final class Scrub {

  private static final int MOST_NAMES = 20;

  /**
   * What was found at a node.
   *
   * @param keys that were looked at
   * @param duplicates keys that their owner has too
   * @param orphans keys that their owner has not, so that nobody can reach them
   * @param repaired how many of both were mended
   * @param names of some, for people
   * @param failure why not all keys were looked at; empty if they were
   */
  public record Result(
      long keys, long duplicates, long orphans, long repaired, List<String> names, String failure) {

    /** Nothing could be looked at, or not all. */
    static Result failed(String reason) {
      return new Result(0, 0, 0, 0, List.of(), reason);
    }

    /** Copies the list. */
    public Result {
      names = List.copyOf(names);
    }
  }

  private final Orders orders;
  private final String node;
  private final boolean repairs;
  private final List<String> names = new ArrayList<>();
  private long looked;
  private long duplicates;
  private long orphans;
  private long repaired;

  Scrub(Orders orders, Task.Scrub task) {
    this.orders = orders;
    this.node = task.node();
    this.repairs = task.repairs();
  }

  Step begin() {
    return orders.eachKey(
        node,
        this::batch,
        () -> new Step.Done(new Result(looked, duplicates, orphans, repaired, names, "")));
  }

  private Step batch(int database, List<String> keys, Supplier<Step> then) {
    looked += keys.size();
    Groups byOwner = Groups.of(keys, key -> elsewhere(orders.routing().before(key)));
    return byOwner.each((owner, strays, next) -> strays(database, owner, strays, next), then);
  }

  private @Nullable String elsewhere(String owner) {
    return owner.equals(node) ? null : owner;
  }

  private Step strays(int database, String owner, List<String> strays, Supplier<Step> then) {
    return Step.ask(
        owner,
        List.of("SELECT", Integer.toString(database)),
        selected ->
            keys(
                database,
                owner,
                strays.iterator(),
                () ->
                    Step.ask(
                        owner,
                        List.of("SELECT", Integer.toString(orders.control())),
                        back -> then.get())));
  }

  private Step keys(int database, String owner, Iterator<String> keys, Supplier<Step> then) {
    if (!keys.hasNext()) {
      return then.get();
    }
    String key = keys.next();
    Supplier<Step> next = () -> keys(database, owner, keys, then);
    return Step.ask(
        owner,
        List.of("EXISTS", key),
        exists -> {
          boolean both = Long.valueOf(1).equals(exists);
          duplicates += both ? 1 : 0;
          orphans += both ? 0 : 1;
          name(
              Orders.shown(database, key)
                  + " at node "
                  + node
                  + (both ? ": its owner " + owner + " has it too" : ": it belongs to " + owner));
          return repairs ? repair(database, owner, key, both, next) : next.get();
        });
  }

  private void name(String text) {
    if (names.size() < MOST_NAMES) {
      names.add(text);
    }
  }

  private Step repair(int database, String owner, String key, boolean both, Supplier<Step> then) {
    return Step.ask(
        node,
        List.of("MEMORY", "USAGE", key),
        size -> {
          if (Transfer.number(size) > Transfer.BIG * 64) { // It would have to be kept in one piece.
            name(Orders.shown(database, key) + " at node " + node + " is too big; it is left");
            return then.get();
          }
          return Step.ask(
              node,
              List.of("PTTL", key),
              left ->
                  Step.ask(
                      node,
                      List.of("DUMP", key),
                      value ->
                          value == null || Transfer.number(left) == -2
                              ? then.get() // Its time is over.
                              : new Step.Keep(
                                  line(database, key, left, String.valueOf(value)),
                                  () ->
                                      both
                                          ? remove(database, key, then)
                                          : take(database, owner, key, left, value, then))));
        });
  }

  private String line(int database, String key, @Nullable Object left, String value) {
    Base64.Encoder base64 = Base64.getEncoder();
    return "{\"node\":\""
        + base64.encodeToString(Latin1.bytes(node))
        + "\",\"database\":"
        + database
        + ",\"key\":\""
        + base64.encodeToString(Latin1.bytes(key))
        + "\",\"pttl\":"
        + left
        + ",\"dump\":\""
        + base64.encodeToString(Latin1.bytes(value))
        + "\"}";
  }

  private Step remove(int database, String key, Supplier<Step> then) {
    repaired++;
    return orders.unlink(node, database, List.of(key), database, then);
  }

  /** The owner gets it, unless it has one of its own by now. */
  private Step take(
      int database,
      String owner,
      String key,
      @Nullable Object left,
      Object value,
      Supplier<Step> then) {
    long millis = Transfer.number(left) < 0 ? 0 : Math.max(1, Transfer.number(left));
    List<String> restore = List.of("RESTORE", key, Long.toString(millis), String.valueOf(value));
    List<List<String>> commands =
        List.of(
            List.of("SELECT", Integer.toString(database)),
            restore,
            List.of("SELECT", Integer.toString(orders.control())));
    return Step.ask(
        owner,
        List.of("SELECT", Integer.toString(orders.control())),
        selected ->
            orders.guarded(
                owner,
                commands,
                error -> error.text().startsWith("BUSYKEY"),
                () ->
                    Step.ask(
                        owner,
                        List.of("SELECT", Integer.toString(database)),
                        back -> remove(database, key, then))));
  }
}
