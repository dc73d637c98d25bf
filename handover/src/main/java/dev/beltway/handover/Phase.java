package dev.beltway.handover;

/** Where a cluster is between two mappings. */
public enum Phase {
  /** One mapping holds. */
  STEADY,
  /** One mapping holds; a change to another one is being checked and made ready. */
  PREPARING,
  /** Moving keys are held, until nothing sent before can be done any more. */
  FENCING,
  /** Keys leave their source when somebody asks for them, and by a walk. */
  MOVING,
  /** Moving keys are held again, because the change is taken back. */
  REVERSING;

  /** Whether a proxy holds commands on moving keys. */
  public boolean holds() {
    return this == FENCING || this == REVERSING;
  }

  /** Whether two mappings are in play. */
  public boolean isBetween() {
    return holds() || this == MOVING;
  }
}
