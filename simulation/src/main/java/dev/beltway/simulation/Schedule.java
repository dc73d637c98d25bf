package dev.beltway.simulation;

/**
 * What happens in one made-up world, all of it drawn from a seed.
 *
 * @param seed of the choices
 * @param flaws what is taken out
 * @param mostSteps of the part with faults
 * @param traced whether the trace is kept
 */
record Schedule(long seed, Flaws flaws, int mostSteps, boolean traced) {

  /** How many steps a schedule has unless it is shrunk. */
  static final int USUAL_STEPS = 900;

  static Schedule of(long seed, Flaws flaws) {
    return new Schedule(seed, flaws, USUAL_STEPS, false);
  }
}
