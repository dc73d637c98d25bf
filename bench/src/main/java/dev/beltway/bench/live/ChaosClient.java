package dev.beltway.bench.live;

import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client with keys of its own, which knows what each may hold. An operation whose outcome is
 * unknown leaves its key alone until nothing of it can still be under way; then the first look
 * decides.
 */
final class ChaosClient {

  private static final int KEYS = 30;
  private static final long QUARANTINE = TimeUnit.SECONDS.toNanos(25);
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(90);

  /** How long a key may be out of reach at the end. */
  private static final long LAST_READ = TimeUnit.SECONDS.toNanos(20);

  private static final int MOST_IN_LIST = 40;
  private static final String TTL = "100000000"; // Longer than any run.

  /** The outcome of what was asked is unknown. */
  private static final class Uncertain extends Exception {
    private static final long serialVersionUID = 1L;

    Uncertain(String message) {
      super(message);
    }
  }

  /** Opens a connection to some proxy. */
  interface Door {
    PlainClient open(int attempt) throws IOException;
  }

  /** What a key may hold. */
  private abstract static class Slot {
    final String name;
    long quietUntil;

    Slot(String name) {
      this.name = name;
    }
  }

  private static final class Counter extends Slot {
    long least;
    long most;

    Counter(String name) {
      super(name);
    }
  }

  /** Text values, null for none. */
  private static final class Text extends Slot {
    private final List<@Nullable String> possible = new ArrayList<>();
    private final Set<String> deleted = new HashSet<>();

    Text(String name) {
      super(name);
      possible.add(null);
    }
  }

  private static final class Pushes extends Slot {
    private final List<String> sure = new ArrayList<>();
    private final Set<String> unsure = new HashSet<>();
    boolean mayBeGone;

    Pushes(String name) {
      super(name);
    }
  }

  private final int number;
  private final Ledger ledger;
  private final Door door;
  private final SplittableRandom random;
  private final List<Counter> counters = new ArrayList<>();
  private final List<Counter> pairs = new ArrayList<>();
  private final List<Text> texts = new ArrayList<>();
  private final List<Text> renames = new ArrayList<>();
  private final List<Pushes> lists = new ArrayList<>();
  private final Counter bigField;
  private @Nullable PlainClient client;
  private int attempts;
  private long ids;
  private boolean bigMade;
  private volatile long lastDone = System.nanoTime();

  ChaosClient(int number, Ledger ledger, Door door, long seed) {
    this.number = number;
    this.ledger = ledger;
    this.door = door;
    this.random = new SplittableRandom(seed * 1_000 + number);
    for (int i = 0; i < KEYS; i++) {
      counters.add(new Counter("c:" + number + ":" + i));
      pairs.add(new Counter("{p:" + number + ":" + i + "}"));
      texts.add(new Text("s:" + number + ":" + i));
      renames.add(new Text("{r:" + number + ":" + i + "}"));
      lists.add(new Pushes("l:" + number + ":" + i));
    }
    bigField = new Counter("big:" + number);
  }

  /** When something was answered last. */
  long lastDone() {
    return lastDone;
  }

  void run(Supplier<Boolean> stop) {
    while (!stop.get()) {
      step();
    }
  }

  private void step() {
    long now = System.nanoTime();
    int which = random.nextInt(KEYS);
    int kind = random.nextInt(12);
    Slot slot =
        switch (kind) {
          case 0, 1, 2 -> counters.get(which);
          case 3 -> pairs.get(which);
          case 4, 5, 6, 7 -> texts.get(which);
          case 8 -> renames.get(which);
          case 9, 10 -> lists.get(which);
          default -> bigField;
        };
    if (slot.quietUntil > now) {
      return;
    }
    ledger.operations.incrementAndGet();
    try {
      operate(slot, kind);
      ledger.acknowledged.incrementAndGet();
      lastDone = System.nanoTime();
    } catch (Uncertain e) {
      ledger.uncertain.incrementAndGet();
      slot.quietUntil = System.nanoTime() + QUARANTINE;
    }
  }

