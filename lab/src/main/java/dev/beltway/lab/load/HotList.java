package dev.beltway.lab.load;

import java.util.List;

/**
 * The hottest keys of a log.
 *
 * @param keys the largest first
 * @param error an estimate is too high by this at most, and never too low; 0 if exact
 * @param missedBelow a key that is not in the list has this at most
 * @param certain whether that holds for sure; in long logs names are taken from a sample
 */
public record HotList(List<HotKey> keys, long error, long missedBelow, boolean certain) {

  /** Copies the list. */
  public HotList {
    keys = List.copyOf(keys);
  }

  /**
   * The list cut to so many keys. What is cut off is missed too: it has as much as the first of it
   * at most.
   */
  public HotList first(int most) {
    return keys.size() <= most
        ? this
        : new HotList(
            keys.subList(0, most),
            error,
            Math.max(missedBelow, (long) Math.ceil(keys.get(most).amount().upper())),
            certain);
  }
}
