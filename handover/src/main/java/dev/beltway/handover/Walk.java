package dev.beltway.handover;

import static dev.beltway.handover.Step.ask;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Walks a source and moves what has to leave it, pass by pass, until one pass from the first cursor
 * to the end, over all databases and in one run of the source, has seen no moving key (rule 7). One
 * walk is for all ranges that leave the source; big keys are copied by {@link BigCopy} as they are
 * met, or before others if somebody waits for them. Where it is stands in {@link Pace}: a walk that
 * was broken off goes on from there as long as the source is the same process.
 */
final class Walk {

  /**
   * What came of a walk.
   *
   * @param run the source's run id
   * @param moved how many keys have left, also because clients asked for them
   * @param replaced keys whose value at the target, put there by somebody else, was replaced
   */
  record Result(String run, long moved, List<String> replaced) {}

  /** How its failure begins if the token is broken or another one. */
  static final String BROKEN = "the token is broken: ";

  /** How its failure begins if a copy is not what it should be. */
  static final String DIFFERS = "a copy differs: ";

  private static final int MOST_NAMES = 20;
  private static final long LONGEST_REST = 50;

  /** How much longer a key may live at its target: what the way has taken. */
  private static final long TTL_TOLERANCE = 2_000;

  private final long term;
  private final RoutingState routing;
  private final String source;
  private final TransferToken token;
  private final int control;
  private final Orders.Limits limits;
  private final Pace pace;
  private final boolean compared;
  private String run = "";

  /** The databases that had keys when it began. */
  private final NavigableSet<Integer> filled = new TreeSet<>();

  Walk(Orders orders, String source, TransferToken token) {
    this.term = orders.term();
    this.routing = orders.routing();
    this.source = source;
    this.token = token;
    this.control = orders.control();
    this.limits = orders.limits();
    this.pace = orders.pace();
    this.compared = routing.state().isVerified();
  }

  Step begin() {
    pace.leave(source); // An earlier walk may have been broken off while it was sending.
    return ask(
        source,
        List.of("INFO"),
        info -> {
          run = Orders.Infos.field(info, "run_id");
          for (int database = 0; database < control; database++) {
            if (!Orders.Infos.field(info, "db" + database).isEmpty()) {
              filled.add(database);
            }
          }
          if (!run.equals(token.run())) {
            return Step.failed(BROKEN + "node " + source + " has restarted");
          }
          Pace.Position at = track().at();
          // Only a walk that was made from the beginning can say that nothing is left.
          boolean goesOn = at.database() > 0 || !at.cursor().equals("0");
          return database(at.database(), at.cursor(), goesOn || at.seen());
        });
  }

  private Pace.Track track() {
    return pace.track(token.version(), source, run);
  }

  private Step database(int number, String cursor, boolean seen) {
    if (number == control) {
      Pace.Track track = track();
      if (seen) {
        pace.set(track.at(new Pace.Position(0, "0", track.at().passes() + 1, false, 0)));
        return database(0, "0", false);
      }
      pace.set(track.at(new Pace.Position(0, "0", track.at().passes() + 1, false, 1)));
      return new Step.Done(new Result(run, track.allKeys(), track.replaced()));
    }
    return ask(
        source,
        List.of("SELECT", Integer.toString(number)),
        selected -> scan(number, cursor, seen));
  }

  /**
   * Waits while it has to; fails if it is not wanted any more. In a long wait big keys that
   * somebody wants move all the same, and a token that was broken is noticed.
   */
  private Step paced(int database, Supplier<Step> then) {
    if (pace.isOver(token.version())) {
      return Step.failed("keys do not move any more");
    }
    long rest = Math.min(LONGEST_REST, pace.delay());
    Supplier<Step> again = () -> paced(database, then);
    if (rest == LONGEST_REST) {
      return new Step.Wait(rest, () -> urgent(database, again));
    }
    return rest > 0 ? new Step.Wait(rest, again) : then.get();
  }

  private Step scan(int database, String cursor, boolean seen) {
    return paced(database, () -> urgent(database, () -> scanned(database, cursor, seen)));
  }

