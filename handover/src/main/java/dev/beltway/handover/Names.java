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

  /** At a source: the big key that is being copied, and when its time would be over. */
  public static final String SEALED = "__beltway:sealed";

  /** At a source: big keys that somebody waits for. */
  public static final String WANTED = "__beltway:wanted";

  /** At a source: how many keys and bytes have left, by target. */
  public static final String MOVED = "__beltway:moved";

  /** At a target: the copy of a source's big key until it is whole. */
  public static final String STAGING = "__beltway:staging:";

  /** At a target: which attempt of a source the copy is of. */
  public static final String ATTEMPT = "__beltway:attempt:";

  /** How all keys of Beltway's own begin. */
  public static final String OWN = "__beltway:";

  /** What the preflight sends from a source to a target. */
  public static final String PROBE = "__beltway:probe:";

  /** What control's connections to nodes are called. */
  public static final String CONTROL_CLIENT = "beltway-control";

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
