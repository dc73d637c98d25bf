package dev.beltway.lab.replay;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What became of the caches of one strategy in one mode.
 *
 * @param strategy its name
 * @param mode how the change was made
 * @param windows what happened, in order
 * @param movedKeys how many keys were moved before the switch; 0 unless {@link Mode#LIVE}
 * @param movedBytes the bytes of those, where the log has sizes
 * @param entries how many entries the caches hold at the end
 */
public record Outcome(
    String strategy,
    Mode mode,
    List<Window> windows,
    long movedKeys,
    long movedBytes,
    long entries) {

  /** How far a hit ratio may be from the undisturbed one and count as recovered: a point. */
  public static final double RECOVERED = 0.01;

  private static final Window NOTHING = new Window(0, 0, 0, 0, 0, 0, 0, 0);

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
    return windows.stream().filter(w -> w.start() >= 0).reduce(Window::plus).orElse(NOTHING);
  }

  /** The first window after the change. */
  public Window first() {
    return windows.stream().filter(w -> w.start() >= 0).findFirst().orElse(NOTHING);
  }

  /**
   * The window after the change whose hit ratio is furthest below the unchanged one; the earliest
   * of equals.
   */
  public Window worst(Outcome unchanged) {
    return windows.stream()
        .filter(w -> w.start() >= 0)
        .reduce((a, b) -> below(b, unchanged) > below(a, unchanged) ? b : a)
        .orElse(NOTHING);
  }

  private static double below(Window window, Outcome unchanged) {
    return unchanged
        .at(window.start())
        .map(twin -> twin.hitRatio() - window.hitRatio())
        .orElse(0.0);
  }

  /** The window that begins there. */
  public Optional<Window> at(long start) {
    return windows.stream().filter(w -> w.start() == start).findFirst();
  }

  /**
   * How many requests after the change the hit ratio is back: it is within {@link #RECOVERED} of
   * the unchanged one in that window and the next. Empty if that doesn't happen in the log.
   */
  public OptionalLong recovered(Outcome unchanged) {
    List<Window> mine = windows.stream().filter(w -> w.start() >= 0).toList();
    for (int i = 0; i < mine.size(); i++) {
      boolean back = isBack(mine.get(i), unchanged);
      boolean stays = i + 1 == mine.size() || isBack(mine.get(i + 1), unchanged);
      if (back && stays) {
        return OptionalLong.of(mine.get(i).start());
      }
    }
    return OptionalLong.empty();
  }

  private static boolean isBack(Window window, Outcome unchanged) {
    return below(window, unchanged) <= RECOVERED;
  }
}
