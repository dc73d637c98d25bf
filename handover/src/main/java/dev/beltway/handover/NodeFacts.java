package dev.beltway.handover;

/**
 * What a node says of itself.
 *
 * @param run its run id
 * @param role master or slave
 * @param version such as 7.0.15
 * @param keys in all databases
 * @param durable whether it writes each command to disk before it answers
 * @param openDefault whether anybody may log in without a password
 * @param load how much it carries
 */
public record NodeFacts(
    String run,
    String role,
    String version,
    long keys,
    boolean durable,
    boolean openDefault,
    Load load) {

  /**
   * How much a node carries.
   *
   * @param memory in use, in bytes
   * @param maxMemory that it may use, in bytes; 0 for no limit
   * @param policy what it does when that is full
   * @param requests that it has answered since it began
   */
  public record Load(long memory, long maxMemory, String policy, long requests) {

    /** Nothing is known. */
    public static final Load UNKNOWN = new Load(0, 0, "", 0);

    /** Whether it throws keys away when it is full. */
    public boolean evicts() {
      return maxMemory > 0 && !policy.equals("noeviction");
    }
  }
}
