package dev.beltway.simulation;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which safeguards are taken out.
 *
 * @param all those
 */
record Flaws(Set<Flaw> all) {

  /** None: the protocol as it is. */
  static final Flaws NONE = new Flaws(EnumSet.noneOf(Flaw.class));

  static Flaws of(Flaw flaw) {
    return new Flaws(EnumSet.of(flaw));
  }

  boolean has(Flaw flaw) {
    return all.contains(flaw);
  }
}
