package dev.beltway.proxy;

import dev.beltway.handover.Heat;
import dev.beltway.resp.command.FrameArguments;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * The keys that one worker's clients ask for most, from a sample: of every so many keys one is
 * counted, so many that a window has a few thousand, and the gaps are random, since clients'
 * requests have rhythms of their own. Counts are by a sketch of frequent items (Misra and Gries, as
 * in DataSketches), which never misses a key that is above its error. In its loop alone.
 */
final class HotKeys {

  /** How many keys a window is to count, about. */
  private static final int WANTED = 4_000;

  private static final int FIRST_GAP = 256;
  private static final int MOST_COUNTERS = 512;

  /** Longer keys are cut, and told by their beginnings. */
  private static final int LONGEST = 256;

  private final SplittableRandom random = new SplittableRandom();
  private ItemsSketch<String> sketch = new ItemsSketch<>(MOST_COUNTERS);
  private int mean = FIRST_GAP;
  private int gap = FIRST_GAP;
  private long seen;
  private long sampled;

  /** A key is asked for. Allocates only where it is one of the sample. */
  void seen(FrameArguments request, int argument) {
    seen++;
    if (--gap <= 0) {
      gap = mean == 1 ? 1 : 1 + random.nextInt(2 * mean - 1);
      sampled++;
      sketch.update(new String(request.bytes(argument, LONGEST), StandardCharsets.ISO_8859_1));
    }
  }

  /** What this window has counted, the most first; begins the next one. */
  Heat take(int most) {
    List<Heat.Key> keys = new ArrayList<>();
    ItemsSketch.Row<String>[] rows = sketch.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES);
    for (int i = 0; i < Math.min(most, rows.length); i++) {
      ItemsSketch.Row<String> row = rows[i];
      keys.add(new Heat.Key(row.getItem(), row.getEstimate(), row.getLowerBound()));
    }
    Heat heat = new Heat(seen, sampled, keys);
    mean = (int) Math.max(1, Math.min(1 << 20, seen / WANTED));
    gap = Math.min(gap, mean);
    sketch = new ItemsSketch<>(MOST_COUNTERS);
    seen = 0;
    sampled = 0;
    return heat;
  }
}