  /** Big keys that somebody waits for go first; how fast the source answers shows how it is. */
  private Step urgent(int database, Supplier<Step> then) {
    long since = pace.begin();
    return Script.BIG.tell(
        source,
        List.of(),
        List.of("wanted", Integer.toString(control), Long.toString(term), shown().text()),
        reply -> {
          if (reply instanceof ErrorReply error) {
            return failed(source, error);
          }
          pace.answered(source, since);
          String wanted = String.valueOf(reply);
          int colon = wanted.indexOf(':');
          if (colon < 1) {
            long rest = pace.rest(source);
            return rest > 0 ? new Step.Wait(rest, then) : then.get();
          }
          Key key =
              new Key(Integer.parseInt(wanted.substring(0, colon)), wanted.substring(colon + 1));
          if (!source.equals(routing.source(key.name()))) {
            return then.get();
          }
          return ask(
              source,
              List.of("SELECT", Integer.toString(key.database())),
              selected ->
                  big(
                      key,
                      () ->
                          ask(
                              source,
                              List.of("SELECT", Integer.toString(database)),
                              back -> urgent(database, then))));
        });
  }

  private Step scanned(int database, String cursor, boolean seen) {
    return Step.scan(
        source,
        cursor,
        limits.scan(),
        key -> source.equals(routing.source(key, 0, key.length)),
        (next, keys) -> {
          boolean found = seen || !keys.isEmpty();
          return Groups.of(keys, routing::target)
              .each(
                  (target, some, then) -> move(database, target, some, 0, then),
                  () -> {
                    boolean end = next.equals("0");
                    int following = end ? database + 1 : database;
                    double share = end ? 1 : Orders.covered(next);
                    double done = filled.headSet(database).size();
                    done += filled.contains(database) ? share : 0;
                    double covered = filled.isEmpty() ? 1 : Math.min(1, done / filled.size());
                    Pace.Track track = track();
                    pace.set(
                        track.at(
                            new Pace.Position(
                                following, next, track.at().passes(), found, covered)));
                    return end ? database(following, "0", found) : scan(database, next, found);
                  });
        });
  }

  private Step move(int database, String target, List<String> keys, int from, Supplier<Step> then) {
    return from == keys.size()
        ? then.get()
        : paced(database, () -> batch(database, target, keys, from, then));
  }

  private Step batch(
      int database, String target, List<String> keys, int from, Supplier<Step> then) {
    if (!pace.enter(source, target)) {
      return new Step.Wait(1, () -> move(database, target, keys, from, then));
    }
    int to = Math.min(keys.size(), from + pace.batchKeys(limits.batch()));
    List<String> batch = keys.subList(from, to);
    long since = pace.begin();
    List<String> arguments =
        Transfer.arguments(
            shown(),
            control,
            target,
            limits.millis(),
            database,
            pace.batchBytes(source),
            Transfer.BIG,
            compared);
    return Script.TRANSFER.tell(
        source,
        batch,
        arguments,
        reply -> {
          pace.leave(source, target);
          Transfer.Outcome outcome = Transfer.outcome(reply);
          switch (outcome.kind()) {
            case MOVED -> {
              Supplier<Step> goOn =
                  () -> move(database, target, keys, from + outcome.looked(), then);
              if (compared) {
                return compare(database, target, batch.subList(0, outcome.looked()), since, goOn);
              }
              counted(target, outcome.keys(), outcome.bytes(), since);
              outcome.replaced().forEach(key -> replaced(key));
              return goOn.get();
            }
            case BIG -> {
              return big(
                  new Key(database, keys.get(from)),
                  () -> move(database, target, keys, from + 1, then));
            }
            case REFUSED, BROKEN -> {
              return Step.failed(BROKEN + outcome.text());
            }
            default -> {
              return Step.failed("node " + target + " does not take keys: " + outcome.text());
            }
          }
        });
  }

  /** A script under the token was not done. */
  static Step failed(String source, ErrorReply error) {
    String prefix = Transfer.isRefused(error.text()) ? BROKEN : "";
    return Step.failed(prefix + "node " + source + " answered with " + error.text());
  }

  private TransferToken shown() {
    return new TransferToken(token.version(), token.generation(), run);
  }

  private void counted(String target, long keys, long bytes, long since) {
    if (keys > 0) {
      pace.moved(source, Names.mark(target), keys, bytes, since);
    }
  }

  private void replaced(String key) {
    Pace.Track track = track();
    if (track.replaced().size() < MOST_NAMES) {
      List<String> names = new ArrayList<>(track.replaced());
      names.add(Orders.shown(0, key));
      pace.set(track.replacing(names));
    }
  }

  // ---------------------------------------------------------------- big keys

