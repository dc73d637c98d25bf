package dev.beltway.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

  private static final int MOST_CONFIGURATIONS = 20_000;
  private static final String OK = "OK";
  private static final String NIL = "nil";

  /** Values of all keys, which may expire, and the answers of operations that took effect early. */
  private record Configuration(
      List<@Nullable String> values, int expiring, Map<Integer, String> early) {}

  /** Keys that operations name together; each group is judged by itself. */
  private final List<Group> groups = new ArrayList<>();

  History(int keys) {
    for (int i = 0; i < keys; i++) {
      groups.add(i == 1 ? groups.get(0) : new Group(keys));
    }
  }

  void force(int key, @Nullable String value) {
    groups.get(key).force(key, value);
  }

  void begin(Op op) {
    groups.get(op.key).open.put(op.number, op);
  }

  void cancelled(Op op) {
    groups.get(op.key).cancelled(op);
  }

  boolean returned(Op op, @Nullable Object reply) {
    return groups.get(op.key).returned(op, reply);
  }

  /** What is possible for one group. */
  private static final class Group {

    private Set<Configuration> possible = new LinkedHashSet<>();
    private final Map<Integer, Op> open = new TreeMap<>();
    private final int keys;

    /** There are too many possibilities to go on: this history is not judged any more. */
    private boolean given;

    Group(int keys) {
      this.keys = keys;
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

    /** It never took effect and never will. */
    void cancelled(Op op) {
      open.remove(op.number);
      Set<Configuration> next = new LinkedHashSet<>();
      for (Configuration each : possible) {
        if (!each.early().containsKey(op.number)) {
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
      String answer = reply == null ? NIL : String.valueOf(reply);
      Set<Configuration> next = new LinkedHashSet<>();
      Set<Configuration> seen = new LinkedHashSet<>();
      for (Configuration each : possible) {
        String early = each.early().get(op.number);
        if (early != null) {
          if (early.equals(answer)) {
            next.add(without(each, op.number));
          }
        } else {
          explore(each, op, answer, next, seen);
        }
        given |= next.size() > MOST_CONFIGURATIONS || seen.size() > MOST_CONFIGURATIONS;
        if (given) {
          return true;
        }
      }
      open.remove(op.number);
      possible = next;
      return given || !next.isEmpty();
    }

    private static Configuration without(Configuration from, int number) {
      Map<Integer, String> early = new HashMap<>(from.early());
      early.remove(number);
      return new Configuration(from.values(), from.expiring(), early);
    }

    private void explore(
        Configuration from,
        Op op,
        String answer,
        Set<Configuration> found,
        Set<Configuration> seen) {
      if (!seen.add(from) || seen.size() > MOST_CONFIGURATIONS) {
        return;
      }
      for (Configuration faded : faded(from)) {
        List<@Nullable String> values = new ArrayList<>(faded.values());
        int[] expiring = {faded.expiring()};
        if (apply(op, values, expiring).equals(answer)) {
          found.add(new Configuration(values, expiring[0], faded.early()));
        }
      }
      for (Op other : open.values()) {
        if (other != op && !from.early().containsKey(other.number)) {
          for (Configuration faded : faded(from)) {
            List<@Nullable String> values = new ArrayList<>(faded.values());
            int[] expiring = {faded.expiring()};
            Map<Integer, String> early = new HashMap<>(faded.early());
            early.put(other.number, apply(other, values, expiring));
            explore(new Configuration(values, expiring[0], early), op, answer, found, seen);
          }
        }
      }
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
            List<@Nullable String> values = new ArrayList<>(each.values());
            values.set(key, null);
            all.add(new Configuration(values, each.expiring() & ~(1 << key), each.early()));
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
