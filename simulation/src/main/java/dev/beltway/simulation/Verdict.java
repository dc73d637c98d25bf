package dev.beltway.simulation;

import java.util.List;

/**
 * What came of a schedule.
 *
 * @param violation what must not have happened; empty if nothing did
 * @param steps how many there were
 * @param changes how many changes of topology were completed
 * @param trace step by step, if it was kept
 */
record Verdict(String violation, int steps, int changes, List<String> trace) {

  Verdict {
    trace = List.copyOf(trace);
  }

  boolean isGood() {
    return violation.isEmpty();
  }
}
