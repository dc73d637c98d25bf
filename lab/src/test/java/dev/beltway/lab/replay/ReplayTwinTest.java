package dev.beltway.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Requests;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The replay beside a dumb twin: lists that are searched, one request after the other. */
class ReplayTwinTest {

  private record Step(
      String key, Operation operation, long count, long size, long time, long ttl) {}

  /** One entry of a cache; the list that it is in begins with the one used longest ago. */
  private static final class Entry {
    private final String key;
    private long bytes;
    private long expiry;
    private long ttl;
    private long used;

    Entry(String key) {
      this.key = key;
    }

    Entry copy() {
      Entry copy = new Entry(key);
      copy.bytes = bytes;
      copy.expiry = expiry;
      copy.ttl = ttl;
      copy.used = used;
      return copy;
    }
  }

  private static final class Twin {

    private final Mode mode;
    private final Strategy strategy;
    private final boolean byBytes;
    private final Map<String, List<Entry>> caches = new HashMap<>();
    private final Map<String, Long> capacities = new HashMap<>();
    private boolean changed;
    private long stamp;
    private long reads;
    private long hits;
    private long oldReads;

    Twin(Mode mode, Strategy strategy, CacheSize size) {
      this.mode = mode;
      this.strategy = strategy;
      this.byBytes = size.unit() == CacheSize.Unit.BYTES;
      sizes(size.of(strategy.weightsAfter()));
      sizes(size.of(strategy.weightsBefore()));
    }

    /** A node without weight keeps the size that it has. */
    private void sizes(Map<String, Long> sizes) {
      sizes.forEach(
          (id, amount) -> {
            if (amount > 0 || !capacities.containsKey(id)) {
              capacities.put(id, amount);
            }
          });
    }

    private List<Entry> cache(String node) {
      return caches.computeIfAbsent(node, id -> new ArrayList<>());
    }

    private String before(String key) {
      return strategy.before().owner(key).id();
    }

    private String after(String key) {
      return strategy.after().owner(key).id();
    }

    private String owner(String key) {
      return changed ? after(key) : before(key);
    }

    private static Entry find(List<Entry> cache, String key) {
      return cache.stream().filter(e -> e.key.equals(key)).findFirst().orElse(new Entry(""));
    }

    private static boolean lives(Entry entry, long now) {
      return !entry.key.isEmpty() && entry.expiry > now;
    }

    private void put(String node, Entry entry) {
      List<Entry> cache = cache(node);
      cache.removeIf(e -> e.key.equals(entry.key));
      long capacity = capacities.getOrDefault(node, 0L);
      if (capacity >= (byBytes ? entry.bytes : 1)) {
        cache.add(entry);
        trim(cache, capacity);
      }
    }

    private void trim(List<Entry> cache, long capacity) {
      Iterator<Entry> oldest = new ArrayList<>(cache).iterator();
      while ((byBytes ? cache.stream().mapToLong(e -> e.bytes).sum() : cache.size()) > capacity) {
        cache.remove(oldest.next());
      }
    }

    void change(CacheSize size, long now) {
      changed = true;
      sizes(size.of(strategy.weightsAfter()));
      if (mode != Mode.LIVE) {
        caches.forEach((node, cache) -> trim(cache, capacities.getOrDefault(node, 0L)));
        return;
      }
      List<Entry> all = new ArrayList<>();
      caches.values().forEach(all::addAll);
      caches.clear();
      all.removeIf(e -> e.expiry <= now);
      all.sort(Comparator.comparingLong(e -> e.used));
      all.forEach(e -> put(after(e.key), e.copy()));
    }

    void step(Step step, long keptTtl) {
      for (long i = 0; i < step.count; i++) {
        once(step, keptTtl);
        stamp++;
      }
    }

    private void once(Step step, long keptTtl) {
      String node = owner(step.key);
      boolean two = changed && mode == Mode.WARM && !before(step.key).equals(after(step.key));
      Entry mine = find(cache(node), step.key);
      Entry old = two ? find(cache(before(step.key)), step.key) : new Entry("");
      Entry fresh = new Entry(step.key);
      fresh.bytes = step.key.length() + step.size;
      fresh.used = stamp;
      fresh.expiry = Long.MAX_VALUE;
      switch (step.operation) {
        case READ -> {
          reads++;
          if (lives(mine, step.time)) {
            hits++;
            mine.used = stamp;
            cache(node).remove(mine);
            cache(node).add(mine);
            return;
          }
          oldReads += two ? 1 : 0;
          if (lives(old, step.time)) {
            hits++;
            old.used = stamp;
            cache(before(step.key)).remove(old);
            cache(before(step.key)).add(old);
            fresh.expiry = old.expiry;
            fresh.ttl = old.ttl;
          } else {
            fresh.ttl = step.ttl > 0 ? step.ttl : keptTtl;
            fresh.expiry = fresh.ttl == 0 ? Long.MAX_VALUE : step.time + fresh.ttl;
          }
          put(node, fresh);
        }
        case WRITE -> {
          fresh.ttl = step.ttl;
          fresh.expiry = step.ttl == 0 ? Long.MAX_VALUE : step.time + step.ttl;
          put(node, fresh);
          cache(before(step.key)).removeIf(e -> two && e.key.equals(step.key));
        }
        case MODIFY -> {
          Entry holder = lives(mine, step.time) ? mine : old;
          if (lives(holder, step.time)) {
            fresh.ttl = holder.ttl;
            fresh.expiry = holder.expiry;
          }
          put(node, fresh);
          cache(before(step.key)).removeIf(e -> two && e.key.equals(step.key));
        }
        case EXPIRE -> {
          for (Entry entry : List.of(mine, old)) {
            if (lives(entry, step.time)) {
              entry.ttl = step.ttl;
              entry.expiry = step.ttl == 0 ? Long.MAX_VALUE : step.time + step.ttl;
            }
          }
        }
        case DELETE -> {
          cache(node).removeIf(e -> e.key.equals(step.key));
          cache(before(step.key)).removeIf(e -> two && e.key.equals(step.key));
        }
        case OTHER -> {}
      }
    }
  }

