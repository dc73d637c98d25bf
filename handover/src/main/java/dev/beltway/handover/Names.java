package dev.beltway.handover;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

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

  private static final String PLAIN = "[A-Za-z0-9_.-]{1,40}";
  private static final int MARK_BYTES = 8;

  private Names() {}

  /** A node's id where only plain characters can stand: itself, or a hash of it. */
  public static String mark(String node) {
    if (node.matches(PLAIN)) {
      return node;
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(node.getBytes(StandardCharsets.UTF_8));
      return "~" + HexFormat.of().formatHex(digest, 0, MARK_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }
}
