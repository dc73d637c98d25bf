package dev.beltway.topology;

/**
 * On how many nodes a key is to be, and what two of them should not share.
 *
 * @param replicas distinct nodes that hold a key, 1 to {@value #MOST}
 * @param domain what fails together; replicas go to different domains first
 */
public record Replication(int replicas, FailureDomain domain) {

  /** The largest number of replicas. */
  public static final int MOST = 16;

  /** One copy; zones are respected by whoever asks for more. */
  public static final Replication NONE = new Replication(1, FailureDomain.ZONE);

  /** Checks the range. */
  public Replication {
    Ranges.check("replicas", replicas, 1, MOST);
  }

  /** So many replicas, in different zones as far as there are any. */
  public static Replication of(int replicas) {
    return new Replication(replicas, FailureDomain.ZONE);
  }
}
