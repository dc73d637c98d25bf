package dev.beltway.lab.replay;

import java.util.Arrays;

/**
 * A simulated cache: which keys are in it, without values. The key used longest ago goes first when
 * it is full. Keys are told apart by 64-bit hashes. Every operation takes O(1) expected time; an
 * entry takes about 70 bytes. Not thread-safe.
 */
final class LruCache {

  /** What {@link #use} returns for a key that isn't there. */
  static final long ABSENT = -1;

  private static final int NONE = -1;

  private final boolean byBytes;
  private long capacity;
  private long bytes;
  private int size;

  /** Open addressing, linear probing: an entry's number plus one, 0 for nothing. */
  private int[] table = new int[16];

  private long[] keys = new long[8];
  private long[] sizes = new long[8];
  private long[] expiries = new long[8];
  private long[] ttls = new long[8];
  private long[] used = new long[8];
  private int[] heirs = new int[8];
  private int[] newer = new int[8];
  private int[] older = new int[8];
  private int free = NONE;
  private int made;
  private int newest = NONE;
  private int oldest = NONE;

  /**
   * An empty cache.
   *
   * @param capacity 0 or more
   * @param byBytes whether the capacity is in bytes rather than entries
   */
  LruCache(long capacity, boolean byBytes) {
    this.capacity = capacity;
    this.byBytes = byBytes;
  }

  /** A cache with the same content, the same order and the same capacity. */
  LruCache copy() {
    LruCache copy = new LruCache(capacity, byBytes);
    forEach(copy::put);
    return copy;
  }

  /** Takes one entry after the other. */
  @FunctionalInterface
  interface EntryVisitor {
    /**
     * One entry.
     *
     * @param bytes its size
     * @param expiry when it ends, {@link Long#MAX_VALUE} for never
     * @param ttl for how long a value lives when it is stored anew, 0 for ever
     * @param stamp when it was used last
     * @param heir who is to have it after the change
     */
    void visit(long key, long bytes, long expiry, long ttl, long stamp, int heir);
  }

  /** All entries, the one used longest ago first. */
  void forEach(EntryVisitor visitor) {
    for (int entry = oldest; entry != NONE; entry = newer[entry]) {
      visitor.visit(
          keys[entry], sizes[entry], expiries[entry], ttls[entry], used[entry], heirs[entry]);
    }
  }

  /** Empties it. */
  void clear() {
    Arrays.fill(table, 0);
    size = 0;
    bytes = 0;
    made = 0;
    free = NONE;
    newest = NONE;
    oldest = NONE;
  }

  /** Gives it another capacity; what doesn't fit any more goes. */
  void resize(long newCapacity) {
    capacity = newCapacity;
    evict();
  }

  int size() {
    return size;
  }

  long bytes() {
    return bytes;
  }

  /**
   * Asks for a key.
   *
   * @param now the time; a key whose time is over isn't there any more
   * @param stamp to remember as its last use
   * @return the stamp of its use before, or {@link #ABSENT}
   */
  long use(long key, long now, long stamp) {
    int entry = find(key);
    if (entry == NONE || expiries[entry] <= now) {
      return ABSENT;
    }
    long before = used[entry];
    used[entry] = stamp;
    unlink(entry);
    link(entry);
    return before;
  }

  /**
   * When the key's value ends; {@link Long#MAX_VALUE} for never, and for a key that isn't there.
   */
  long expiry(long key) {
    int entry = find(key);
    return entry == NONE ? Long.MAX_VALUE : expiries[entry];
  }

  /** Gives a key that is there another time to end. */
  void expire(long key, long now, long expiry, long ttl) {
    int entry = find(key);
    if (entry != NONE && expiries[entry] > now) {
      expiries[entry] = expiry;
      ttls[entry] = ttl;
    }
  }

  /** Whether a key is there and its time isn't over. */
  boolean has(long key, long now) {
    int entry = find(key);
    return entry != NONE && expiries[entry] > now;
  }

  /** The TTL that the key was stored with, though its time may be over; 0 if it isn't there. */
  long ttl(long key) {
    int entry = find(key);
    return entry == NONE ? 0 : ttls[entry];
  }

  /** Stores a key as the newest. One that is larger than the whole cache isn't kept. */
  void put(long key, long newBytes, long expiry, long ttl, long stamp, int heir) {
    remove(key);
    if (capacity < (byBytes ? newBytes : 1)) {
      return;
    }
    int entry = free;
    if (entry != NONE) {
      free = newer[entry];
    } else {
      entry = made++;
      if (entry == keys.length) {
        grow();
      }
    }
    keys[entry] = key;
    sizes[entry] = newBytes;
    expiries[entry] = expiry;
    ttls[entry] = ttl;
    used[entry] = stamp;
    heirs[entry] = heir;
    link(entry);
    size++;
    bytes += newBytes;
    if (2 * size > table.length) {
      rehash();
    } else {
      insert(entry);
    }
    evict();
  }

  /** Takes a key out, if it is there. */
  void remove(long key) {
    int slot = slotOf(key);
    if (table[slot] == 0) {
      return;
    }
    int entry = table[slot] - 1;
    close(slot);
    unlink(entry);
    size--;
    bytes -= sizes[entry];
    newer[entry] = free;
    free = entry;
  }

  private void evict() {
    while (oldest != NONE && (byBytes ? bytes : size) > capacity) {
      remove(keys[oldest]);
    }
  }

  private int find(long key) {
    return table[slotOf(key)] - 1;
  }

  private int home(long key) {
    // Keys are hashes, but those of one node needn't be spread over the low bits.
    return (int) ((key * 0x9e3779b97f4a7c15L) >>> 32) & (table.length - 1);
  }

  private int slotOf(long key) {
    int slot = home(key);
    while (table[slot] != 0 && keys[table[slot] - 1] != key) {
      slot = (slot + 1) & (table.length - 1);
    }
    return slot;
  }

  private void insert(int entry) {
    table[slotOf(keys[entry])] = entry + 1;
  }

  /** Empties a slot and moves up those that had to go past it (Knuth, 6.4, algorithm R). */
  private void close(int slot) {
    int mask = table.length - 1;
    int hole = slot;
    int at = slot;
    while (true) {
      at = (at + 1) & mask;
      if (table[at] == 0) {
        break;
      }
      int home = home(keys[table[at] - 1]);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        table[hole] = table[at];
        hole = at;
      }
    }
    table[hole] = 0;
  }

  private void link(int entry) {
    older[entry] = newest;
    newer[entry] = NONE;
    if (newest != NONE) {
      newer[newest] = entry;
    } else {
      oldest = entry;
    }
    newest = entry;
  }

  private void unlink(int entry) {
    if (older[entry] != NONE) {
      newer[older[entry]] = newer[entry];
    } else {
      oldest = newer[entry];
    }
    if (newer[entry] != NONE) {
      older[newer[entry]] = older[entry];
    } else {
      newest = older[entry];
    }
  }

  private void grow() {
    int length = 2 * keys.length;
    keys = Arrays.copyOf(keys, length);
    sizes = Arrays.copyOf(sizes, length);
    expiries = Arrays.copyOf(expiries, length);
    ttls = Arrays.copyOf(ttls, length);
    used = Arrays.copyOf(used, length);
    heirs = Arrays.copyOf(heirs, length);
    newer = Arrays.copyOf(newer, length);
    older = Arrays.copyOf(older, length);
  }

  private void rehash() {
    table = new int[2 * table.length];
    for (int entry = oldest; entry != NONE; entry = newer[entry]) {
      insert(entry);
    }
  }
}
