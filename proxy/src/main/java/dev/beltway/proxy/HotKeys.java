package dev.beltway.proxy;

import dev.beltway.handover.Heat;
import dev.beltway.resp.command.FrameArguments;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * The keys that one worker's clients ask for most, from a sample: of every so many keys one is
 * counted, so many that a window of this worker has a few thousand, and the gaps are random, since
 * clients' requests have rhythms of their own. Counts are by a sketch of frequent items (Misra and
 * Gries, as in DataSketches), which says of each how often it was counted at least. In its loop
 * alone.
 */
final class HotKeys {

  /** How many keys a window is to count, about. */
  private static final int WANTED = 4_000;

  private static final int FIRST_GAP = 256;
  private static final int MOST_COUNTERS = 512;

  /** Longer keys are cut, and told by their beginnings. */
  private static final int LONGEST = 256;

  private final SplittableRandom random;
  private ItemsSketch<String> sketch = new ItemsSketch<>(MOST_COUNTERS);
  private int mean = FIRST_GAP;
  private int gap = FIRST_GAP;
  private long seen;
  private long sampled;

  /** With chance of its own. */
  HotKeys() {
    this(new SplittableRandom());
  }

  /** With this chance. */
  HotKeys(SplittableRandom random) {
    this.random = random;
  }

  /** A key is asked for. Allocates only where it is one of the sample. */
  void seen(FrameArguments request, int argument) {
    seen++;
    if (--gap <= 0) {
      gap = mean == 1 ? 1 : 1 + random.nextInt(2 * mean - 1);
      sampled++;
      String name = new String(request.bytes(argument, LONGEST), StandardCharsets.ISO_8859_1);
      sketch.update(request.length(argument) > LONGEST ? name + Heat.CUT : name);
    }
  }

  /** What this window has counted, the most first; begins the next one. */
  Heat take(int most) {
    List<Heat.Key> keys = new ArrayList<>();
    ItemsSketch.Row<String>[] rows = sketch.getFrequentItems(ErrorType.NO_FALSE_POSITIVES);
    for (ItemsSketch.Row<String> row : rows) {
      if (row.getLowerBound() >= Heat.LEAST) {
        keys.add(new Heat.Key(row.getItem(), row.getLowerBound(), row.getUpperBound()));
      }
    }
    keys.sort(Comparator.comparingLong(Heat.Key::least).reversed());
    Heat heat = new Heat(seen, sampled, keys.subList(0, Math.min(most, keys.size())));
    mean = (int) Math.max(1, Math.min(1 << 20, seen / WANTED));
    gap = Math.min(gap, mean);
    sketch = new ItemsSketch<>(MOST_COUNTERS);
    seen = 0;
    sampled = 0;
    return heat;
  }
}
