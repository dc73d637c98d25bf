package dev.beltway.lab.replay;

import dev.beltway.lab.log.Operation;

/** One run of the caches of one strategy in one mode. */
final class Course {

  /**
   * A request, looked up.
   *
   * @param key its hash
   * @param count how many equal ones
   * @param bytes of key and value
   * @param ttl that the request states, 0 if none
   * @param keptTtl that the key was stored with last, as far as the unchanged caches know
   * @param now the time
   * @param stamp its number in the log
   * @param ownerBefore the number of its node before the change
   * @param ownerAfter the number of its node after it
   */
  record Asked(
      long key,
      Operation operation,
      long count,
      long bytes,
      long ttl,
      long keptTtl,
      long now,
      long stamp,
      int ownerBefore,
      int ownerAfter) {}

  /**
   * What the caches answered.
   *
   * @param hits of the count
   * @param stampBefore the number of the key's last request before, if the first was a hit
   */
  record Answer(long hits, long stampBefore) {}

  private final Mode mode;
  private final LruCache[] caches;
  private final Windows windows;
  private boolean changed;
  private long oldReads;
  private Fleet.Moved moved = new Fleet.Moved(0, 0);

  Course(LruCache[] caches, long window) {
    this(Mode.UNCHANGED, caches, new Windows(window));
  }

  private Course(Mode mode, LruCache[] caches, Windows windows) {
    this.mode = mode;
    this.caches = caches;
    this.windows = windows;
  }

  /** What becomes of this course if the topology changes now; itself goes on without a change. */
  Course fork(Mode how, Fleet fleet, long now) {
    LruCache[] copies = new LruCache[caches.length];
    for (int i = 0; i < copies.length; i++) {
      copies[i] = caches[i].copy();
    }
    Course fork = new Course(how, copies, windows.copy());
    fork.changed = true;
    if (how == Mode.LIVE) {
      fork.moved = fleet.move(copies, now);
    } else {
      fleet.resize(copies);
    }
    return fork;
  }

  /** Runs one request. */
  Answer ask(Asked asked) {
    int owner = changed ? asked.ownerAfter : asked.ownerBefore;
    LruCache cache = caches[owner];
    boolean twoOwners = changed && mode == Mode.WARM && asked.ownerBefore != asked.ownerAfter;
    oldReads = 0;
    switch (asked.operation) {
      case READ -> {
        return read(asked, cache, twoOwners);
      }
      case WRITE -> {
        store(cache, asked, asked.ttl);
        removeOld(asked, twoOwners);
      }
      case MODIFY -> {
        LruCache holder = holder(asked, cache, twoOwners);
        long expiry = holder.expiry(asked.key);
        boolean lives = expiry > asked.now;
        cache.put(
            asked.key,
            asked.bytes,
            lives ? expiry : Long.MAX_VALUE,
            lives ? holder.ttl(asked.key) : 0,
            asked.stamp,
            asked.ownerAfter);
        removeOld(asked, twoOwners);
      }
      case EXPIRE -> {
        cache.expire(asked.key, asked.now, expiry(asked, asked.ttl), asked.ttl);
        if (twoOwners) { // Or the old owner's copy would outlive this one's.
          caches[asked.ownerBefore].expire(
              asked.key, asked.now, expiry(asked, asked.ttl), asked.ttl);
        }
      }
      case DELETE -> {
        cache.remove(asked.key);
        removeOld(asked, twoOwners);
      }
      case OTHER -> {}
    }
    return new Answer(0, LruCache.ABSENT);
  }

  /** Whose value it is: the old owner's as long as the new one has none. */
  private LruCache holder(Asked asked, LruCache cache, boolean twoOwners) {
    return twoOwners && !cache.has(asked.key, asked.now) ? caches[asked.ownerBefore] : cache;
  }

  private Answer read(Asked asked, LruCache cache, boolean twoOwners) {
    long first = readOnce(asked, cache, twoOwners);
    long hits = first == LruCache.ABSENT ? 0 : 1;
    if (asked.count > 1) {
      long oldReadsBefore = oldReads;
      long second = readOnce(asked, cache, twoOwners);
      // From here on nothing changes: each further one goes as the second did.
      hits += second == LruCache.ABSENT ? 0 : asked.count - 1;
      oldReads += (oldReads - oldReadsBefore) * (asked.count - 2);
    }
    return new Answer(hits, first);
  }

  private long readOnce(Asked asked, LruCache cache, boolean twoOwners) {
    long before = cache.use(asked.key, asked.now, asked.stamp);
    if (before == LruCache.ABSENT && twoOwners) {
      before = readOld(asked, cache);
    }
    if (before == LruCache.ABSENT) {
      store(cache, asked, asked.ttl == 0 ? asked.keptTtl : asked.ttl);
    }
    return before;
  }

  private long readOld(Asked asked, LruCache cache) {
    oldReads++;
    LruCache old = caches[asked.ownerBefore];
    long before = old.use(asked.key, asked.now, asked.stamp);
    if (before != LruCache.ABSENT) {
      cache.put(
          asked.key,
          asked.bytes,
          old.expiry(asked.key),
          old.ttl(asked.key),
          asked.stamp,
          asked.ownerAfter);
    }
    return before;
  }

  private void removeOld(Asked asked, boolean twoOwners) {
    if (twoOwners) {
      caches[asked.ownerBefore].remove(asked.key);
    }
  }

  private static void store(LruCache cache, Asked asked, long ttl) {
    cache.put(asked.key, asked.bytes, expiry(asked, ttl), ttl, asked.stamp, asked.ownerAfter);
  }

  private static long expiry(Asked asked, long ttl) {
    return ttl == 0 ? Long.MAX_VALUE : asked.now + ttl;
  }

  /** The TTL that a key was stored with, though its time may be over; 0 if it isn't there. */
  long ttl(long key, int owner) {
    return caches[owner].ttl(key);
  }

  /**
   * Notes what came of a request.
   *
   * @param number of the request relative to the change
   * @param wanted how many reads the unchanged caches answered
   * @param first whether the first of them was their key's first since the change
   */
  void note(long number, Asked asked, Answer answer, long wanted, boolean first) {
    if (asked.operation == Operation.READ) {
      boolean firstLost = first && answer.stampBefore == LruCache.ABSENT;
      windows.add(
          number,
          new Window(
              number,
              asked.count,
              asked.count,
              answer.hits,
              oldReads,
              wanted,
              Math.max(0, wanted - answer.hits),
              first ? 1 : 0,
              firstLost ? 1 : 0));
    } else {
      windows.add(number, new Window(number, asked.count, 0, 0, 0, 0, 0, 0, 0));
    }
  }

  Outcome outcome(String strategy) {
    long entries = 0;
    for (LruCache cache : caches) {
      entries += cache.size();
    }
    return new Outcome(
        strategy, mode, windows.list(), windows.size(), moved.keys(), moved.bytes(), entries);
  }
}
