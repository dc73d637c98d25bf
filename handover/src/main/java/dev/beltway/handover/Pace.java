package dev.beltway.handover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * How fast keys leave their sources, and how far each source is. All sources share two rates, in
 * keys and in bytes a second; keys that clients ask for count, so that the mover takes what they
 * leave. Beside that each source is spared: when it answers late, batches get smaller and pauses
 * longer, until it is quick again.
 *
 * <p>Thread-safe; time comes from outside.
 */
public final class Pace {

  private static final long NANOS_A_MILLI = 1_000_000;
  private static final long NANOS_A_MICRO = 1_000;

  /** How many bytes a source sends at once where nothing speaks against it. */
  static final int MOST_BYTES = 96 << 10;

  private static final int LEAST_BYTES = 8 << 10;

  /** A source that answers a small question later than this is spared. */
  private static final long LATE_MICROS = 1_000;

  /** How much longer than it has taken to answer it is left alone then. */
  private static final long SPARING = 8;

  /** A batch that takes longer than this is too large. */
  private static final long LONG_NANOS = NANOS_A_MILLI;

  /** What a key of a SCAN takes, from the question to the answer. */
  private static final long SCAN_NANOS = 2_000;

  private static final long MOST_REST_MILLIS = 200;
  private static final long PAUSE_MILLIS = 50;

  /** What clients have asked for beyond the rate is made up for this far. */
  private static final long MOST_DEBT_NANOS = 60_000 * NANOS_A_MILLI;

  /** A source that does not give its turn back, because it has ended, loses it. */
  private static final long TURN_NANOS = 2_000 * NANOS_A_MILLI;

  /** What was saved up while nothing moved can be used at once, this far. */
  private static final long BURST_NANOS = 20 * NANOS_A_MILLI;

  private final LongSupplier nanos;
  private final Map<String, Track> tracks = new TreeMap<>();

  private record Turn(String source, long since) {}

  /** By target, the source that sends to it now. */
  private final Map<String, Turn> sending = new TreeMap<>();

  private MoveOptions options = MoveOptions.USUAL;
  private long version = -1;
  private boolean paused;
  private long freeAt = Long.MIN_VALUE;

  /**
   * Where a walk is.
   *
   * @param database that is walked
   * @param cursor in it
   * @param passes that were ended
   * @param seen whether this pass has met a key that had to leave
   * @param covered how much of the pass is done, 0 to 1
   */
  public record Position(int database, String cursor, int passes, boolean seen, double covered) {

    /** At the beginning. */
    static final Position FIRST = new Position(0, "0", 0, false, 0);
  }

