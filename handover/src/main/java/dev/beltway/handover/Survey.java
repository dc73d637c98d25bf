package dev.beltway.handover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Counts what would leave a source: keys and bytes by target, and the big keys by name. Where a
 * source has very many keys a part of them is counted, and the rest estimated.
 */
public final class Survey {

  /** How many keys are looked at, at most. */
  static final long MOST_KEYS = 2_000_000;

  private static final int MOST_NAMES = 20;

  /**
   * What would leave a source.
   *
   * @param keys by target
   * @param bytes by target
   * @param counted the share of the source's keys that was looked at, 0 to 1
   * @param big keys that are copied in parts: name, type and bytes, for people
   */
  public record Result(
      Map<String, Long> keys, Map<String, Long> bytes, double counted, List<String> big) {

    /** Copies the collections. */
    public Result {
      keys = Map.copyOf(keys);
      bytes = Map.copyOf(bytes);
      big = List.copyOf(big);
    }

    /** All keys. */
    public long allKeys() {
      return keys.values().stream().mapToLong(Long::longValue).sum();
    }

    /** All bytes. */
    public long allBytes() {
      return bytes.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private final RoutingState routing;
  private final int control;
  private final Orders.Limits limits;
  private final Pace pace;
  private final String source;
  private final Map<String, Long> keys = new TreeMap<>();
  private final Map<String, Long> bytes = new TreeMap<>();
  private final List<String> big = new ArrayList<>();
  private long looked;

  /** What the databases before this one have. */
  private Map<String, Long> keysBefore = Map.of();

  private Map<String, Long> bytesBefore = Map.of();

  Survey(Orders orders, String source) {
    this.routing = orders.routing();
    this.control = orders.control();
    this.limits = orders.limits();
    this.pace = orders.pace();
    this.source = source;
  }

  Step begin() {
    return database(0);
  }

  private Step database(int number) {
    keysBefore = Map.copyOf(keys);
    bytesBefore = Map.copyOf(bytes);
    if (number == control) {
      return new Step.Done(new Result(keys, bytes, 1, big));
    }
    return Step.ask(
        source, List.of("SELECT", Integer.toString(number)), selected -> scan(number, "0"));
  }

  private Step scan(int database, String cursor) {
    long since = pace.begin();
    return Step.scan(
        source,
        cursor,
        limits.scan(),
        key -> {
          looked++;
          return source.equals(routing.source(key, 0, key.length));
        },
        (next, keysFound) -> {
          long rest = pace.restAfterScan(since, limits.scan());
          return Groups.of(keysFound, routing::target)
              .each(
                  (target, names, then) -> count(database, target, names, then),
                  () -> {
                    if (next.equals("0")) {
                      return database(database + 1);
                    }
                    if (looked >= MOST_KEYS) {
                      return estimated(Orders.covered(next));
                    }
                    return rest > 0
                        ? new Step.Wait(rest, () -> scan(database, next))
                        : scan(database, next);
                  });
        });
  }

  /** Of this database; what further ones have is not known. */
  private Step estimated(double covered) {
    keys.replaceAll((target, count) -> scaled(count, keysBefore.getOrDefault(target, 0L), covered));
    bytes.replaceAll(
        (target, count) -> scaled(count, bytesBefore.getOrDefault(target, 0L), covered));
    return new Step.Done(new Result(keys, bytes, covered, big));
  }

  private static long scaled(long count, long before, double covered) {
    return before + Math.round((count - before) / covered);
  }

  private Step count(int database, String target, List<String> names, Supplier<Step> then) {
    return Script.SURVEY.ask(
        source,
        names,
        List.of(Long.toString(Transfer.BIG)),
        reply -> {
          List<?> answer = Orders.list(reply);
          keys.merge(target, (long) names.size(), Long::sum);
          bytes.merge(target, Transfer.number(answer.get(0)), Long::sum);
          for (int i = 1; i + 2 < answer.size() && big.size() < MOST_NAMES; i += 3) {
            String name = names.get((int) Transfer.number(answer.get(i)) - 1);
            big.add(
                Orders.shown(database, name)
                    + " ("
                    + answer.get(i + 2)
                    + ", "
                    + answer.get(i + 1)
                    + " bytes)");
          }
          return then.get();
        });
  }
}
