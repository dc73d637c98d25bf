package dev.beltway.proxy.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Somebody who may use the proxy.
 *
 * @param name as in {@code AUTH name password}
 * @param passwords SHA-256 of each password in hexadecimal, as Redis's own ACL files keep them
 * @param anyPassword whether any password will do
 * @param commands which commands
 * @param keys what the keys must begin with, one of these; the empty text is any key
 * @param channels what channels must begin with, one of these
 */
public record User(
    String name,
    List<String> passwords,
    boolean anyPassword,
    CommandRules commands,
    List<String> keys,
    List<String> channels) {

  /** Checks the hashes. */
  public User {
    passwords = List.copyOf(passwords);
    keys = List.copyOf(keys);
    channels = List.copyOf(channels);
    for (String hash : passwords) {
      if (!hash.matches("[0-9a-f]{64}")) {
        throw new IllegalArgumentException(
            "a password of user " + name + " is not the 64 hexadecimal digits of its SHA-256");
      }
    }
    if (anyPassword == !passwords.isEmpty()) {
      throw new IllegalArgumentException("user " + name + " needs either passwords or anyPassword");
    }
  }

  /** Whether this is the user's password. Takes as long for a wrong one. */
  public boolean knows(String password) {
    byte[] hash = sha256(password).getBytes(StandardCharsets.US_ASCII);
    boolean known = anyPassword;
    for (String each : passwords) {
      known |= MessageDigest.isEqual(hash, each.getBytes(StandardCharsets.US_ASCII));
    }
    return known;
  }

  /** Whether the user may do anything with any key and channel. */
  public boolean isUnlimited() {
    return commands.allowAll() && !limitsKeys() && channels.contains("");
  }

  /** Whether keys must be looked at. */
  public boolean limitsKeys() {
    return !keys.contains("");
  }

  /** How many bytes of a key or channel must be looked at. */
  public int longestPrefix() {
    int longest = 0;
    for (String prefix : keys) {
      longest = Math.max(longest, prefix.getBytes(StandardCharsets.UTF_8).length);
    }
    for (String prefix : channels) {
      longest = Math.max(longest, prefix.getBytes(StandardCharsets.UTF_8).length);
    }
    return longest;
  }

  /** Whether the user may touch the key; its first {@link #longestPrefix()} bytes are enough. */
  public boolean mayTouch(byte[] key) {
    return begins(keys, key);
  }

  /** Whether the user may use the channel, or the pattern of channels as it is written. */
  public boolean mayHear(byte[] channel) {
    return begins(channels, channel);
  }

  private static boolean begins(List<String> prefixes, byte[] text) {
    for (String prefix : prefixes) {
      byte[] bytes = prefix.getBytes(StandardCharsets.UTF_8);
      if (text.length >= bytes.length
          && java.util.Arrays.equals(text, 0, bytes.length, bytes, 0, bytes.length)) {
        return true;
      }
    }
    return false;
  }

  /** SHA-256 of a password, in hexadecimal. */
  public static String sha256(String password) {
    try {
      byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every JDK has it.
    }
  }
}