  /**
   * How far a source is.
   *
   * @param version of the state under which its keys move
   * @param source which
   * @param run its process
   * @param at where its walk is
   * @param keys that have left, by target, also because clients asked for them
   * @param bytes of those
   * @param latencyMicros of its answers to a small question, smoothed
   * @param batchBytes how much it sends at once
   * @param big the big key that is being copied; empty if none is
   * @param replaced keys that were at the target already
   */
  public record Track(
      long version,
      String source,
      String run,
      Position at,
      Map<String, Long> keys,
      Map<String, Long> bytes,
      long latencyMicros,
      int batchBytes,
      String big,
      List<String> replaced) {

    /** Copies the collections. */
    public Track {
      keys = Map.copyOf(keys);
      bytes = Map.copyOf(bytes);
      replaced = List.copyOf(replaced);
    }

    static Track begin(long version, String source, String run) {
      Map<String, Long> none = Map.of();
      return new Track(
          version, source, run, Position.FIRST, none, none, 0, MOST_BYTES, "", List.of());
    }

    Track at(Position next) {
      return new Track(
          version, source, run, next, keys, bytes, latencyMicros, batchBytes, big, replaced);
    }

    /** So many have left for a target. */
    Track counting(String target, long newKeys, long newBytes) {
      Map<String, Long> allKeys = new TreeMap<>(keys);
      Map<String, Long> allBytes = new TreeMap<>(bytes);
      allKeys.put(target, newKeys);
      allBytes.put(target, newBytes);
      return new Track(
          version, source, run, at, allKeys, allBytes, latencyMicros, batchBytes, big, replaced);
    }

    Track sized(long newLatency, int newBatch) {
      return new Track(version, source, run, at, keys, bytes, newLatency, newBatch, big, replaced);
    }

    Track copying(String key) {
      return new Track(
          version, source, run, at, keys, bytes, latencyMicros, batchBytes, key, replaced);
    }

    Track replacing(List<String> names) {
      return new Track(
          version, source, run, at, keys, bytes, latencyMicros, batchBytes, big, names);
    }

    /** All keys that have left. */
    public long allKeys() {
      return keys.values().stream().mapToLong(Long::longValue).sum();
    }

    /** All bytes that have left. */
    public long allBytes() {
      return bytes.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /**
   * A pace.
   *
   * @param nanos tells the time, as {@link System#nanoTime} does
   */
  public Pace(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** The state says how fast, whether at all, and whether it is still the same hand-over. */
  public synchronized void obey(ClusterState state) {
    MoveOptions wanted = state.change().map(Change::options).orElse(MoveOptions.USUAL);
    if (!wanted.equals(options)) {
      freeAt = Long.MIN_VALUE; // What was owed by another rate is not owed by this one.
      options = wanted;
    }
    paused = !state.pause().isEmpty();
    if (version != state.version() || state.phase() != Phase.MOVING) {
      tracks.clear();
      sending.clear();
      freeAt = Long.MIN_VALUE;
      version = state.phase() == Phase.MOVING ? state.version() : -1;
    }
  }

  /** Nothing is wanted any more from whoever walks by this pace. */
  public synchronized void end() {
    version = -1;
    paused = false;
    tracks.clear();
    sending.clear();
  }

  /** Tracks of an earlier leader, of the same version, are gone on with. */
  public synchronized void recall(List<Track> earlier) {
    for (Track track : earlier) {
      if (track.version() == version) {
        tracks.putIfAbsent(track.source(), track);
      }
    }
  }

  /** Where all sources are, by id. */
  public synchronized List<Track> tracks() {
    return new ArrayList<>(tracks.values());
  }

  /** Where a source is: where it was, if it is the same process. */
  synchronized Track track(long ofVersion, String source, String run) {
    Track known = tracks.get(source);
    if (known == null || !known.run().equals(run) || known.version() != ofVersion) {
      known = Track.begin(ofVersion, source, run);
      set(known);
    }
    return known;
  }

  synchronized void set(Track track) {
    if (track.version() == version) { // A walk of another version says nothing about this one.
      tracks.put(track.source(), track);
    }
  }

  /** Whether a walk under this version is still wanted. */
  synchronized boolean isOver(long ofVersion) {
    return version != ofVersion;
  }

  /** How long to wait before more leaves a source, in milliseconds. */
  public synchronized long delay() {
    if (paused) {
      return PAUSE_MILLIS;
    }
    long now = nanos.getAsLong();
    long wait = freeAt == Long.MIN_VALUE ? 0 : freeAt - now;
    return Math.min(Math.max(0, wait + NANOS_A_MILLI - 1) / NANOS_A_MILLI, 1_000);
  }

  /** How long a source is left alone, once, because it has just answered late. */
  synchronized long rest(String source) {
    Track track = tracks.get(source);
    return track == null ? 0 : rest(track.latencyMicros());
  }

  private static long rest(long micros) {
    return micros <= LATE_MICROS ? 0 : Math.min(MOST_REST_MILLIS, micros * SPARING / 1_000);
  }

  /**
   * How long a node is left alone that has just answered a SCAN: looking through all keys is never
   * urgent.
   *
   * @param since when it was asked
   * @param keys how many keys it was to look at
   */
  long restAfterScan(long since, int keys) {
    long micros = (nanos.getAsLong() - since) / NANOS_A_MICRO;
    return rest(micros - keys * SCAN_NANOS / 1_000);
  }

  /**
   * Whether a batch may be sent to a target now: one source at a time. A source waits for its
   * target while it sends, and answers nobody; two that send to the same one would wait for each
   * other.
   */
  synchronized boolean enter(String source, String target) {
    Turn other = sending.get(target);
    long now = nanos.getAsLong();
    boolean free =
        other == null || other.source().equals(source) || now - other.since() > TURN_NANOS;
    if (free) {
      sending.put(target, new Turn(source, now));
    }
    return free;
  }

  /** A batch has arrived, or has not: the next source may send one. */
  synchronized void leave(String source, String target) {
    Turn turn = sending.get(target);
    if (turn != null && turn.source().equals(source)) {
      sending.remove(target);
    }
  }

  /** A source's walk has ended, however it did. */
  public synchronized void leave(String source) {
    sending.values().removeIf(turn -> turn.source().equals(source));
  }

  /** Whether nothing moves because somebody wants it so. */
  synchronized boolean isPaused() {
    return paused;
  }

  /** The time, to be given back with what took it. */
  long begin() {
    return nanos.getAsLong();
  }

  /** How much a batch may have. */
  synchronized int batchBytes(String source) {
    Track track = tracks.get(source);
    int usual = track == null ? MOST_BYTES : track.batchBytes();
    if (options.bytesPerSecond() > 0) { // A batch is no more than a twentieth of a second's.
      usual = (int) Math.max(1, Math.min(usual, options.bytesPerSecond() / 20));
    }
    return usual;
  }

  /** How many keys a batch may have. */
  synchronized int batchKeys(int most) {
    return options.keysPerSecond() > 0
        ? (int) Math.max(1, Math.min(most, options.keysPerSecond() / 100))
        : most;
  }

  /** A source has answered a PING. */
  synchronized void answered(String source, long since) {
    Track track = tracks.get(source);
    if (track != null) {
      long micros = (nanos.getAsLong() - since) / NANOS_A_MICRO;
      long smooth = track.latencyMicros() == 0 ? micros : (track.latencyMicros() * 3 + micros) / 4;
      tracks.put(source, track.sized(smooth, track.batchBytes()));
    }
  }

  /** Keys have left: as many as are counted at the source now, also those of clients. */
  synchronized void moved(
      String source, String target, long totalKeys, long totalBytes, long since) {
    Track track = tracks.get(source);
    if (track == null) {
      return;
    }
    long keys = Math.max(0, totalKeys - track.keys().getOrDefault(target, 0L));
    long bytes = Math.max(0, totalBytes - track.bytes().getOrDefault(target, 0L));
    charge(keys, bytes);
    long took = nanos.getAsLong() - since;
    int next =
        took > LONG_NANOS
            ? Math.max(LEAST_BYTES, track.batchBytes() * 3 / 4)
            : Math.min(MOST_BYTES, track.batchBytes() + 2_048);
    tracks.put(source, track.sized(track.latencyMicros(), next));
    counted(source, target, totalKeys, totalBytes);
  }

  /** A part of a big key has left. */
  synchronized void copied(long bytes) {
    charge(0, bytes);
  }

  /** Keys are counted that were charged already. */
  synchronized void counted(String source, String target, long totalKeys, long totalBytes) {
    Track track = tracks.get(source);
    if (track != null) {
      tracks.put(source, track.counting(target, totalKeys, totalBytes));
    }
  }

  private void charge(long keys, long bytes) {
    long now = nanos.getAsLong();
    long cost = 0;
    if (options.keysPerSecond() > 0) {
      cost = (long) (keys * 1e9 / options.keysPerSecond());
    }
    if (options.bytesPerSecond() > 0) {
      cost = Math.max(cost, (long) (bytes * 1e9 / options.bytesPerSecond()));
    }
    if (cost > 0) {
      long from = freeAt == Long.MIN_VALUE ? now : Math.max(freeAt, now - BURST_NANOS);
      freeAt = Math.min(from + cost, now + MOST_DEBT_NANOS);
    }
  }
}
