package dev.beltway.handover;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How far what nodes have and do is from what was planned: (measured − planned share) / planned
 * share of a node, by keys and by requests separately. It says something once it was measured over
 * three windows and 100,000 requests in which no key moved. That some nodes own more of a ring than
 * others is in the plan, and no deviation.
 *
 * <p>Not thread-safe.
 */
public final class Deviation {

  /** How long a window is, in milliseconds. */
  public static final long WINDOW_MILLIS = 5_000;

  /** How many windows are needed. */
  public static final int WINDOWS = 3;

  /** How many requests are needed. */
  public static final long REQUESTS = 100_000;

  /** What is worth an alarm. */
  public static final double ALARM = 0.10;

  /** By how much keys may deviate before a change in steps goes back. */
  public static final double MOST = 0.15;

  private record Window(long at, Map<String, NodeFacts> facts) {}

  private final Deque<Window> windows = new ArrayDeque<>();
  private Map<String, Double> keys = Map.of();
  private Map<String, Double> requests = Map.of();
  private long measured;

  /** Which nodes were named already, and for what. */
  private final Set<String> alarmed = new HashSet<>();

  /** Something has changed: what was measured before says nothing. */
  public void restart() {
    alarmed.clear();
    windows.clear();
    keys = Map.of();
    requests = Map.of();
    measured = 0;
  }

  /**
   * What nodes say now; to be called often.
   *
   * @param planned share of each node that owns something
   */
  public void observe(long millis, Map<String, NodeFacts> facts, Map<String, Double> planned) {
    if (planned.isEmpty() || !facts.keySet().containsAll(planned.keySet())) {
      return;
    }
    for (String node : planned.keySet()) {
      Window last = windows.peekLast();
      NodeFacts before = last == null ? null : last.facts().get(node);
      NodeFacts now = facts.get(node);
      if (before != null && now != null && !before.run().equals(now.run())) {
        restart(); // What it has answered is counted from the beginning again.
      }
    }
    Window last = windows.peekLast();
    if (last != null && millis - last.at() < WINDOW_MILLIS) {
      return;
    }
    windows.addLast(new Window(millis, Map.copyOf(facts)));
    while (windows.size() > WINDOWS * 12) {
      windows.removeFirst();
    }
    Window first = windows.getFirst();
    Map<String, Double> had = new HashMap<>();
    Map<String, Double> did = new HashMap<>();
    double allKeys = 0;
    double allDone = 0;
    for (String node : planned.keySet()) {
      NodeFacts then = first.facts().get(node);
      NodeFacts now = facts.get(node);
      if (then != null && now != null) {
        double done = Math.max(0, now.load().requests() - then.load().requests());
        had.put(node, (double) now.keys());
        did.put(node, done);
        allKeys += now.keys();
        allDone += done;
      }
    }
    measured = (long) allDone;
    keys = deviations(had, allKeys, planned);
    requests = deviations(did, allDone, planned);
  }

  private static Map<String, Double> deviations(
      Map<String, Double> measured, double all, Map<String, Double> planned) {
    Map<String, Double> found = new TreeMap<>();
    planned.forEach(
        (node, share) -> {
          if (share > 0 && all > 0) {
            found.put(node, (measured.getOrDefault(node, 0.0) / all - share) / share);
          }
        });
    return found;
  }

  /** Whether it was measured long enough. */
  public boolean isKnown() {
    return windows.size() > WINDOWS && measured >= REQUESTS;
  }

  /** What is missing, for people. */
  public String missing() {
    return Math.min(WINDOWS, Math.max(0, windows.size() - 1))
        + " of "
        + WINDOWS
        + " windows and "
        + measured
        + " of "
        + REQUESTS
        + " requests are measured";
  }

  /** By keys, of each node; empty as long as it isn't known. */
  public Map<String, Double> byKeys() {
    return isKnown() ? keys : Map.of();
  }

  /** By requests, of each node; empty as long as it isn't known. */
  public Map<String, Double> byRequests() {
    return isKnown() ? requests : Map.of();
  }

  /** What is worth an alarm, for people; each only once. */
  public List<String> alarms() {
    List<String> found = new ArrayList<>();
    byKeys().forEach((node, value) -> alarm(found, node, value, "keys"));
    byRequests().forEach((node, value) -> alarm(found, node, value, "requests"));
    return found;
  }

  private void alarm(List<String> found, String node, double value, String what) {
    if (Math.abs(value) > ALARM && alarmed.add(node + what)) {
      found.add(
          "node " + node + " has " + percent(value) + " of the " + what + " against the plan");
    }
  }

  /** Why a change in steps must go back; empty if it need not. Requests are never a reason. */
  public String tooFar() {
    for (Map.Entry<String, Double> each : byKeys().entrySet()) {
      if (Math.abs(each.getValue()) > MOST) {
        return "node "
            + each.getKey()
            + " has "
            + percent(each.getValue())
            + " of the keys against the plan, more than "
            + percent(MOST);
      }
    }
    return "";
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%+.1f %%", share * 100);
  }
}
