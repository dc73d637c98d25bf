package dev.beltway.simulation;

/** Something that must not happen has happened. */
final class Violation extends RuntimeException {

  private static final long serialVersionUID = 1;

  Violation(String text) {
    super(text, null, false, false);
  }
}
