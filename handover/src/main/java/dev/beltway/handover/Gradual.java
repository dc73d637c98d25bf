package dev.beltway.handover;

import java.util.List;

/**
 * What is left of a change in steps: each step is a topology of its own, and a change of its own.
 *
 * @param origin the epoch to return to
 * @param epochs of the steps that are left, the next one first
 * @param circular whether some nodes would give to each other in a step
 * @param checked whether the next step waits until what is measured fits what was planned
 * @param change what all of it is, for people
 */
public record Gradual(
    long origin, List<Long> epochs, boolean circular, boolean checked, Change change) {

  /** How many steps a change may have. */
  public static final int MOST_STEPS = 100;

  /** Copies the list. */
  public Gradual {
    epochs = List.copyOf(epochs);
    if (epochs.size() > MOST_STEPS) {
      throw new IllegalArgumentException(epochs.size() + " steps are more than " + MOST_STEPS);
    }
  }

  /** Without the next step. */
  public Gradual rest() {
    return new Gradual(origin, epochs.subList(1, epochs.size()), circular, checked, change);
  }

  /** With or without a look at what is measured. */
  public Gradual checked(boolean again) {
    return new Gradual(origin, epochs, circular, again, change);
  }
}
