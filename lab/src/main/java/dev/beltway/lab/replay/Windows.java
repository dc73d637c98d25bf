package dev.beltway.lab.replay;

import java.util.ArrayList;
import java.util.List;

/** Sums by windows of equally many requests, one of which begins at the change. */
final class Windows {

  /** The most windows that are kept. */
  static final int MOST = 20_000;

  private final long size;
  private final List<Window> windows;

  Windows(long size) {
    this(size, new ArrayList<>());
  }

  private Windows(long size, List<Window> windows) {
    this.size = size;
    this.windows = windows;
  }

  Windows copy() {
    return new Windows(size, new ArrayList<>(windows));
  }

  long size() {
    return size;
  }

  /** How many requests from that number on are in its window. */
  static long left(long number, long size) {
    return size - Math.floorMod(number, size);
  }

  /** Adds to the window of a request; their numbers never descend. */
  void add(long number, Window sums) {
    int last = windows.size() - 1;
    boolean begun =
        last >= 0 && Math.floorDiv(windows.get(last).start(), size) == Math.floorDiv(number, size);
    if (begun) {
      windows.set(last, windows.get(last).plus(sums));
      return;
    }
    if (windows.size() == MOST) {
      throw new TooManyWindowsException(size);
    }
    windows.add(sums); // It begins with the number of its first request.
  }

  List<Window> list() {
    return List.copyOf(windows);
  }
}
