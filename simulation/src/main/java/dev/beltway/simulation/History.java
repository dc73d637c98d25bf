package dev.beltway.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides while operations return whether some order of them explains every answer: linearizability
 * of a handful of keys together, by the set of all configurations that are still possible (Wing and
 * Gong, Lowe). An operation whose end is not known stays possible for ever.
 */
final class History {

  /** What an operation asks. */
  enum Kind {
    GET,
    SET,
    SET_EXPIRING,
    DEL,
    INCR,
    RENAME
  }

  /** An operation of a client. */
  static final class Op {
    final int number;
    final Kind kind;
    final int key;
    final int second;
    final String value;

    Op(int number, Kind kind, int key, int second, String value) {
      this.number = number;
      this.kind = kind;
      this.key = key;
      this.second = second;
      this.value = value;
    }

    @Override
    public String toString() {
      return kind
          + " k"
          + key
          + (kind == Kind.RENAME ? " k" + second : "")
          + (value.isEmpty() ? "" : " " + value);
    }
  }

  private static final int MOST_CONFIGURATIONS = 3_000;
  private static final int QUICK_DEPTH = 1;
  private static final String OK = "OK";
  private static final String NIL = "nil";

  /** Between the values that an open read may have seen. */
  private static final String SEES = "\u0001";

  /** Values of all keys, which may expire, and the answers of operations that took effect early. */
  private record Configuration(
      List<@Nullable String> values, int expiring, Map<Integer, String> early) {}

  /** Keys that operations name together; each group is judged by itself. */
  private final List<Group> groups = new ArrayList<>();

  /** All that was heard, to be judged again if need be. */
  private final List<List<Predicate<Group>>> logs = new ArrayList<>();

  private final int keys;

  History(int keys) {
    this.keys = keys;
    for (int i = 1; i < keys; i++) { // The first two are renamed to each other.
      groups.add(new Group(keys, QUICK_DEPTH));
      logs.add(new ArrayList<>());
    }
  }

  void force(int key, @Nullable String value) {
    judge(key, group -> group.force(key, value));
  }

  void begin(Op op) {
    judge(op.key, group -> group.begin(op));
  }

  void cancelled(Op op) {
    judge(op.key, group -> group.cancelled(op));
  }

  boolean returned(Op op, @Nullable Object reply) {
    int at = Math.max(op.key - 1, 0);
    logs.get(at).add(group -> group.returned(op, reply));
    if (groups.get(at).returned(op, reply)) {
      return true;
    }
    // The quick judge looks at short orders alone: before it is believed, all are looked at.
    Group thorough = new Group(keys, Integer.MAX_VALUE);
    boolean explained = true;
    for (Predicate<Group> event : logs.get(at)) {
      explained &= event.test(thorough);
    }
    groups.set(at, thorough);
    return explained;
  }

  private void judge(int key, Consumer<Group> event) {
    int at = Math.max(key - 1, 0);
    logs.get(at)
        .add(
            group -> {
              event.accept(group);
              return true;
            });
    event.accept(groups.get(at));
  }

  /** What is possible for one group. */
  private static final class Group {

    private Set<Configuration> possible = new LinkedHashSet<>();
    private final Map<Integer, Op> open = new TreeMap<>();
    private final int keys;

    /** How many operations may take effect before their turn, at one answer. */
    private final int depth;

    /** There are too many possibilities to go on: this history is not judged any more. */
    private boolean given;

    Group(int keys, int depth) {
      this.keys = keys;
      this.depth = depth;
      possible.add(new Configuration(Arrays.asList(new String[keys]), 0, Map.of()));
    }

    /** Sets a key before anything begins, or because a server has lost what it had. */
    void force(int key, @Nullable String value) {
      Set<Configuration> next = new LinkedHashSet<>();
      for (Configuration each : possible) {
        List<@Nullable String> values = new ArrayList<>(each.values());
        values.set(key, value);
        next.add(new Configuration(values, each.expiring() & ~(1 << key), each.early()));
      }
      possible = next;
    }

    /** An operation begins; a read notes in each configuration what it may see. */
    void begin(Op op) {
      open.put(op.number, op);
      if (op.kind != Kind.GET) {
        return;
      }
      Set<Configuration> next = new LinkedHashSet<>();
      for (Configuration each : possible) {
        Map<Integer, String> early = new HashMap<>(each.early());
        early.put(op.number, SEES + shown(each.values().get(op.key)) + SEES);
        next.add(new Configuration(each.values(), each.expiring(), early));
      }
      possible = next;
    }

    /** It never took effect and never will. */
    void cancelled(Op op) {
      open.remove(op.number);
      Set<Configuration> next = new LinkedHashSet<>();
      for (Configuration each : possible) {
        if (op.kind == Kind.GET) {
          next.add(without(each, op.number));
        } else if (!each.early().containsKey(op.number)) {
          next.add(each);
        }
      }
      if (!next.isEmpty()) {
        possible = next;
      }
    }

