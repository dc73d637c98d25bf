package dev.beltway.lab.replay;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What became of the caches of one strategy in one mode.
 *
 * @param strategy its name
 * @param mode how the change was made
 * @param windows what happened, in order; the first and the last may be shorter than the others
 * @param windowSize how many requests a window has
 * @param movedKeys how many keys were moved before the switch; 0 unless {@link Mode#LIVE}
 * @param movedBytes the bytes of those, where the log has sizes
 * @param entries how many entries the caches of all nodes hold at the end, those that have left
 *     included
 */
public record Outcome(
    String strategy,
    Mode mode,
    List<Window> windows,
    long windowSize,
    long movedKeys,
    long movedBytes,
    long entries) {

  /** How far a hit ratio may be from the unchanged one and count as recovered: a point. */
  public static final double RECOVERED = 0.01;

  private static final Window NOTHING = new Window(0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Copies the list. */
  public Outcome {
    windows = List.copyOf(windows);
  }

  /** All before the change together. */
  public Window before() {
    return windows.stream().filter(w -> w.start() < 0).reduce(Window::plus).orElse(NOTHING);
  }

  /** All after the change together. */
  public Window after() {
    return afterTheChange().reduce(Window::plus).orElse(NOTHING);
  }

  /** The first window after the change. */
  public Window first() {
    return afterTheChange().findFirst().orElse(NOTHING);
  }

  /**
   * The window after the change whose hit ratio is furthest below the unchanged one; the earliest
   * of equals. Empty if none is below.
   */
  public Optional<Window> worst(Outcome unchanged) {
    Map<Long, Double> below = below(unchanged);
    List<Window> full = fullAfterTheChange();
    return (full.isEmpty() ? afterTheChange() : full.stream())
        .filter(w -> drop(below, w) > 0)
        .reduce((a, b) -> drop(below, b) > drop(below, a) ? b : a);
  }

  private List<Window> fullAfterTheChange() {
    return afterTheChange().filter(w -> w.requests() == windowSize).toList();
  }

  private Stream<Window> afterTheChange() {
    return windows.stream().filter(w -> w.start() >= 0);
  }

  /** By start, how far each window's hit ratio is below the unchanged one. */
  private Map<Long, Double> below(Outcome unchanged) {
    Map<Long, Double> ratios = new HashMap<>();
    unchanged.windows.forEach(w -> ratios.put(w.start(), w.hitRatio()));
    Map<Long, Double> below = new HashMap<>();
    windows.forEach(
        w -> below.put(w.start(), ratios.getOrDefault(w.start(), w.hitRatio()) - w.hitRatio()));
    return below;
  }

  private static boolean isBack(Map<Long, Double> below, Window window) {
    return drop(below, window) <= RECOVERED + 1e-12; // A point exactly, whatever its last bits.
  }

  private static double drop(Map<Long, Double> below, Window window) {
    return below.getOrDefault(window.start(), 0.0);
  }

  /**
   * How many requests after the change the hit ratio is back: it is within {@link #RECOVERED} of
   * the unchanged one in that window and the next, of those that are full and have reads. Empty if
   * that doesn't happen in the log.
   */
  public OptionalLong recovered(Outcome unchanged) {
    Map<Long, Double> below = below(unchanged);
    List<Window> mine = fullAfterTheChange().stream().filter(w -> w.reads() > 0).toList();
    for (int i = 0; i + 1 < mine.size(); i++) {
      if (isBack(below, mine.get(i)) && isBack(below, mine.get(i + 1))) {
        return OptionalLong.of(mine.get(i).start());
      }
    }
    return OptionalLong.empty();
  }
}
