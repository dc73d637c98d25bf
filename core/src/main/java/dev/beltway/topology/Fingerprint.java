package dev.beltway.topology;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A short name of a mapping from keys to nodes. Two topologies with equal fingerprints route every
 * key alike; whoever shows another one has another topology, and almost surely another mapping.
 *
 * @param hex the first 16 bytes of the SHA-256 of the {@link Topology#canonicalForm() canonical
 *     form}, as 32 lower-case hexadecimal digits
 */
public record Fingerprint(String hex) {

  private static final int BYTES = 16;

  /** Checks the form. */
  public Fingerprint {
    if (!hex.matches("[0-9a-f]{32}")) {
      throw new IllegalArgumentException(
          "fingerprint \"" + Texts.visible(hex) + "\" is not 32 hexadecimal digits");
    }
  }

  static Fingerprint of(String canonicalForm) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(canonicalForm.getBytes(StandardCharsets.UTF_8));
      return new Fingerprint(HexFormat.of().formatHex(digest, 0, BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return hex;
  }
}
