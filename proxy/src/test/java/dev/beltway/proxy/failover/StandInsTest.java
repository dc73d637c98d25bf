package dev.beltway.proxy.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked // A null where none should be fails the test.
class StandInsTest {

  private static final StandIns CLEAN = StandIns.AT_START.swept(List.of());

  @Test
  void aNodeIsRoutedAroundOnlyWhenNothingOldCanBeLeft() {
    assertThat(StandIns.AT_START.out("a").around()).isEmpty();
    assertThat(CLEAN.out("a").around()).containsExactly("a");
    StandIns back = CLEAN.out("a").back("a");
    assertThat(back.serves("a")).isFalse();
    assertThat(back.toEmpty()).containsExactly("a");
    StandIns emptied = back.emptied("a");
    assertThat(emptied.serves("a")).isTrue();
    assertThat(emptied.dirty()).isTrue();
    // Out again before the copies are swept: an error, not an old value.
    assertThat(emptied.out("a").around()).isEmpty();
    assertThat(emptied.out("a").swept(List.of("a")).around()).containsExactly("a");
  }

  @Test
  void aNodeThatFailsWhileItIsEmptiedIsNotServed() {
    StandIns failing = CLEAN.out("a").back("a").out("a");
    assertThat(failing.emptied("a").serves("a")).isFalse();
    assertThat(failing.emptied("a").around()).containsExactly("a");
  }

  @Test
  void whatCouldNotBeSweptIsEmptiedBeforeItServes() {
    StandIns swept = StandIns.AT_START.out("a").swept(List.of("a"));
    assertThat(swept.back("a").serves("a")).isFalse();
    assertThat(swept.back("a").emptied("a").serves("a")).isTrue();
  }

  @Test
  void nobodyIsRoutedAroundWhileThatIsBarred() {
    StandIns barred = CLEAN.barred("another proxy").out("a");
    assertThat(barred.around()).isEmpty();
    assertThat(barred.barred("").around()).containsExactly("a");
  }

  /**
   * A cache whose nodes come and go at random, with reads and writes wherever the state lets them
   * go: no read ever gives a value older than the last one written.
   */
  @Test
  void noReadIsOlderThanTheLastWrite() {
    for (long seed = 1; seed <= 2_000; seed++) {
      run(seed);
    }
  }

  private static void run(long seed) {
    Random random = new Random(seed);
    List<String> nodes = List.of("a", "b", "c", "d");
    Map<String, Map<String, Integer>> stored = new HashMap<>();
    nodes.forEach(node -> stored.put(node, new HashMap<>()));
    // Left-overs of an earlier time.
    nodes.forEach(node -> stored.get(node).put("k" + random.nextInt(6), -1));
    Map<String, Integer> last = new HashMap<>();
    Set<String> alive = new HashSet<>(nodes);
    StandIns state = StandIns.AT_START;
    int version = 0;
    for (int step = 0; step < 400; step++) {
      String node = nodes.get(random.nextInt(nodes.size()));
      switch (random.nextInt(9)) {
        case 8 -> state = state.barred(random.nextBoolean() ? "another proxy" : "");
        case 0 -> {
          if (alive.size() > 2 && alive.remove(node)) {
            state = state.out(node);
          }
        }
        case 1 -> {
          if (alive.add(node)) {
            state = state.back(node);
          }
        }
        case 2 -> {
          for (String each : state.toEmpty()) {
            stored.get(each).clear();
            state = state.emptied(each);
          }
        }
        case 3 -> {
          if (state.dirty()) {
            Set<String> skipped = new HashSet<>();
            for (String each : nodes) {
              if (state.serves(each)) {
                StandIns by = state;
                stored.get(each).keySet().removeIf(key -> !owner(nodes, by, key).equals(each));
              } else {
                skipped.add(each);
              }
            }
            state = state.swept(skipped);
          }
        }
        default -> {
          String key = "k" + random.nextInt(6);
          String owner = owner(nodes, state, key);
          if (state.serves(owner)) {
            if (random.nextBoolean()) {
              version++;
              stored.get(owner).put(key, version);
              last.put(key, version);
            } else {
              Integer read = stored.get(owner).get(key);
              if (last.containsKey(key) && read != null) {
                assertThat(read)
                    .as("seed %d, step %d, %s", seed, step, state)
                    .isEqualTo(last.get(key));
              }
            }
          }
        }
      }
    }
  }

  /** The first node from the key's own on that isn't routed around. */
  private static String owner(List<String> nodes, StandIns state, String key) {
    int at = key.charAt(1) % nodes.size();
    for (int i = 0; i < nodes.size(); i++) {
      String node = nodes.get((at + i) % nodes.size());
      if (!state.around().contains(node)) {
        return node;
      }
    }
    return nodes.get(at);
  }
}
