package dev.beltway.lab.report;

import dev.beltway.lab.replay.Outcome;
import dev.beltway.lab.replay.Window;
import java.util.OptionalLong;

/** Figures of a replay as cells of tables, on paper and on a terminal alike. */
public final class ReplayCells {

  private ReplayCells() {}

  /** The hit ratio of a window. */
  public static String hitRatio(Window window) {
    return window.reads() == 0 ? "no reads" : Amounts.percent(window.hitRatio());
  }

  /** The hit ratio of the worst window, if any was below the unchanged one. */
  public static String worst(Outcome outcome, Outcome unchanged) {
    return outcome.worst(unchanged).map(ReplayCells::hitRatio).orElse("none below");
  }

  /** After how many requests the hit ratio is back. */
  public static String back(Outcome outcome, Outcome unchanged) {
    OptionalLong back = outcome.recovered(unchanged);
    return back.isPresent() ? Amounts.count(back.getAsLong()) : "not in this log";
  }
}
