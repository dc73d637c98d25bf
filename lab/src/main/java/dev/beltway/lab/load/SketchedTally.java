package dev.beltway.lab.load;

import dev.beltway.lab.log.Request;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.datasketches.hll.HllSketch;
import org.apache.datasketches.hll.TgtHllType;

/** Tells keys apart in bounded memory: a HyperLogLog a node, and frequent-items sketches. */
final class SketchedTally implements KeyTally {

  /** Bounds of numbers of keys hold for 95 of 100 logs: two standard errors. */
  private static final int STANDARD_ERRORS = 2;

  /** Bytes that the sketches of one topology's nodes may take together. */
  private static final int NODES_BUDGET = 1 << 25;

  private static final int FINEST = 14;
  private static final int COARSEST = 7;

  /** Some keys that were counted lately: to count them again would change nothing. */
  private final long[] recent = new long[1 << 14];

  private final HllSketch[] keys;
  private final HllSketch[] keysAfter;
  private final HllSketch moved = sketch(FINEST);
  private final Map<Measure, HotKeySketch> hot = new EnumMap<>(Measure.class);
  private final HotKeySketch byRequests;
  private final boolean sizes;

  SketchedTally(int owners, int ownersAfter, boolean sizes, boolean operations) {
    recent[0] = -1; // No hash that has its place there; 0 would be one.
    this.keys = sketches(owners);
    this.keysAfter = sketches(ownersAfter);
    this.sizes = sizes;
    this.byRequests = new HotKeySketch(operations);
    hot.put(Measure.REQUESTS, byRequests);
    hot.put(Measure.BYTES, sizes ? new HotKeySketch(operations) : byRequests);
  }

  private static HllSketch[] sketches(int count) {
    int fineness = FINEST;
    while (fineness > COARSEST && (long) count << fineness > NODES_BUDGET) {
      fineness--;
    }
    HllSketch[] sketches = new HllSketch[count];
    for (int i = 0; i < count; i++) {
      sketches[i] = sketch(fineness);
    }
    return sketches;
  }

  private static HllSketch sketch(int fineness) {
    return new HllSketch(fineness, TgtHllType.HLL_8);
  }

  @Override
  public void add(Request request, long hash, int owner, int ownerAfter, boolean moves) {
    int slot = (int) hash & (recent.length - 1);
    if (recent[slot] != hash) {
      recent[slot] = hash;
      keys[owner].update(hash);
      if (keysAfter.length > 0) {
        keysAfter[ownerAfter].update(hash);
        if (moves) {
          moved.update(hash);
        }
      }
    }
    byRequests.add(request, hash, request.count());
    if (sizes && request.size() > 0) {
      of(Measure.BYTES).add(request, hash, request.count() * request.size());
    }
  }

  private HotKeySketch of(Measure measure) {
    return Objects.requireNonNull(hot.get(measure));
  }

  @Override
  public Count keys(int owner) {
    return count(keys[owner]);
  }

  @Override
  public Count keysAfter(int owner) {
    return count(keysAfter[owner]);
  }

  @Override
  public Count allKeys() {
    double estimate = 0;
    double variance = 0;
    for (HllSketch sketch : keys) {
      Count count = count(sketch);
      estimate += count.estimate();
      variance += Math.pow(count.upper() - count.lower(), 2) / 4;
    }
    double error = Math.sqrt(variance);
    return new Count(estimate, Math.max(0, estimate - error), estimate + error);
  }

  @Override
  public Count movedKeys() {
    return count(moved);
  }

  private static Count count(HllSketch sketch) {
    double estimate = sketch.getEstimate();
    return new Count(
        estimate,
        Math.min(estimate, sketch.getLowerBound(STANDARD_ERRORS)),
        Math.max(estimate, sketch.getUpperBound(STANDARD_ERRORS)));
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
  public long missedBelow(Measure measure) {
    return of(measure).missedBelow();
  }
}