  private void operate(Slot slot, int kind) throws Uncertain {
    if (kind == 3) {
      pair((Counter) slot);
    } else if (kind == 8) {
      rename((Text) slot);
    } else if (slot == bigField) {
      big();
    } else if (slot instanceof Counter counter) {
      count(counter);
    } else if (slot instanceof Text text) {
      text(text);
    } else if (slot instanceof Pushes pushes) {
      list(pushes);
    }
  }

  // ---------------------------------------------------------------- asking

  /** An answer that is certain; those that say that nothing was done are asked again. */
  private @Nullable Object ask(String... words) throws Uncertain {
    long deadline = System.nanoTime() + PATIENCE;
    while (true) {
      PlainClient open = connection(deadline);
      Object reply;
      try {
        reply = open.tell(words);
      } catch (IOException e) {
        disconnect();
        throw new Uncertain(String.valueOf(e.getMessage()));
      }
      if (!(reply instanceof RespReader.Failed failed)) {
        return reply;
      }
      if (!failed.text().startsWith("TRYAGAIN") || System.nanoTime() > deadline) {
        throw new Uncertain(failed.text());
      }
      ledger.tryAgain.incrementAndGet();
      Cluster.pause(5);
    }
  }

  private PlainClient connection(long deadline) throws Uncertain {
    while (client == null) {
      try {
        client = door.open(number + attempts++);
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new Uncertain("no proxy: " + e.getMessage());
        }
        Cluster.pause(20);
      }
    }
    return client;
  }

  private void disconnect() {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  private static @Nullable String text(@Nullable Object reply) {
    return reply instanceof byte[] bytes
        ? RespReader.text(bytes)
        : reply == null ? null : String.valueOf(reply);
  }

  private static long number(@Nullable Object reply) {
    String text = text(reply);
    return text == null ? 0 : Long.parseLong(text);
  }

  // ---------------------------------------------------------------- counters

  private void count(Counter counter) throws Uncertain {
    if (random.nextInt(3) == 0) {
      look(counter, number(ask("GET", counter.name)));
      return;
    }
    counter.most++; // It may be done whatever is answered.
    boolean scripted = random.nextInt(4) == 0;
    Object reply =
        scripted
            ? ask("EVAL", "return redis.call('INCR', KEYS[1])", "1", counter.name)
            : ask("INCR", counter.name);
    counter.least++;
    look(counter, number(reply));
  }

  /** The key has been left alone long enough: what is there now is what is there. */
  private void look(Counter counter, long found) {
    if (found < counter.least) {
      ledger.wrong(
          Ledger.Wrong.LOST, counter.name + " is " + found + ", at least " + counter.least);
    } else if (found > counter.most) {
      ledger.wrong(
          Ledger.Wrong.DUPLICATED, counter.name + " is " + found + ", at most " + counter.most);
    }
    counter.least = found;
    counter.most = found;
  }

  private void pair(Counter counter) throws Uncertain {
    String one = counter.name + "a";
    String other = counter.name + "b";
    if (random.nextInt(3) == 0) {
      List<?> both = Cluster.list(ask("MGET", one, other));
      both(counter, number(both.get(0)), number(both.get(1)));
      return;
    }
    Object exec = null;
    for (int i = 0; !(exec instanceof List<?>); i++) {
      ask("MULTI");
      try {
        ask("INCR", one);
        ask("INCR", other);
        counter.most++;
        exec = ask("EXEC");
      } catch (Uncertain e) {
        disconnect(); // The transaction ends with the connection.
        throw e;
      }
      if (!(exec instanceof List<?>)) {
        throw new Uncertain("EXEC gave " + exec + " in attempt " + i);
      }
    }
    counter.least++;
    List<?> both = (List<?>) exec;
    if (both.get(0) instanceof RespReader.Failed || both.get(1) instanceof RespReader.Failed) {
      throw new Uncertain("EXEC gave " + both);
    }
    both(counter, number(both.get(0)), number(both.get(1)));
  }

  private void both(Counter counter, long one, long other) {
    if (one != other) {
      ledger.wrong(
          Ledger.Wrong.LOST, "half a transaction: " + counter.name + " " + one + " and " + other);
    }
    look(counter, one);
  }

  private void big() throws Uncertain {
    if (number % 4 != 0) {
      return;
    }
    if (!bigMade) {
      for (int part = 0; part < 40; part++) {
        List<String> words = new ArrayList<>(List.of("HSET", bigField.name));
        for (int i = 0; i < 200; i++) {
          words.add("field:" + part + ":" + i);
          words.add("x".repeat(30));
        }
        ask(words.toArray(new String[0]));
      }
      ask("PEXPIRE", bigField.name, TTL);
      bigMade = true;
    }
    bigField.most++;
    long found = number(ask("HINCRBY", bigField.name, "n", "1"));
    bigField.least++;
    look(bigField, found);
    if (random.nextInt(5) == 0) {
      long fields = number(ask("HLEN", bigField.name));
      if (fields != 8_001) {
        ledger.wrong(Ledger.Wrong.LOST, bigField.name + " has " + fields + " fields");
      }
      lives(bigField.name);
    }
  }

  // ---------------------------------------------------------------- texts

  private void text(Text text) throws Uncertain {
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        String value = "v" + ids++;
        text.possible.add(value);
        ask("SET", text.name, value, "PX", TTL);
        text.possible.clear();
        text.possible.add(value);
      }
      case 2 -> {
        text.possible.stream().filter(each -> each != null).forEach(text.deleted::add);
        if (!text.possible.contains(null)) {
          text.possible.add(null);
        }
        ask("DEL", text.name);
        text.possible.clear();
        text.possible.add(null);
      }
      case 3 -> {
        boolean there = text.possible.size() == 1 && text.possible.get(0) != null;
        boolean renewed = number(ask("PEXPIRE", text.name, TTL)) == 1;
        if (there && !renewed) {
          ledger.wrong(Ledger.Wrong.LOST, text.name + " was not there to be renewed");
        }
      }
      case 4 -> {
        if (text.possible.size() == 1 && text.possible.get(0) != null) {
          lives(text.name);
        }
      }
      default -> look(text, text(ask("GET", text.name)));
    }
  }

  private void lives(String name) throws Uncertain {
    long left = number(ask("PTTL", name));
    if (left == -1) {
      ledger.wrong(Ledger.Wrong.IMMORTAL, name + " has no time to live");
    } else if (left == -2) {
      ledger.wrong(Ledger.Wrong.LOST, name + " is not there");
    }
  }

  private void look(Text text, @Nullable String found) {
    if (!text.possible.contains(found)) {
      Ledger.Wrong kind =
          found == null
              ? Ledger.Wrong.LOST
              : text.deleted.contains(found) ? Ledger.Wrong.RESURRECTED : Ledger.Wrong.STALE;
      ledger.wrong(kind, text.name + " is " + found + ", not one of " + text.possible);
    }
    text.possible.clear();
    text.possible.add(found);
  }

  /** Written under one name, renamed to another with the same tag. */
  private void rename(Text text) throws Uncertain {
    String from = text.name + "from";
    String to = text.name + "to";
    String value = "v" + ids++;
    // Whatever becomes of it, the next round begins anew.
    ask("SET", from, value, "PX", TTL);
    ask("RENAME", from, to);
    String found = text(ask("GET", to));
    if (!value.equals(found)) {
      ledger.wrong(Ledger.Wrong.LOST, to + " is " + found + ", not " + value);
    }
    if (number(ask("EXISTS", from)) != 0) {
      ledger.wrong(Ledger.Wrong.RESURRECTED, from + " is there after it was renamed");
    }
    lives(to);
  }

  // ---------------------------------------------------------------- lists

  private void list(Pushes list) throws Uncertain {
    if (list.mayBeGone) {
      ask("DEL", list.name);
      list.sure.clear();
      list.unsure.clear();
      list.mayBeGone = false;
    }
    if (list.sure.size() > MOST_IN_LIST) {
      list.mayBeGone = true;
      ask("DEL", list.name);
      list.sure.clear();
      list.unsure.clear();
      list.mayBeGone = false;
      return;
    }
    switch (random.nextInt(4)) {
      case 0, 1 -> {
        String id = "id" + ids++;
        list.unsure.add(id);
        ask("RPUSH", list.name, id);
        list.unsure.remove(id);
        list.sure.add(id);
      }
      case 2 -> pop(list);
      default -> look(list);
    }
  }

  private void look(Pushes list) throws Uncertain {
    List<?> found = Cluster.list(ask("LRANGE", list.name, "0", "-1"));
    Set<String> seen = new HashSet<>();
    List<String> sure = new ArrayList<>();
    for (Object each : found) {
      String id = String.valueOf(text(each));
      if (!seen.add(id)) {
        ledger.wrong(Ledger.Wrong.DUPLICATED, list.name + " has " + id + " twice");
      }
      if (!list.sure.contains(id) && !list.unsure.contains(id)) {
        ledger.wrong(Ledger.Wrong.RESURRECTED, list.name + " has " + id + " again");
      }
      sure.add(id);
    }
    for (String id : list.sure) {
      if (!seen.contains(id)) {
        ledger.wrong(Ledger.Wrong.LOST, list.name + " has lost " + id);
      }
    }
    list.sure.clear();
    list.sure.addAll(sure);
    list.unsure.clear();
  }

  /** Waits for an element; a barrier may end that early. */
  private void pop(Pushes list) throws Uncertain {
    look(list);
    boolean wasGone = list.mayBeGone;
    list.mayBeGone = true; // Whatever was popped unseen is gone.
    Object reply = ask("BLPOP", list.name, "0.3");
    list.mayBeGone = wasGone;
    if (reply instanceof List<?> both) {
      String id = String.valueOf(text(both.get(1)));
      if (list.sure.isEmpty() || !list.sure.get(0).equals(id)) {
        String head = list.sure.isEmpty() ? "nothing" : list.sure.get(0);
        ledger.wrong(Ledger.Wrong.DUPLICATED, list.name + " gave " + id + ", not " + head);
      }
      list.sure.remove(id);
    }
  }

  // ---------------------------------------------------------------- the end

  /** Looks at every key once more, when nothing fails any more. */
  void judge() {
    List<Slot> all = new ArrayList<>();
    all.addAll(counters);
    all.addAll(pairs);
    all.addAll(texts);
    all.addAll(lists);
    // What was killed last may be on its way back: nothing is stuck that can be read soon.
    long deadline = System.nanoTime() + LAST_READ;
    for (Slot slot : all) {
      while (true) {
        try {
          judge(slot);
          break;
        } catch (Uncertain e) {
          if (System.nanoTime() > deadline) {
            ledger.wrong(
                Ledger.Wrong.STUCK,
                String.format(
                    Locale.ROOT, "%s can't be read at the end: %s", slot.name, e.getMessage()));
            break;
          }
          LockSupport.parkNanos(50_000_000);
        }
      }
    }
  }

  private void judge(Slot slot) throws Uncertain {
    if (pairs.contains(slot)) {
      List<?> both = Cluster.list(ask("MGET", slot.name + "a", slot.name + "b"));
      both((Counter) slot, number(both.get(0)), number(both.get(1)));
    } else if (slot instanceof Counter counter) {
      look(counter, number(ask("GET", counter.name)));
    } else if (slot instanceof Text text) {
      look(text, text(ask("GET", text.name)));
      if (text.possible.get(0) != null) {
        lives(text.name);
      }
    } else if (slot instanceof Pushes list && !list.mayBeGone) {
      look(list);
    }
  }
}
