package dev.beltway.health;

/**
 * When a node counts as out, and when as back. The defaults are those of Envoy's outlier detection
 * where it has the same notion.
 *
 * @param failures so many observations in a row, none of them good, put a node out
 * @param spacingMillis observations that are nearer together count as one: twenty sockets that
 *     break at once are one thing that happened to the node
 * @param leastOutMillis how long it stays out at least; doubles each time
 * @param mostOutMillis how far that doubles
 * @param calmMillis after so long without being put out the doubling begins anew
 * @param successes so many good observations in a row bring it back, once its time is over
 * @param mostShareOut of all nodes no more than this share is out at once; at least one may be, if
 *     it isn't the only one
 */
public record HealthRules(
    int failures,
    long spacingMillis,
    long leastOutMillis,
    long mostOutMillis,
    long calmMillis,
    int successes,
    double mostShareOut) {

  /** Three failures; out for 2 s at first and 60 s at most; three successes; half of the nodes. */
  public static final HealthRules USUAL = new HealthRules(3, 100, 2_000, 60_000, 300_000, 3, 0.5);

  /** Checks the ranges. */
  public HealthRules {
    check("failures", failures, 1, 1_000);
    check("successes", successes, 1, 1_000);
    check("spacingMillis", spacingMillis, 0, 60_000);
    check("leastOutMillis", leastOutMillis, 0, 86_400_000);
    check("mostOutMillis", mostOutMillis, leastOutMillis, 86_400_000);
    check("calmMillis", calmMillis, 0, 86_400_000);
    if (!(mostShareOut >= 0 && mostShareOut <= 1)) {
      throw new IllegalArgumentException("mostShareOut " + mostShareOut + " is outside 0 to 1");
    }
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          what + " " + value + " is outside " + least + " to " + most);
    }
  }

  /** How long a node stays out at least, the nth time. */
  long outMillis(int times) {
    return Math.min(mostOutMillis, leastOutMillis << Math.min(20, Math.max(0, times - 1)));
  }
}
