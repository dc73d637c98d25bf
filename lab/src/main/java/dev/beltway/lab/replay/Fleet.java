package dev.beltway.lab.replay;

import dev.beltway.placement.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The nodes of two topologies, numbered, and how large the cache of each is in either. */
final class Fleet {

  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final CacheSize size;
  private final int[] ownersBefore;
  private final int[] ownersAfter;
  private final long[] before;
  private final long[] after;

  Fleet(Strategy strategy, CacheSize size) {
    Stream.of(strategy.before(), strategy.after())
        .flatMap(placement -> placement.owners().stream())
        .forEach(node -> numbers.putIfAbsent(node.id(), numbers.size()));
    this.size = size;
    this.ownersBefore = numbers(strategy.before());
    this.ownersAfter = numbers(strategy.after());
    Map<String, Long> sizes = size.of(strategy.weightsBefore());
    Map<String, Long> sizesAfter = size.of(strategy.weightsAfter());
    this.before = new long[numbers.size()];
    this.after = new long[numbers.size()];
    numbers.forEach(
        (id, number) -> {
          long first = sizes.getOrDefault(id, 0L);
          long then = sizesAfter.getOrDefault(id, 0L);
          before[number] = first > 0 ? first : then;
          // A node that has left or is drained keeps what it has, and may still be asked.
          after[number] = then > 0 ? then : first;
        });
  }

  private int[] numbers(Placement placement) {
    return placement.owners().stream()
        .mapToInt(node -> numbers.getOrDefault(node.id(), -1))
        .toArray();
  }

  /** The number of the node that owns something before the change, by its index as owner. */
  int ownerBefore(int index) {
    return ownersBefore[index];
  }

  /** The number of the node that owns something after the change, by its index as owner. */
  int ownerAfter(int index) {
    return ownersAfter[index];
  }

  /** Empty caches, one a node, of the size before the change. */
  LruCache[] empty() {
    return IntStream.range(0, before.length)
        .mapToObj(i -> new LruCache(before[i], size.unit() == CacheSize.Unit.BYTES))
        .toArray(LruCache[]::new);
  }

  /** Gives the caches the sizes after the change. */
  void resize(LruCache[] caches) {
    for (int i = 0; i < caches.length; i++) {
      caches[i].resize(after[i]);
    }
  }

  /**
   * What was moved.
   *
   * @param keys how many
   * @param bytes of keys and values
   */
  record Moved(long keys, long bytes) {}

  private record Entry(
      long key, long bytes, long expiry, long ttl, long stamp, int heir, boolean moves) {}

  /** Moves each key to its heir; which keys a full cache gives up is a matter of their last use. */
  Moved move(LruCache[] caches, long now) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < caches.length; i++) {
      int here = i;
      caches[i].forEach(
          (key, bytes, expiry, ttl, stamp, heir) -> {
            if (expiry > now) {
              entries.add(new Entry(key, bytes, expiry, ttl, stamp, heir, heir != here));
            }
          });
      caches[i].clear();
    }
    resize(caches);
    entries.sort(Comparator.comparingLong(Entry::stamp));
    long keys = 0;
    long bytes = 0;
    for (Entry entry : entries) {
      caches[entry.heir].put(
          entry.key, entry.bytes, entry.expiry, entry.ttl, entry.stamp, entry.heir);
      keys += entry.moves ? 1 : 0;
      bytes += entry.moves ? entry.bytes : 0;
    }
    return new Moved(keys, bytes);
  }
}
