package dev.beltway.handover;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What clients asked for most in some span of time, from a sample. Only keys that were counted
 * {@value #LEAST} times at least are told: of keys that are all alike none is hot.
 *
 * @param requests keys that were asked for
 * @param sampled those of them that were counted
 * @param keys the ones counted most, the most first
 */
public record Heat(long requests, long sampled, List<Key> keys) {

  /** Nothing. */
  public static final Heat NONE = new Heat(0, 0, List.of());

  /** How often a key must have been counted. */
  public static final int LEAST = 3;

  /** What ends the name of a key that was cut; no byte is this character. */
  public static final char CUT = '\u2026';

  /**
   * One key.
   *
   * @param name its bytes, each a character (ISO 8859-1); a long key's beginning and {@link #CUT}
   * @param least how often it was counted, at least
   * @param most how often it may have been counted where it was counted
   */
  public record Key(String name, long least, long most) {

    /** Whether the name is not all of it. */
    public boolean isCut() {
      return !name.isEmpty() && name.charAt(name.length() - 1) == CUT;
    }
  }

  /** Copies the list. */
  public Heat {
    keys = List.copyOf(keys);
  }

  /** Which share of what was asked for this key has, at least, as far as the sample goes. */
  public double share(Key key) {
    return sampled == 0 ? 0 : (double) key.least() / sampled;
  }

  /**
   * Several as one. Each is weighed by what it stands for, since samples may differ in density.
   *
   * @param most how many keys it has at most
   */
  public static Heat of(List<Heat> parts, int most) {
    long requests = 0;
    long sampled = 0;
    double requestsOfSampled = 0;
    for (Heat part : parts) {
      requests += part.requests();
      sampled += part.sampled();
      requestsOfSampled += part.sampled() == 0 ? 0 : part.requests();
    }
    if (sampled == 0) {
      return new Heat(requests, 0, List.of());
    }
    Map<String, double[]> counts = new TreeMap<>();
    for (Heat part : parts) {
      if (part.sampled() > 0) {
        double weight = part.requests() / (double) part.sampled() * sampled / requestsOfSampled;
        for (Key key : part.keys()) {
          double[] sum = counts.computeIfAbsent(key.name(), name -> new double[2]);
          sum[0] += key.least() * weight;
          sum[1] += key.most() * weight;
        }
      }
    }
    List<Key> keys = new ArrayList<>();
    counts.forEach((name, sum) -> keys.add(new Key(name, Math.round(sum[0]), Math.round(sum[1]))));
    keys.sort(Comparator.comparingLong(Key::least).reversed().thenComparing(Key::name));
    return new Heat(requests, sampled, keys.subList(0, Math.min(most, keys.size())));
  }
}
