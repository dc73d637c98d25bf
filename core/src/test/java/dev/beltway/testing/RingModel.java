package dev.beltway.testing;

import dev.beltway.hash.HashFunctions;
import dev.beltway.topology.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ring as docs/contract.md describes it, written as plainly as possible and shared with
 * nothing.
 */
public final class RingModel {

  private record Point(long token, String id) {}

  private final List<Point> points = new ArrayList<>();

  /** A ring of nodes with their numbers of tokens, hashed by xxh3-64. */
  public RingModel(Map<String, Integer> vnodes) {
    vnodes.forEach(
        (id, count) -> {
          for (int i = 0; i < count; i++) {
            byte[] label = (id + "#" + i).getBytes(StandardCharsets.UTF_8);
            points.add(new Point(HashFunctions.XXH3_64.hash(label), id));
          }
        });
    points.sort(
        (a, b) -> {
          int byToken = Long.compareUnsigned(a.token, b.token);
          return byToken != 0 ? byToken : NodeId.UTF8_ORDER.compare(a.id, b.id);
        });
  }

  /** The first distinct nodes clockwise. */
  public List<String> preferenceList(String key, int most) {
    long position = HashFunctions.XXH3_64.hash(key.getBytes(StandardCharsets.UTF_8));
    int first = 0;
    while (first < points.size() && Long.compareUnsigned(points.get(first).token, position) < 0) {
      first++;
    }
    Set<String> ids = new LinkedHashSet<>();
    for (int i = 0; i < points.size() && ids.size() < most; i++) {
      ids.add(points.get((first + i) % points.size()).id);
    }
    return List.copyOf(ids);
  }

  /** The owner. */
  public String owner(String key) {
    return preferenceList(key, 1).get(0);
  }
}
