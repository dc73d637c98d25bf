package dev.beltway.handover;

import static dev.beltway.handover.Step.ask;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Walks a source and moves what has to leave it, pass by pass, until one pass from the first cursor
 * to the end, over all databases and in one run of the source, has seen no moving key (rule 7). A
 * connection that is lost ends the walk; the next one begins anew, since cursors die with the run.
 */
final class Walk {

  /**
   * What came of a walk.
   *
   * @param run the source's run id
   * @param moved how many keys it has moved
   * @param replaced keys whose value at the target, put there by somebody else, was replaced
   */
  record Result(String run, long moved, List<String> replaced) {}

  /** How its failure begins if the token is broken or another one. */
  static final String BROKEN = "the token is broken: ";

  private static final int MOST_NAMES = 100;

  private final RoutingState routing;
  private final String source;
  private final TransferToken token;
  private final int control;
  private final Orders.Limits limits;
  private final List<String> replaced = new ArrayList<>();
  private String run = "";
  private long moved;
  private boolean seen;

  Walk(
      RoutingState routing, String source, TransferToken token, int control, Orders.Limits limits) {
    this.routing = routing;
    this.source = source;
    this.token = token;
    this.control = control;
    this.limits = limits;
  }

  Step begin() {
    return ask(
        source,
        List.of("INFO", "server"),
        info -> {
          run = Orders.Infos.field(info, "run_id");
          return run.equals(token.run())
              ? pass()
              : Step.failed(BROKEN + "node " + source + " has restarted");
        });
  }

  private Step pass() {
    seen = false;
    return database(0);
  }

  private Step database(int number) {
    if (number == control) {
      return seen ? pass() : new Step.Done(new Result(run, moved, replaced));
    }
    return ask(source, List.of("SELECT", Integer.toString(number)), selected -> scan(number, "0"));
  }

  private Step scan(int database, String cursor) {
    return ask(
        source,
        List.of("SCAN", cursor, "COUNT", Integer.toString(limits.scan())),
        reply -> {
          List<?> both = Orders.list(reply);
          String next = String.valueOf(both.get(0));
          Map<String, List<String>> byTarget = new TreeMap<>();
          for (Object each : Orders.list(both.get(1))) {
            String key = String.valueOf(each);
            if (source.equals(routing.source(key))) {
              byTarget.computeIfAbsent(routing.target(key), t -> new ArrayList<>()).add(key);
            }
          }
          return targets(database, next, byTarget.entrySet().iterator());
        });
  }

  private Step targets(
      int database, String cursor, Iterator<Map.Entry<String, List<String>>> targets) {
    if (targets.hasNext()) {
      Map.Entry<String, List<String>> entry = targets.next();
      return move(database, cursor, entry.getKey(), entry.getValue(), 0, targets);
    }
    return cursor.equals("0") ? database(database + 1) : scan(database, cursor);
  }

  private Step move(
      int database,
      String cursor,
      String target,
      List<String> keys,
      int from,
      Iterator<Map.Entry<String, List<String>>> targets) {
    if (from == keys.size()) {
      return targets(database, cursor, targets);
    }
    seen = true;
    int to = Math.min(keys.size(), from + limits.batch());
    List<String> batch = keys.subList(from, to);
    TransferToken shown = new TransferToken(token.version(), token.generation(), run);
    return Step.tell(
        source,
        Transfer.command(shown, control, target, limits.millis(), database, batch),
        reply -> {
          Transfer.Outcome outcome = Transfer.outcome(reply);
          switch (outcome.kind()) {
            case MOVED -> {
              moved += batch.size();
              outcome.replaced().stream()
                  .limit(Math.max(0, MOST_NAMES - replaced.size()))
                  .forEach(replaced::add);
              return move(database, cursor, target, keys, to, targets);
            }
            case UNKNOWN_SCRIPT -> {
              return ask(
                  source,
                  List.of("SCRIPT", "LOAD", Transfer.SCRIPT),
                  loaded -> move(database, cursor, target, keys, from, targets));
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
}