  private static Topology topology(Random random, int nodes) {
    List<Node> list = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    while (list.size() < nodes) {
      String id = "node-" + random.nextInt(8);
      if (ids.add(id)) {
        list.add(Node.of(id).withWeight(list.isEmpty() ? 1 : random.nextInt(4)));
      }
    }
    return new Topology(1, RingRule.DEFAULT.withVnodes(20), list);
  }

  @Test
  void everyModeIsAsTheTwinHasIt() {
    for (long seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      Topology before = topology(random, 1 + random.nextInt(4));
      Topology after = topology(random, 1 + random.nextInt(5));
      CacheSize.Unit unit = random.nextBoolean() ? CacheSize.Unit.BYTES : CacheSize.Unit.ENTRIES;
      long amount = 1L + random.nextInt(unit == CacheSize.Unit.BYTES ? 900 : 30);
      CacheSize size =
          random.nextInt(4) == 0
              ? CacheSize.UNLIMITED
              : new CacheSize(amount, unit, random.nextBoolean());
      int at = random.nextInt(300);
      List<Strategy> strategies = Strategy.of(before, after);
      Replay replay = new Replay(strategies, size, at, 10);
      List<Step> steps = new ArrayList<>();
      long time = 0;
      long requests = 0;
      while (requests < 400) {
        time += random.nextInt(3) * 500L;
        Operation operation =
            random.nextInt(3) > 0
                ? Operation.READ
                : List.of(Operation.values()).get(random.nextInt(Operation.values().length));
        boolean changes = requests < at && requests + 3 > at;
        long count = changes || random.nextInt(5) > 0 ? 1 : 1 + random.nextInt(3);
        steps.add(
            new Step(
                "k" + (int) Math.abs(random.nextGaussian() * 20),
                operation,
                count,
                random.nextInt(60),
                time,
                random.nextInt(4) == 0 ? 1_000 * (1L + random.nextInt(9)) : 0));
        requests += count;
      }
      for (Step step : steps) {
        replay.add(
            Requests.request(step.key, step.operation, step.count, step.size, step.time, step.ttl));
      }
      ReplayResult result = replay.result().orElseThrow();
      for (ReplayResult.Comparison comparison : result.comparisons()) {
        List<Outcome> outcomes = new ArrayList<>(comparison.changed());
        outcomes.add(comparison.unchanged());
        Map<Mode, Twin> twins = new HashMap<>();
        for (Mode mode : Mode.values()) {
          twins.put(mode, new Twin(mode, comparison.strategy(), size));
        }
        long number = 0;
        for (Step step : steps) {
          Twin unchanged =
              twins.getOrDefault(Mode.UNCHANGED, new Twin(Mode.COLD, comparison.strategy(), size));
          if (number == at) {
            for (Twin twin : twins.values()) {
              if (twin.mode != Mode.UNCHANGED) {
                twin.change(size, changeTime(steps, at));
              }
            }
          }
          long kept = Twin.find(unchanged.cache(unchanged.before(step.key)), step.key).ttl;
          twins.values().forEach(twin -> twin.step(step, kept));
          number += step.count;
        }
        for (Outcome outcome : outcomes) {
          Twin twin =
              twins.getOrDefault(outcome.mode(), new Twin(Mode.COLD, comparison.strategy(), size));
          String what = "seed " + seed + " " + outcome.strategy() + " " + outcome.mode();
          Window all = outcome.before().plus(outcome.after());
          assertThat(all.requests()).as(what).isEqualTo(requests);
          assertThat(all.reads()).as(what).isEqualTo(twin.reads);
          assertThat(all.hits()).as(what + " hits").isEqualTo(twin.hits);
          assertThat(all.oldReads()).as(what + " old reads").isEqualTo(twin.oldReads);
          long entries = twin.caches.values().stream().mapToLong(List::size).sum();
          assertThat(outcome.entries()).as(what + " entries").isEqualTo(entries);
        }
      }
    }
  }

  /** The time of the request with which the change comes. */
  private static long changeTime(List<Step> steps, int at) {
    long number = 0;
    for (Step step : steps) {
      if (number == at) {
        return step.time;
      }
      number += step.count;
    }
    throw new AssertionError("no step begins at the change");
  }
}
