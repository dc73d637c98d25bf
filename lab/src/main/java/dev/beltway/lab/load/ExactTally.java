package dev.beltway.lab.load;

import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells keys apart by keeping them all: the dumb twin of the sketches, for small logs. */
final class ExactTally implements KeyTally {

  private final Map<Key, Totals> keys = new HashMap<>();
  private final long mostKeys;
  private final long mostBytes;
  private final long[] keysOf;
  private final long[] keysAfterOf;
  private long moved;
  private long keyBytes;

  private static final class Totals {
    private long requests;
    private long bytes;
    private long reads;

    long of(Measure measure) {
      return measure == Measure.REQUESTS ? requests : bytes;
    }
  }

  ExactTally(int owners, int ownersAfter, long mostKeys, long mostBytes) {
    this.keysOf = new long[owners];
    this.keysAfterOf = new long[ownersAfter];
    this.mostKeys = mostKeys;
    this.mostBytes = mostBytes;
  }

  @Override
  public void add(Request request, long hash, int owner, int ownerAfter, boolean moves) {
    Key key = Key.of(request);
    Totals totals = keys.get(key);
    if (totals == null) {
      keyBytes += key.length();
      if (keys.size() == mostKeys || keyBytes > mostBytes) {
        throw new TooManyKeysException(mostKeys, mostBytes);
      }
      totals = new Totals();
      keys.put(key, totals);
      keysOf[owner]++;
      if (keysAfterOf.length > 0) {
        keysAfterOf[ownerAfter]++;
      }
      moved += moves ? 1 : 0;
    }
    totals.requests += request.count();
    totals.bytes += request.count() * request.size();
    totals.reads += request.operation() == Operation.READ ? request.count() : 0;
  }

  @Override
  public Count keys(int owner) {
    return Count.exactly(keysOf[owner]);
  }

  @Override
  public Count keysAfter(int owner) {
    return Count.exactly(keysAfterOf[owner]);
  }

  @Override
  public Count allKeys() {
    return Count.exactly(keys.size());
  }

  @Override
  public Count movedKeys() {
    return Count.exactly(moved);
  }

  @Override
  public List<Frequency> largest(Measure measure, int most) {
    return keys.entrySet().stream()
        .filter(entry -> entry.getValue().of(measure) > 0)
        .map(
            entry ->
                new Frequency(
                    entry.getKey(),
                    Count.exactly(entry.getValue().of(measure)),
                    entry.getValue().reads / (double) entry.getValue().requests))
        .sorted(HotKeySketch.LARGEST_FIRST)
        .limit(most)
        .toList();
  }

  @Override
  public long largestError(Measure measure) {
    return 0;
  }

  @Override
  public boolean isCertain(Measure measure) {
    return true;
  }

  @Override
  public long missedBelow(Measure measure) {
    return 0;
  }
}
