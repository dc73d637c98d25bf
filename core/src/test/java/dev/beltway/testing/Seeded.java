package dev.beltway.testing;

import dev.beltway.hash.Finalizers;
import java.util.List;
import java.util.function.Consumer;

/**
 * A generator of our own (SplitMix64), so that a seed means the same on every JDK, and the loop
 * that runs a property over many seeds. A failure names the seed and the command that replays it
 * alone.
 */
public final class Seeded {

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private long state;

  /** A generator from a seed. */
  public Seeded(long seed) {
    this.state = seed;
  }

  /**
   * Runs a property with seeds 1 to {@code runs}, or with the one seed that the system property
   * {@code beltway.seed} names.
   */
  public static void forSeeds(int runs, Consumer<Seeded> property) {
    Long only = Long.getLong("beltway.seed");
    long first = only == null ? 1 : only;
    long last = only == null ? runs : only;
    for (long seed = first; seed <= last; seed++) {
      try {
        property.accept(new Seeded(seed));
      } catch (RuntimeException | AssertionError e) {
        StackTraceElement test =
            StackWalker.getInstance()
                .walk(
                    frames ->
                        frames
                            .filter(f -> !f.getClassName().equals(Seeded.class.getName()))
                            .findFirst()
                            .orElseThrow()
                            .toStackTraceElement());
        throw new AssertionError(
            String.format(
                "seed %d failed; replay: mvn -Dquick test -Dtest=%s#%s"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dbeltway.seed=%d",
                seed,
                test.getClassName().replaceAll(".*\\.", ""),
                test.getMethodName().replaceAll("lambda\\$(\\w+)\\$.*", "$1"),
                seed),
            e);
      }
    }
  }

  /** Any 64-bit number. */
  public long nextLong() {
    state += GOLDEN;
    return Finalizers.splitmix64(state);
  }

  /** A number from 0 to {@code bound} − 1. */
  public int nextInt(int bound) {
    return (int) Long.remainderUnsigned(nextLong(), bound);
  }

  /** A number from {@code low} to {@code high}, both included. */
  public int between(int low, int high) {
    return low + nextInt(high - low + 1);
  }

  /** A number from 0 to 1. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1p-53;
  }

  /** True once in {@code n} times. */
  public boolean oneIn(int n) {
    return nextInt(n) == 0;
  }

  /** One of the list. */
  public <T> T pick(List<T> list) {
    return list.get(nextInt(list.size()));
  }

  /** The list in another order. */
  public <T> List<T> shuffled(List<T> list) {
    java.util.ArrayList<T> copy = new java.util.ArrayList<>(list);
    for (int i = copy.size() - 1; i > 0; i--) {
      java.util.Collections.swap(copy, i, nextInt(i + 1));
    }
    return copy;
  }

  /** A string of any code points, ASCII mostly, with braces now and then. */
  public String nextKey(int mostChars) {
    StringBuilder key = new StringBuilder();
    int chars = nextInt(mostChars + 1);
    int kind = nextInt(4);
    for (int i = 0; i < chars; i++) {
      int of = kind == 0 ? 3 : nextInt(8);
      switch (of) {
        case 0 -> key.append((char) between(0x80, 0xff));
        case 1 -> key.appendCodePoint(between(0x1f300, 0x1f6ff));
        case 2 -> key.append((char) between(0x4e00, 0x9fff));
        case 4 -> key.append(nextInt(2) == 0 ? '{' : '}');
        default -> key.append((char) between(0x20, 0x7e));
      }
    }
    return key.toString();
  }
}
