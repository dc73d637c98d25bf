package dev.beltway.lab.load;

import java.util.List;

/**
 * The hottest keys of a log.
 *
 * @param keys the largest first
 * @param error an estimate is too high by this at most, and never too low; 0 if exact
 * @param missedBelow a key that is not in the list although the list has room has this at most;
 *     almost surely, since names are taken from a sample of a long log
 */
public record HotList(List<HotKey> keys, long error, long missedBelow) {

  /** Copies the list. */
  public HotList {
    keys = List.copyOf(keys);
  }

  /** The first of them, or as many as there are. */
  public List<HotKey> first(int most) {
    return keys.subList(0, Math.min(most, keys.size()));
  }
}
