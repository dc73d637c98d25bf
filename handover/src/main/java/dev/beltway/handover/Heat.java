package dev.beltway.handover;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What clients asked for most in some span of time, from a sample.
 *
 * @param requests keys that were asked for
 * @param sampled those of them that were counted
 * @param keys the ones counted most, the most first
 */
public record Heat(long requests, long sampled, List<Key> keys) {

  /** Nothing. */
  public static final Heat NONE = new Heat(0, 0, List.of());

  /**
   * One key.
   *
   * @param name its bytes, each a character (ISO 8859-1); a long key's beginning
   * @param count how often it was counted, at most
   * @param least how often it was counted, at least
   */
  public record Key(String name, long count, long least) {}

  /** Copies the list. */
  public Heat {
    keys = List.copyOf(keys);
  }

  /** How likely a key that is asked for is this one. */
  public double share(Key key) {
    return sampled == 0 ? 0 : (double) key.count() / sampled;
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
          sum[0] += key.count() * weight;
          sum[1] += key.least() * weight;
        }
      }
    }
    List<Key> keys = new ArrayList<>();
    counts.forEach((name, sum) -> keys.add(new Key(name, Math.round(sum[0]), Math.round(sum[1]))));
    keys.sort(Comparator.comparingLong(Key::count).reversed().thenComparing(Key::name));
    return new Heat(requests, sampled, keys.subList(0, Math.min(most, keys.size())));
  }
}
