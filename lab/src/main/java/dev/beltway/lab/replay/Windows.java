package dev.beltway.lab.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sums by windows of equally many requests, one of which begins at the change. */
final class Windows {

  /** The most windows that are kept. */
  static final int MOST = 20_000;

  private static final int FIGURES = 7;

  private final long window;
  private final List<long[]> sums;
  private final List<Long> numbers;

  Windows(long window) {
    this(window, new ArrayList<>(), new ArrayList<>());
  }

  private Windows(long window, List<long[]> sums, List<Long> numbers) {
    this.window = window;
    this.sums = sums;
    this.numbers = numbers;
  }

  Windows copy() {
    List<long[]> copies = new ArrayList<>();
    sums.forEach(sum -> copies.add(Arrays.copyOf(sum, FIGURES)));
    return new Windows(window, copies, new ArrayList<>(numbers));
  }

  /** Adds to the window of a request; their numbers never descend. */
  void add(
      long number,
      long reads,
      long hits,
      long oldReads,
      long wanted,
      long lost,
      long firstWanted,
      long firstLost) {
    long index = Math.floorDiv(number, window);
    int last = numbers.size() - 1;
    if (last < 0 || numbers.get(last) != index) {
      if (numbers.size() == MOST) {
        throw new TooManyWindowsException(window);
      }
      numbers.add(index);
      sums.add(new long[FIGURES]);
      last++;
    }
    long[] sum = sums.get(last);
    sum[0] += reads;
    sum[1] += hits;
    sum[2] += oldReads;
    sum[3] += wanted;
    sum[4] += lost;
    sum[5] += firstWanted;
    sum[6] += firstLost;
  }

  List<Window> list() {
    List<Window> list = new ArrayList<>();
    for (int i = 0; i < sums.size(); i++) {
      long[] s = sums.get(i);
      list.add(new Window(numbers.get(i) * window, s[0], s[1], s[2], s[3], s[4], s[5], s[6]));
    }
    return list;
  }
}