    /** An answer; whether some order explains it. */
    boolean returned(Op op, @Nullable Object reply) {
      if (given) {
        return true;
      }
      String answer = shown(reply == null ? null : String.valueOf(reply));
      Set<Configuration> next = new LinkedHashSet<>();
      Set<Configuration> seen = new LinkedHashSet<>();
      for (Configuration each : possible) {
        String early = each.early().get(op.number);
        if (op.kind != Kind.GET && early != null) {
          if (early.equals(answer)) {
            next.add(without(each, op.number));
          }
        } else {
          explore(each, op, answer, next, seen, depth);
        }
        given |= next.size() > MOST_CONFIGURATIONS || seen.size() > MOST_CONFIGURATIONS;
        if (given) {
          return true;
        }
      }
      open.remove(op.number);
      possible = next;
      return !next.isEmpty();
    }

    private static String shown(@Nullable String value) {
      return value == null ? NIL : value;
    }

    private static Configuration without(Configuration from, int number) {
      if (!from.early().containsKey(number)) {
        return from;
      }
      Map<Integer, String> early = new HashMap<>(from.early());
      early.remove(number);
      return new Configuration(from.values(), from.expiring(), early);
    }

    private void explore(
        Configuration from,
        Op op,
        String answer,
        Set<Configuration> found,
        Set<Configuration> seen,
        int left) {
      if (!seen.add(from) || seen.size() > MOST_CONFIGURATIONS) {
        return;
      }
      if (op.kind == Kind.GET) {
        if (String.valueOf(from.early().get(op.number)).contains(SEES + answer + SEES)) {
          found.add(without(from, op.number));
        }
        if (answer.equals(NIL) && (from.expiring() & 1 << op.key) != 0) {
          found.add(without(changed(from, null, op.key, 0), op.number));
        }
      } else {
        for (Configuration faded : faded(from)) {
          String[] given1 = new String[1];
          Configuration after = applied(faded, op, given1);
          if (answer.equals(given1[0])) {
            found.add(after);
          }
        }
      }
      if (left == 0) {
        return;
      }
      for (Op other : open.values()) {
        if (other != op && other.kind != Kind.GET && !from.early().containsKey(other.number)) {
          for (Configuration faded : faded(from)) {
            String[] given1 = new String[1];
            Configuration after = applied(faded, other, given1);
            Map<Integer, String> early = new HashMap<>(after.early());
            early.put(other.number, given1[0]);
            explore(
                new Configuration(after.values(), after.expiring(), early),
                op,
                answer,
                found,
                seen,
                left - 1);
          }
        }
      }
    }

    /** After an operation that changes something; its answer is put into the array. */
    private Configuration applied(Configuration from, Op op, String[] answer) {
      List<@Nullable String> values = new ArrayList<>(from.values());
      int[] expiring = {from.expiring()};
      answer[0] = apply(op, values, expiring);
      Configuration after = from;
      for (int key : op.kind == Kind.RENAME ? new int[] {op.key, op.second} : new int[] {op.key}) {
        after = changed(after, values.get(key), key, expiring[0] & 1 << key);
      }
      return after;
    }

    /** With another value of a key; reads that are open may have seen it, and what it replaces. */
    private Configuration changed(
        Configuration from, @Nullable String value, int key, int expires) {
      List<@Nullable String> values = new ArrayList<>(from.values());
      values.set(key, value);
      int expiring = from.expiring() & ~(1 << key) | expires;
      boolean couldFade = (from.expiring() & 1 << key) != 0;
      Map<Integer, String> early = from.early();
      for (Op read : open.values()) {
        if (read.kind == Kind.GET && read.key == key) {
          String sees = String.valueOf(early.get(read.number));
          String more = sees;
          if (!more.contains(SEES + shown(value) + SEES)) {
            more += shown(value) + SEES;
          }
          if (couldFade && !more.contains(SEES + NIL + SEES)) {
            more += NIL + SEES;
          }
          if (!more.equals(sees)) {
            early = new HashMap<>(early);
            early.put(read.number, more);
          }
        }
      }
      return new Configuration(values, expiring, early);
    }

    /** With and without the values that may have expired. */
    private List<Configuration> faded(Configuration from) {
      if (from.expiring() == 0) {
        return List.of(from);
      }
      List<Configuration> all = new ArrayList<>();
      all.add(from);
      for (int key = 0; key < keys; key++) {
        if ((from.expiring() & 1 << key) != 0) {
          for (Configuration each : List.copyOf(all)) {
            all.add(changed(each, null, key, 0));
          }
        }
      }
      return all;
    }

    private static String apply(Op op, List<@Nullable String> values, int[] expiring) {
      String now = values.get(op.key);
      int bit = 1 << op.key;
      switch (op.kind) {
        case GET -> {
          return now == null ? NIL : now;
        }
        case SET -> {
          values.set(op.key, op.value);
          expiring[0] &= ~bit;
          return OK;
        }
        case SET_EXPIRING -> {
          values.set(op.key, op.value);
          expiring[0] |= bit;
          return OK;
        }
        case DEL -> {
          values.set(op.key, null);
          expiring[0] &= ~bit;
          return now == null ? "0" : "1";
        }
        case INCR -> {
          long next = now == null ? 1 : Long.parseLong(now) + 1;
          values.set(op.key, Long.toString(next));
          return Long.toString(next);
        }
        default -> {
          if (now == null) {
            return "ErrorReply[text=ERR no such key]";
          }
          values.set(op.key, null);
          values.set(op.second, now);
          int second = 1 << op.second;
          expiring[0] = (expiring[0] & bit) != 0 ? expiring[0] | second : expiring[0] & ~second;
          expiring[0] &= ~bit;
          return OK;
        }
      }
    }
  }
}
