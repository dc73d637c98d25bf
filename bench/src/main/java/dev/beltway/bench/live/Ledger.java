package dev.beltway.bench.live;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** What clients did, what was done to the cluster, and what went wrong. Thread-safe. */
final class Ledger {

  /** What must never happen. */
  enum Wrong {
    /** Something that was acknowledged is not there. */
    LOST,
    /** Something that was deleted is there again. */
    RESURRECTED,
    /** Something that was done once has been done twice. */
    DUPLICATED,
    /** An earlier value is read than the one that was acknowledged. */
    STALE,
    /** A time to live is gone. */
    IMMORTAL,
    /** A change or a client doesn't come to an end. */
    STUCK
  }

  private static final int MOST_EXAMPLES = 20;

  final AtomicLong operations = new AtomicLong();
  final AtomicLong acknowledged = new AtomicLong();
  final AtomicLong uncertain = new AtomicLong();
  final AtomicLong tryAgain = new AtomicLong();
  private final Map<Wrong, Long> wrong = new EnumMap<>(Wrong.class);
  private final Map<String, Long> faults = new TreeMap<>();
  private final Map<String, Long> changes = new TreeMap<>();
  private final List<String> examples = new ArrayList<>();

  synchronized void wrong(Wrong kind, String what) {
    wrong.merge(kind, 1L, Long::sum);
    if (examples.size() < MOST_EXAMPLES) {
      examples.add(kind + ": " + what);
    }
    System.out.println("!!! " + kind + ": " + what);
  }

  synchronized void fault(String kind) {
    faults.merge(kind, 1L, Long::sum);
  }

  synchronized void change(String kind) {
    changes.merge(kind, 1L, Long::sum);
  }

  synchronized boolean isClean() {
    return wrong.isEmpty();
  }

  synchronized void print() {
    System.out.printf(
        "%,d operations, %,d acknowledged, %,d of unknown outcome, %,d times told to try again%n",
        operations.get(), acknowledged.get(), uncertain.get(), tryAgain.get());
    System.out.println("faults: " + faults);
    System.out.println("changes: " + changes);
    StringBuilder line = new StringBuilder();
    for (Wrong kind : Wrong.values()) {
      line.append(line.isEmpty() ? "" : ", ").append(wrong.getOrDefault(kind, 0L)).append(' ');
      line.append(kind.name().toLowerCase(java.util.Locale.ROOT));
    }
    System.out.println(line);
    examples.forEach(each -> System.out.println("  " + each));
  }
}
