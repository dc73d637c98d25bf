package dev.beltway.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What {@code hash % N} moves when the list of nodes changes. */
public final class ModuloMovement {

  private ModuloMovement() {}

  /**
   * The part of all keys that changes its node, 0 to 1, for a well mixed hash; exact by counting,
   * not sampled. A key stays if its residues by both lengths name the same node: by the Chinese
   * remainder theorem one in lcm(N, M) keys does so for every node whose positions in the lists
   * agree modulo gcd(N, M). 8 nodes to 10, the old ones first: 80 %. 1 where either list is empty.
   *
   * @param before ids in order
   * @param after ids in order
   */
  public static double moved(List<String> before, List<String> after) {
    if (before.isEmpty() || after.isEmpty()) {
      return 1;
    }
    int gcd = gcd(before.size(), after.size());
    double lcm = (double) before.size() / gcd * after.size();
    Map<String, Integer> position = new HashMap<>();
    for (int i = 0; i < before.size(); i++) {
      position.put(before.get(i), i);
    }
    int staying = 0;
    for (int i = 0; i < after.size(); i++) {
      Integer was = position.get(after.get(i));
      if (was != null && was % gcd == i % gcd) {
        staying++;
      }
    }
    return 1 - staying / lcm;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
