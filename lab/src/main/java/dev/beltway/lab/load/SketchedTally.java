package dev.beltway.lab.load;

import dev.beltway.lab.log.Request;
import java.util.List;

/** Tells keys apart in bounded memory: a counter a node, and frequent-items sketches. */
final class SketchedTally implements KeyTally {

  /** Bytes that the counters of one topology's nodes may take together. */
  private static final int NODES_BUDGET = 1 << 25;

  private static final int FINEST = 13;
  private static final int COARSEST = 7;
  private static final int MOST_EXACT = 1 << 14;
  private static final int BYTES_PER_EXACT = 32;

  private final DistinctKeys[] keys;
  private final DistinctKeys[] keysAfter;
  private final DistinctKeys moved = new DistinctKeys(FINEST, MOST_EXACT);
  private final HotKeySketch byRequests = new HotKeySketch();
  private final HotKeySketch byBytes = new HotKeySketch();
  private final boolean sizes;

  SketchedTally(int owners, int ownersAfter, boolean sizes) {
    this.keys = counters(owners);
    this.keysAfter = counters(ownersAfter);
    this.sizes = sizes;
  }

  private static DistinctKeys[] counters(int count) {
    int precision = FINEST;
    while (precision > COARSEST && (long) count << precision > NODES_BUDGET) {
      precision--;
    }
    int exact = Math.min(MOST_EXACT, NODES_BUDGET / BYTES_PER_EXACT / Math.max(1, count));
    DistinctKeys[] counters = new DistinctKeys[count];
    for (int i = 0; i < count; i++) {
      counters[i] = new DistinctKeys(precision, exact);
    }
    return counters;
  }

  @Override
  public void add(Request request, long hash, int owner, int ownerAfter, boolean moves) {
    long mixed = DistinctKeys.mixed(hash);
    keys[owner].add(mixed);
    if (keysAfter.length > 0) {
      keysAfter[ownerAfter].add(mixed);
      if (moves) {
        moved.add(mixed);
      }
    }
    byRequests.add(request, hash, request.count());
    if (sizes && request.size() > 0) {
      byBytes.add(request, hash, request.count() * request.size());
    }
  }

  private HotKeySketch of(Measure measure) {
    return measure == Measure.REQUESTS ? byRequests : byBytes;
  }

  @Override
  public Count keys(int owner) {
    return keys[owner].count();
  }

  @Override
  public Count keysAfter(int owner) {
    return keysAfter[owner].count();
  }

  @Override
  public Count allKeys() {
    double estimate = 0;
    double variance = 0;
    for (DistinctKeys counter : keys) {
      Count count = counter.count();
      estimate += count.estimate();
      variance += Math.pow(count.upper() - count.lower(), 2) / 4;
    }
    double error = Math.sqrt(variance);
    return new Count(estimate, Math.max(0, estimate - error), estimate + error);
  }

  @Override
  public Count movedKeys() {
    return moved.count();
  }

  @Override
  public List<Frequency> largest(Measure measure, int most) {
    return of(measure).largest(most);
  }

  @Override
  public long largestError(Measure measure) {
    return of(measure).error();
  }

  @Override
  public boolean isCertain(Measure measure) {
    return !of(measure).isSampled();
  }

  @Override
  public long missedBelow(Measure measure) {
    return of(measure).missedBelow();
  }
}
