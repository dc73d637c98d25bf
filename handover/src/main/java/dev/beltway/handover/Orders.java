package dev.beltway.handover;

import static dev.beltway.handover.Step.ask;
import static dev.beltway.handover.Step.tell;

import dev.beltway.topology.Address;
import dev.beltway.topology.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How each {@link Task} is done at nodes, command by command. Whatever changes something is done in
 * a transaction that watches the node's term, so that a leader who was deposed meanwhile does
 * nothing (rule 1).
 *
 * @param term of the leader who asks
 * @param control the control database, the last one of each node
 * @param routing the state that the tasks are about
 * @param secrets makes passwords
 * @param limits how much at once
 * @param pace how fast keys move, and how far they are
 */
public record Orders(
    long term,
    int control,
    RoutingState routing,
    Supplier<String> secrets,
    Limits limits,
    Pace pace) {

  /**
   * How much at once.
   *
   * @param scan how many keys a SCAN looks at
   * @param batch how many keys a transfer takes at most; how many it takes depends on their bytes
   * @param millis how long a transfer may take
   */
  public record Limits(int scan, int batch, int millis) {

    /** The usual ones. */
    public static final Limits USUAL = new Limits(1000, 100, 500);
  }

  /** How long a transfer may take that can't be done in parts. */
  static final int LONG_MILLIS = 60_000;

  /** How a failure reads where a node has forgotten whom it obeys. */
  static final String TERM_LOST = " has lost its note of the term";

  /** How a task is done. */
  public Step begin(Task task) {
    if (task instanceof Task.RaiseTerm raise) {
      return raiseTerm(raise.node());
    } else if (task instanceof Task.Probe probe) {
      return probe(probe.node());
    } else if (task instanceof Task.Login login) {
      return guarded(login.node(), List.of(login(login.registration())), Step::done);
    } else if (task instanceof Task.Logout logout) {
      return guarded(logout.node(), List.of(List.of("ACL", "DELUSER", logout.user())), Step::done);
    } else if (task instanceof Task.Preflight preflight) {
      return new Preflight(control, preflight.node(), preflight.forced()).begin();
    } else if (task instanceof Task.Survey survey) {
      return new Survey(this, survey.node()).begin();
    } else if (task instanceof Task.Scrub scrub) {
      return new Scrub(this, scrub).begin();
    } else if (task instanceof Task.TryOut tryOut) {
      return tryOut(tryOut.node(), tryOut.target());
    } else if (task instanceof Task.CloseToken close) {
      return close(close.node());
    } else if (task instanceof Task.DropUsers drop) {
      return dropUsers(drop.node(), user -> isStale(user, drop.keep()));
    } else if (task instanceof Task.DropTransfers drop) {
      String mine =
          Names.TRANSFER_USERS + "[0-9]+-[0-9]+-" + Pattern.quote(Names.mark(drop.source()));
      // A copy that was begun is not ended any more either.
      String mark = Names.mark(drop.source());
      List<String> copy = List.of("UNLINK", Names.STAGING + mark, Names.ATTEMPT + mark);
      return guarded(
          drop.node(), List.of(copy), () -> dropUsers(drop.node(), user -> user.matches(mine)));
    } else if (task instanceof Task.Search search) {
      return search(search.node());
    } else if (task instanceof Task.AskRun run) {
      return ask(
          run.node(),
          List.of("INFO", "server"),
          reply -> new Step.Done(Infos.field(reply, "run_id")));
    } else if (task instanceof Task.Clear clear) {
      return new Copies(clear.node(), clear.run(), Copies.Counts.HERE).begin();
    } else if (task instanceof Task.DropArrived drop) {
      return new Copies(drop.node(), drop.run(), Copies.Counts.THERE).begin();
    } else if (task instanceof Task.Purge purge) {
      return purge(purge.node());
    } else if (task instanceof Task.OpenToken open) {
      return openToken(open.node(), open.token());
    } else if (task instanceof Task.Move move) {
      return new Walk(this, move.node(), move.token()).begin();
    }
    throw new IllegalArgumentException("no such task: " + task);
  }

  // ---------------------------------------------------------------- in the leader's term

  /** Does commands at once, if this leader is the one. Begins and ends in the control database. */
  Step guarded(String node, List<List<String>> commands, Supplier<Step> then) {
    return guarded(node, commands, error -> false, then);
  }

  /** The same, where some errors are none. */
  Step guarded(
      String node,
      List<List<String>> commands,
      Predicate<ErrorReply> tolerated,
      Supplier<Step> then) {
    return ask(
        node,
        List.of("WATCH", Names.TERM),
        watched ->
            ask(
                node,
                List.of("GET", Names.TERM),
                found -> {
                  if (!Long.toString(term).equals(found)) {
                    boolean later = found instanceof String text && Long.parseLong(text) > term;
                    return new Step.Failed(
                        found == null
                            ? "node " + node + TERM_LOST
                            : "node " + node + " obeys term " + found + ", not " + term,
                        later);
                  }
                  return ask(
                      node,
                      List.of("MULTI"),
                      begun -> queue(node, commands.iterator(), tolerated, then));
                }));
  }

  private Step queue(
      String node,
      Iterator<List<String>> commands,
      Predicate<ErrorReply> tolerated,
      Supplier<Step> then) {
    if (commands.hasNext()) {
      return ask(node, commands.next(), queued -> queue(node, commands, tolerated, then));
    }
    return ask(
        node,
        List.of("EXEC"),
        done -> {
          if (done == null) {
            return Step.failed("the term changed at node " + node);
          }
          for (Object each : (List<?>) done) {
            if (each instanceof ErrorReply error && !tolerated.test(error)) {
              return Step.failed("node " + node + " answered with " + error.text());
            }
          }
          return then.get();
        });
  }

  private Step raiseTerm(String node) {
    return ask(
        node,
        List.of("WATCH", Names.TERM),
        watched ->
            ask(
                node,
                List.of("GET", Names.TERM),
                found -> {
                  if (found instanceof String text && Long.parseLong(text) > term) {
                    return new Step.Failed(
                        "node " + node + " obeys term " + text + ", not " + term, true);
                  }
                  List<String> set = List.of("SET", Names.TERM, Long.toString(term));
                  return ask(
                      node,
                      List.of("MULTI"),
                      begun ->
                          queue(
                              node,
                              List.of(set).iterator(),
                              error -> false,
                              () -> loadScript(node)));
                }));
  }

  private static Step loadScript(String node) {
    return ask(node, List.of("SCRIPT", "LOAD", Transfer.SCRIPT), loaded -> Step.done());
  }

  // ---------------------------------------------------------------- how nodes are

  private Step probe(String node) {
    return ask(
        node,
        List.of("INFO"),
        info ->
            tell(
                node,
                List.of("CONFIG", "GET", "append*"),
                config ->
                    tell(
                        node,
                        List.of("ACL", "GETUSER", "default"),
                        user ->
                            new Step.Done(
                                new NodeFacts(
                                    Infos.field(info, "run_id"),
                                    Infos.field(info, "role"),
                                    Infos.field(info, "redis_version"),
                                    Infos.keys(info, control),
                                    Infos.isDurable(config),
                                    Infos.isOpen(user),
                                    Infos.load(info))))));
  }

  /** Sends a key of our own from the source to the target, as a transfer would. */
  private Step tryOut(String source, String target) {
    String password = secrets.get();
    String key = Names.PROBE + Names.mark(source);
    String user = Names.TRANSFER_USERS + "0-0-" + Names.mark(source);
    Place place = place(target);
    List<String> migrate =
        List.of(
            "MIGRATE",
            place.host,
            Integer.toString(place.port),
            key,
            Integer.toString(control),
            "2000",
            "REPLACE",
            "AUTH2",
            user,
            password);
    return guarded(
        target,
        List.of(setUser(user, password)),
        () ->
            guarded(
                source,
                List.of(List.of("SET", key, "probe", "PX", "60000"), migrate),
                () ->
                    guarded(
                        target,
                        List.of(List.of("DEL", key), List.of("ACL", "DELUSER", user)),
                        () -> new Step.Done(""))));
  }

  // ---------------------------------------------------------------- logins

  private static List<String> login(Registration registration) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("ACL", "SETUSER", registration.user(), "reset", "on"));
    words.add("#" + registration.passwordHash());
    words.addAll(List.of("~*", "&*", "+@all", "-acl", "+acl|whoami", "+acl|cat", "-config"));
    words.addAll(List.of("-debug", "-shutdown", "-replicaof", "-slaveof", "-module", "-failover"));
    words.addAll(List.of("-cluster", "-psync", "-sync", "-monitor", "-swapdb", "-flushall"));
    return words;
  }

  private static List<String> setUser(String user, String password) {
    return List.of(
        "ACL",
        "SETUSER",
        user,
        "reset",
        "on",
        ">" + password,
        "~*",
        "+restore",
        "+select",
        "+ping");
  }

  /** Later registrations than those that are known get their logins at this moment. */
  private static boolean isStale(String user, Set<String> keep) {
    String last = keep.stream().max(Comparator.naturalOrder()).orElse("");
    return user.startsWith(Names.TRANSFER_USERS)
        || user.startsWith(Names.PROXY_USERS) && !keep.contains(user) && user.compareTo(last) < 0;
  }

  private Step dropUsers(String node, Predicate<String> dropped) {
    return ask(
        node,
        List.of("ACL", "USERS"),
        users -> {
          List<String> delete = new ArrayList<>(List.of("ACL", "DELUSER"));
          for (Object user : list(users)) {
            if (dropped.test(String.valueOf(user))) {
              delete.add(String.valueOf(user));
            }
          }
          return delete.size() == 2 ? Step.done() : guarded(node, List.of(delete), Step::done);
        });
  }

  // ---------------------------------------------------------------- tokens

  /** Nothing leaves any more; a big key that was being copied gets its time back. */
  private Step close(String node) {
    List<String> names = new ArrayList<>(List.of("UNLINK", Names.TOKEN, Names.BROKEN));
    names.addAll(List.of(Names.WANTED, Names.MOVED));
    for (String other : routing.listed()) {
      names.add(Names.ATTEMPT + Names.mark(other));
      names.add(Names.STAGING + Names.mark(other));
    }
    List<String> unseal = List.of("unseal", Integer.toString(control), Long.toString(term));
    return guarded(
        node, List.of(names), () -> Script.BIG.ask(node, List.of(), unseal, done -> Step.done()));
  }

  private Step openToken(String source, TransferToken token) {
    Map<String, String> passwords = new TreeMap<>();
    return openTargets(source, token, routing.flows().of(source).iterator(), passwords);
  }

  private Step openTargets(
      String source, TransferToken token, Iterator<String> targets, Map<String, String> passwords) {
    if (targets.hasNext()) {
      String target = targets.next();
      String password = secrets.get();
      passwords.put(target, password);
      return guarded(
          target,
          List.of(setUser(token.user(source), password)),
          () -> openTargets(source, token, targets, passwords));
    }
    List<String> set = new ArrayList<>(List.of("HSET", Names.TOKEN, "text", token.text()));
    passwords.forEach(
        (target, password) -> {
          Place place = place(target);
          set.add("to:" + Names.mark(target));
          set.add(Transfer.place(place.host, place.port, token.user(source), password));
        });
    return guarded(source, List.of(List.of("DEL", Names.TOKEN, Names.BROKEN), set), Step::done);
  }

  private record Place(String host, int port) {}

  private Place place(String id) {
    Node node =
        routing
            .node(id)
            .orElseThrow(() -> new IllegalStateException("node " + id + " is in no mapping"));
    String address =
        node.address()
            .orElseThrow(() -> new IllegalStateException("node " + id + " has no address"));
    return new Place(Address.hostName(address), Address.port(address));
  }

  // ---------------------------------------------------------------- keys

  static List<?> list(@Nullable Object reply) {
    return reply instanceof List<?> list ? list : List.of();
  }

  /** Visits all keys of a node: each batch is handled before the next is asked for. */
  Step eachKey(String node, Batch batch, Supplier<Step> end) {
    return database(node, 0, batch, end);
  }

  /** What is done with the keys that a SCAN has brought. */
  interface Batch {
    Step keys(int database, List<String> keys, Supplier<Step> then);
  }

  private Step database(String node, int database, Batch batch, Supplier<Step> end) {
    if (database == control) {
      return inControl(node, end);
    }
    return ask(
        node,
        List.of("SELECT", Integer.toString(database)),
        selected -> scan(node, database, "0", batch, end));
  }

  private Step inControl(String node, Supplier<Step> then) {
    return ask(node, List.of("SELECT", Integer.toString(control)), selected -> then.get());
  }

  private Step scan(String node, int database, String cursor, Batch batch, Supplier<Step> end) {
    long since = pace.begin();
    return Step.scan(
        node,
        cursor,
        limits.scan(),
        key -> true,
        (next, keys) -> {
          long rest = pace.restAfterScan(since, limits.scan());
          Supplier<Step> goOn =
              () ->
                  next.equals("0")
                      ? database(node, database + 1, batch, end)
                      : scan(node, database, next, batch, end);
          Supplier<Step> rested = () -> rest > 0 ? new Step.Wait(rest, goOn) : goOn.get();
          return keys.isEmpty() ? rested.get() : batch.keys(database, keys, rested);
        });
  }

  /**
   * A moving key at a target, by name; an empty text if there is none. At the beginning of a way no
   * key may be there that the node does not own: it could be in the way of a later leg.
   */
  private Step search(String node) {
    boolean begins = !routing.state().isOnTheWay();
    return eachKey(
        node,
        (database, keys, then) -> {
          for (String key : keys) {
            String source = routing.source(key);
            boolean comes =
                source != null && !source.equals(node) && routing.target(key).equals(node);
            if (comes || begins && !routing.before(key).equals(node)) {
              return new Step.Done(shown(database, key));
            }
          }
          return then.get();
        },
        () -> new Step.Done(""));
  }

  /** How much of a table a SCAN has seen that answered with this cursor, 0 to 1. */
  static double covered(String cursor) {
    // Redis counts from the highest bit down, whatever the table's size is.
    long reversed = Long.reverse(Long.parseUnsignedLong(cursor));
    return (reversed >>> 11) * 0x1p-53;
  }

  static String shown(int database, String key) {
    String text = key.length() > 60 ? key.substring(0, 60) + "…" : key;
    return text.replaceAll("[^ -~…]", "?") + (database == 0 ? "" : " in database " + database);
  }

  private Step purge(String node) {
    long[] removed = new long[1];
    return eachKey(
        node,
        (database, keys, then) -> {
          List<String> strays = new ArrayList<>();
          for (String key : keys) {
            boolean own = routing.before(key).equals(node);
            boolean between = routing.phase().isBetween() && routing.target(key).equals(node);
            if (!own && !between) {
              strays.add(key);
            }
          }
          removed[0] += strays.size();
          return unlink(node, database, strays, database, then);
        },
        () -> new Step.Done(removed[0]));
  }

  /** Removes keys in the leader's term, and returns to a database. */
  Step unlink(String node, int database, List<String> keys, int back, Supplier<Step> then) {
    if (keys.isEmpty()) {
      return then.get();
    }
    List<String> unlink = new ArrayList<>(List.of("UNLINK"));
    unlink.addAll(keys);
    return inControl(
        node,
        () ->
            guarded(
                node,
                List.of(
                    List.of("SELECT", Integer.toString(database)),
                    unlink,
                    List.of("SELECT", Integer.toString(back))),
                then));
  }

  /** Removes one of two copies of moving keys: transfers that failed may have left both. */
  private final class Copies {

    private enum Counts {
      /** The walked node's copy is the key, the other one is a left-over. */
      HERE,
      /** The other copy is the key, the walked node's has come back from an old file. */
      THERE
    }

    private final String node;
    private final String run;
    private final Counts counts;
    private long removed;

    Copies(String node, String run, Counts counts) {
      this.node = node;
      this.run = run;
      this.counts = counts;
    }

    /** Which copy counts depends on the process: the work ends with the connection to it. */
    Step begin() {
      return ask(
          node,
          List.of("INFO", "server"),
          info ->
              Infos.field(info, "run_id").equals(run)
                  ? eachKey(node, this::batch, () -> new Step.Done(removed))
                  : Step.failed("node " + node + " has restarted"));
    }

    /** Where a moving key could be too; null if this node has nothing to do with it. */
    private @Nullable String other(String key) {
      String source = routing.source(key);
      if (source == null) {
        return null;
      }
      String target = routing.target(key);
      if (routing.phase() == Phase.REVERSING) {
        return node.equals(target) ? source : null; // It had given keys, and gets them back.
      }
      return node.equals(source) ? target : null;
    }

    private Step batch(int database, List<String> keys, Supplier<Step> then) {
      return Groups.of(keys, this::other)
          .each((node, some, next) -> other(node, database, some, next), then);
    }

    private Step other(String other, int database, List<String> keys, Supplier<Step> next) {
      if (counts == Counts.HERE) {
        return removeThere(other, database, keys, next);
      }
      return existing(
          other,
          database,
          keys.iterator(),
          new ArrayList<>(),
          found -> {
            removed += found.size();
            return unlink(node, database, found, database, next);
          });
    }

    private Step removeThere(String other, int database, List<String> keys, Supplier<Step> then) {
      removed += keys.size();
      return unlink(other, database, keys, control, then);
    }

    private Step existing(
        String other,
        int database,
        Iterator<String> keys,
        List<String> found,
        Function<List<String>, Step> then) {
      if (!keys.hasNext()) {
        return then.apply(found);
      }
      String key = keys.next();
      return ask(
          other,
          List.of("SELECT", Integer.toString(database)),
          selected ->
              ask(
                  other,
                  List.of("EXISTS", key),
                  exists -> {
                    if (exists instanceof Long one && one == 1) {
                      found.add(key);
                    }
                    return existing(other, database, keys, found, then);
                  }));
    }
  }

  /** What nodes say about themselves, read. */
  static final class Infos {

    private Infos() {}

    static String field(@Nullable Object info, String name) {
      String text = String.valueOf(info);
      int at = text.indexOf("\n" + name + ":");
      if (at < 0) {
        return "";
      }
      int from = at + name.length() + 2;
      int end = text.indexOf('\r', from);
      return text.substring(from, end < 0 ? text.length() : end);
    }

    static long keys(@Nullable Object info, int control) {
      long sum = 0;
      for (int database = 0; database < control; database++) {
        String field = field(info, "db" + database);
        if (field.startsWith("keys=")) {
          sum += Long.parseLong(field.substring(5, field.indexOf(',')));
        }
      }
      return sum;
    }

    static NodeFacts.Load load(@Nullable Object info) {
      return new NodeFacts.Load(
          number(info, "used_memory"),
          number(info, "maxmemory"),
          field(info, "maxmemory_policy"),
          number(info, "total_commands_processed"));
    }

    static long number(@Nullable Object info, String name) {
      String text = field(info, name);
      return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }

    static boolean isDurable(@Nullable Object config) {
      List<?> words = list(config);
      boolean on = false;
      boolean always = false;
      for (int i = 0; i + 1 < words.size(); i += 2) {
        on |= "appendonly".equals(words.get(i)) && "yes".equals(words.get(i + 1));
        always |= "appendfsync".equals(words.get(i)) && "always".equals(words.get(i + 1));
      }
      return on && always;
    }

    static boolean isOpen(@Nullable Object user) {
      List<?> words = list(user);
      for (int i = 0; i + 1 < words.size(); i += 2) {
        if ("flags".equals(words.get(i))) {
          List<?> flags = list(words.get(i + 1));
          return flags.contains("on") && flags.contains("nopass");
        }
      }
      return user instanceof ErrorReply;
    }
  }
}
