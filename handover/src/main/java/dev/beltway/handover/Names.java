package dev.beltway.handover;

/** What Beltway keeps on nodes: all of it in the control database, beside the data. */
public final class Names {

  /** The number of the leader that may give orders. */
  public static final String TERM = "__beltway:term";

  /** A source's token: a hash with its text and, by target, where that is and how to log in. */
  public static final String TOKEN = "__beltway:token";

  /** Where a token goes that was broken. */
  public static final String BROKEN = "__beltway:token:broken";

  /** What the preflight sends from a source to a target. */
  public static final String PROBE = "__beltway:probe:";

  /** How the users of transfers begin. */
  public static final String TRANSFER_USERS = "xfer-";

  /** How the users of proxies begin. */
  public static final String PROXY_USERS = "beltway-proxy-";

  private Names() {}
}
