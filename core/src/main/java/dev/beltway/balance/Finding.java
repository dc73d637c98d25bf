package dev.beltway.balance;

/**
 * One thing that lint found.
 *
 * @param rule the rule's name, such as {@code weak-hash}
 * @param severity how bad it is
 * @param reason what is wrong here and what follows from it, in plain words with figures
 * @param remedy what to do about it
 */
public record Finding(String rule, Severity severity, String reason, String remedy) {

  /** How bad a finding is. */
  public enum Severity {
    /** Will hurt; a check that meets one fails. */
    ERROR,
    /** Is likely to hurt. */
    WARNING,
    /** Is worth knowing. */
    NOTE
  }
}