  private Step big(Key key, Supplier<Step> then) {
    String target = routing.target(key.name());
    BigCopy copy = new BigCopy(term, control, pace, source, target, shown(), key, compared);
    pace.set(track().copying(Orders.shown(key.database(), key.name())));
    return copy.begin(
        outcome -> {
          pace.set(track().copying(""));
          if (copy.hasReplaced()) {
            replaced(key.name());
          }
          return outcome == BigCopy.Outcome.WHOLE ? whole(key, target, then) : then.get();
        });
  }

  /** In one piece, however long that takes. */
  private Step whole(Key key, String target, Supplier<Step> then) {
    List<String> arguments =
        Transfer.arguments(
            shown(),
            control,
            target,
            Orders.LONG_MILLIS,
            key.database(),
            0,
            Transfer.ANY_SIZE,
            false);
    long since = pace.begin();
    return Script.TRANSFER.tell(
        source,
        List.of(key.name()),
        arguments,
        reply -> {
          Transfer.Outcome outcome = Transfer.outcome(reply);
          if (outcome.isMoved()) {
            counted(target, outcome.keys(), outcome.bytes(), since);
            return then.get();
          }
          boolean broken =
              outcome.kind() == Transfer.Kind.BROKEN || outcome.kind() == Transfer.Kind.REFUSED;
          return Step.failed((broken ? BROKEN : "") + outcome.text());
        });
  }

  // ---------------------------------------------------------------- comparing

  private List<String> reading(int database) {
    return List.of("READ", Integer.toString(control), Integer.toString(database));
  }

  /** The copies are there; they are compared, and what is equal is dropped here. */
  private Step compare(
      int database, String target, List<String> keys, long since, Supplier<Step> then) {
    if (keys.isEmpty()) {
      return then.get();
    }
    return Script.COMPARE.ask(
        source,
        keys,
        reading(database),
        here ->
            Script.COMPARE.ask(
                target,
                keys,
                reading(database),
                there -> {
                  List<?> mine = Orders.list(here);
                  List<?> copies = Orders.list(there);
                  List<String> equal = new ArrayList<>();
                  List<String> digests = new ArrayList<>();
                  String differing = "";
                  for (int i = 0; i < keys.size(); i++) {
                    String digest = String.valueOf(mine.get(2 * i));
                    if (digest.isEmpty()) {
                      continue; // A client has asked for it, or its time is over.
                    }
                    if (digest.equals(copies.get(2 * i))
                        && isAlike(mine.get(2 * i + 1), copies.get(2 * i + 1))) {
                      equal.add(keys.get(i));
                      digests.add(digest);
                    } else {
                      differing = keys.get(i);
                    }
                  }
                  String odd = differing;
                  return drop(
                      database,
                      target,
                      equal,
                      digests,
                      since,
                      odd.isEmpty() ? then : () -> differs(database, odd, then));
                }));
  }

  private static boolean isAlike(Object here, Object there) {
    long one = Transfer.number(here);
    long other = Transfer.number(there);
    return one < 0 ? one == other : other >= 0 && Math.abs(one - other) <= TTL_TOLERANCE;
  }

  private Step drop(
      int database,
      String target,
      List<String> keys,
      List<String> digests,
      long since,
      Supplier<Step> then) {
    if (keys.isEmpty()) {
      return then.get();
    }
    List<String> arguments =
        new ArrayList<>(List.of("DROP", Integer.toString(control), Integer.toString(database)));
    arguments.add(shown().text());
    arguments.add(Names.mark(target));
    arguments.addAll(digests);
    return Script.COMPARE.tell(
        source,
        keys,
        arguments,
        reply -> {
          if (reply instanceof ErrorReply error) {
            return failed(source, error);
          }
          List<?> answer = Orders.list(reply);
          counted(target, Transfer.number(answer.get(0)), Transfer.number(answer.get(1)), since);
          return then.get();
        });
  }

  /** A copy that is not equal, unless the key has left or ended meanwhile. */
  private Step differs(int database, String key, Supplier<Step> then) {
    return Script.COMPARE.ask(
        source,
        List.of(key),
        reading(database),
        again ->
            String.valueOf(Orders.list(again).get(0)).isEmpty()
                ? then.get()
                : Step.failed(
                    DIFFERS
                        + "key "
                        + Orders.shown(database, key)
                        + " is not the same at node "
                        + routing.target(key)
                        + " as at node "
                        + source));
  }
}
