package dev.beltway.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LruCacheTest {

  /** The same by the JDK's linked map. */
  private static final class Twin {

    private record Entry(long bytes, long expiry, long ttl, long stamp, int heir) {}

    private final LinkedHashMap<Long, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final boolean byBytes;
    private long capacity;

    Twin(long capacity, boolean byBytes) {
      this.capacity = capacity;
      this.byBytes = byBytes;
    }

    long use(long key, long now, long stamp) {
      Entry is = peek(key);
      if (is == null || is.expiry <= now) {
        return LruCache.ABSENT;
      }
      entries.remove(key);
      entries.put(key, new Entry(is.bytes, is.expiry, is.ttl, stamp, is.heir));
      return is.stamp;
    }

    /** Without touching the order. */
    private @Nullable Entry peek(long key) {
      for (Map.Entry<Long, Entry> entry : entries.entrySet()) {
        if (entry.getKey() == key) {
          return entry.getValue();
        }
      }
      return null;
    }

    void put(long key, long bytes, long expiry, long ttl, long stamp, int heir) {
      entries.remove(key);
      if (capacity >= (byBytes ? bytes : 1)) {
        entries.put(key, new Entry(bytes, expiry, ttl, stamp, heir));
        evict();
      }
    }

    void resize(long newCapacity) {
      capacity = newCapacity;
      evict();
    }

    private void evict() {
      Iterator<Entry> oldest = entries.values().iterator();
      while (weight() > capacity) {
        oldest.next();
        oldest.remove();
      }
    }

    private long weight() {
      return byBytes ? entries.values().stream().mapToLong(e -> e.bytes).sum() : entries.size();
    }

    List<String> content() {
      List<String> content = new ArrayList<>();
      entries.forEach((key, e) -> content.add(key + " " + e));
      return content;
    }
  }

  private static List<String> content(LruCache cache) {
    List<String> content = new ArrayList<>();
    cache.forEach(
        (key, bytes, expiry, ttl, stamp, heir) ->
            content.add(key + " " + new Twin.Entry(bytes, expiry, ttl, stamp, heir)));
    return content;
  }

  @Test
  void theSameAsTheTwinWhateverIsDone() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      boolean byBytes = random.nextBoolean();
      long capacity = random.nextInt(byBytes ? 2_000 : 60);
      LruCache cache = new LruCache(capacity, byBytes);
      Twin twin = new Twin(capacity, byBytes);
      int keys = 1 + random.nextInt(120);
      for (int step = 0; step < 2_000; step++) {
        // Hashes that fall onto each other's places as well.
        long key = (long) random.nextInt(keys) << (random.nextInt(2) * 40);
        String what = "seed " + seed + " step " + step;
        switch (random.nextInt(12)) {
          case 0 -> {
            cache.remove(key);
            twin.entries.remove(key);
          }
          case 1 -> {
            if (random.nextInt(20) == 0) {
              long other = random.nextInt(byBytes ? 2_000 : 60);
              cache.resize(other);
              twin.resize(other);
            }
          }
          case 2 -> {
            if (random.nextInt(50) == 0) {
              cache.clear();
              twin.entries.clear();
            } else if (random.nextInt(10) == 0) {
              cache = cache.copy();
            }
          }
          case 3, 4, 5, 6 -> {
            long bytes = random.nextInt(200);
            long expiry = random.nextInt(3) == 0 ? step + random.nextInt(300) : Long.MAX_VALUE;
            long ttl = random.nextInt(5);
            cache.put(key, bytes, expiry, ttl, step, step % 7);
            twin.put(key, bytes, expiry, ttl, step, step % 7);
          }
          default ->
              assertThat(cache.use(key, step, step)).as(what).isEqualTo(twin.use(key, step, step));
        }
        assertThat(cache.size()).as(what).isEqualTo(twin.entries.size());
        if (step % 50 == 0) {
          assertThat(content(cache)).as(what).isEqualTo(twin.content());
          assertThat(cache.bytes())
              .isEqualTo(twin.entries.values().stream().mapToLong(e -> e.bytes).sum());
        }
      }
    }
  }

  @Test
  void theKeyUsedLongestAgoGoes() {
    LruCache cache = new LruCache(2, false);
    cache.put(1, 0, Long.MAX_VALUE, 0, 1, 0);
    cache.put(2, 0, Long.MAX_VALUE, 0, 2, 0);
    assertThat(cache.use(1, 0, 3)).isEqualTo(1);
    cache.put(3, 0, Long.MAX_VALUE, 0, 4, 0);
    assertThat(cache.use(2, 0, 5)).isEqualTo(LruCache.ABSENT);
    assertThat(cache.use(1, 0, 6)).isEqualTo(3);
  }

  @Test
  void whatIsLargerThanAllIsNotKeptNorIsWhatItReplaces() {
    LruCache cache = new LruCache(100, true);
    cache.put(1, 60, Long.MAX_VALUE, 0, 1, 0);
    cache.put(2, 40, Long.MAX_VALUE, 0, 1, 0);
    cache.put(1, 101, Long.MAX_VALUE, 0, 2, 0);
    assertThat(cache.use(1, 0, 3)).isEqualTo(LruCache.ABSENT);
    assertThat(cache.use(2, 0, 3)).isEqualTo(1);
    assertThat(cache.bytes()).isEqualTo(40);
  }

  @Test
  void aKeyWhoseTimeIsOverRemembersItsTtl() {
    LruCache cache = new LruCache(10, false);
    cache.put(1, 0, 100, 50, 1, 0);
    assertThat(cache.use(1, 99, 2)).isEqualTo(1);
    assertThat(cache.use(1, 100, 3)).isEqualTo(LruCache.ABSENT);
    assertThat(cache.ttl(1)).isEqualTo(50);
    assertThat(cache.ttl(2)).isZero();
  }
}
