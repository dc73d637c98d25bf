package dev.beltway.lab.load;

import dev.beltway.lab.log.Operation;
import dev.beltway.lab.log.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.LongsSketch;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys with the most weight in one pass and bounded memory.
 *
 * <p>A frequent-items sketch (Misra and Gries 1982, as improved by Anderson and others, 2017)
 * counts by the keys' 64-bit hashes: what it says of a key is at most {@link #error()} above the
 * truth and never below it. The keys' bytes are kept beside it for those that have a certain part
 * of all weight when a request for them is noted.
 */
final class HotKeySketch {

  /**
   * Counters of the sketch: different keys beyond three quarters of them cost accuracy. Four times
   * as many take a third more time, since they don't fit into the cache of a core.
   */
  private static final int COUNTERS = 1 << 14;

  private static final int MOST_NAMES = 1 << 15;
  static final int MOST_NAME_BYTES = 1 << 24;
  private static final int FEWEST_SHIFT = 4;

  private static final int CHANCES_SHIFT = 9;
  private static final int SAMPLE_SHIFT = 5;

  private final LongsSketch sketch = new LongsSketch(COUNTERS);
  private final Map<Long, Name> names = new HashMap<>();
  private long nameBytes;
  private int shift = 13;
  private long weight;
  private long draw;

  private static final class Name {
    private final Key key;
    private long reads;
    private long others;

    Name(Key key) {
      this.key = key;
    }

    double readPart() {
      return reads + others == 0 ? 1 : reads / (double) (reads + others);
    }
  }

  void add(Request request, long hash, long more) {
    sketch.update(hash, more);
    weight += more;
    long standsFor = noted(more);
    if (standsFor > 0 && sketch.getLowerBound(hash) > weight >>> shift) {
      note(request, hash, standsFor);
    }
  }

  /**
   * In a long log only one request in 32, drawn by a fixed seed, is noted; but each that alone has
   * a notable part of what a key must have. So a key with twice that has hundreds of chances at
   * least.
   */
  private long noted(long more) {
    draw = draw * 0x5851f42d4c957f2dL + 1;
    if (more > weight >>> shift + CHANCES_SHIFT) {
      return 1;
    }
    return draw >>> Long.SIZE - SAMPLE_SHIFT == 0 ? 1 << SAMPLE_SHIFT : 0;
  }

  /** Whether not every request was noted, so that a key may have been missed by chance. */
  boolean isSampled() {
    return weight >>> shift + CHANCES_SHIFT > 0;
  }

  /** Keeps the bytes of a key that has its part of all weight. */
  private void note(Request request, long hash, long standsFor) {
    Name name = names.get(hash);
    if (name == null) {
      name = new Name(Key.of(request));
      names.put(hash, name);
      nameBytes += request.length();
      while (names.size() > MOST_NAMES || nameBytes > MOST_NAME_BYTES) {
        forget();
      }
    }
    boolean reads = request.operation() == Operation.READ;
    name.reads += reads ? request.count() * standsFor : 0;
    name.others += reads ? 0 : request.count() * standsFor;
  }

  /**
   * Forgets the keys that have become rare; if that doesn't help, next time rarer ones than now.
   */
  private void forget() {
    int before = names.size();
    names.keySet().removeIf(hash -> sketch.getLowerBound(hash) <= weight >>> shift);
    nameBytes = names.values().stream().mapToLong(name -> name.key.length()).sum();
    if (names.size() > before / 2 && shift > FEWEST_SHIFT) {
      shift--;
    }
  }

  /** The bytes of the names that are kept. */
  long nameBytes() {
    return nameBytes;
  }

  long error() {
    return sketch.getMaximumError();
  }

  long missedBelow() {
    // Twice: the key was rarer than that in the first half of its requests, then it was noted.
    long unnamed = 2 * (weight >>> shift);
    return error() == 0 ? unnamed : error() + Math.max(error(), unnamed);
  }

  List<Frequency> largest(int most) {
    LongsSketch.Row[] rows = sketch.getFrequentItems(ErrorType.NO_FALSE_POSITIVES);
    List<Frequency> found = new ArrayList<>();
    for (LongsSketch.Row row : rows) {
      @Nullable Name name = names.get(row.getItem());
      if (name != null) {
        found.add(
            new Frequency(
                name.key,
                new Count(row.getEstimate(), row.getLowerBound(), row.getUpperBound()),
                name.readPart()));
      }
    }
    found.sort(LARGEST_FIRST);
    return List.copyOf(found.subList(0, Math.min(most, found.size())));
  }

  static final Comparator<Frequency> LARGEST_FIRST =
      Comparator.comparingDouble((Frequency frequency) -> frequency.amount().estimate())
          .reversed()
          .thenComparing(Frequency::key);
}
