package dev.beltway.control.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who may call the API. A file has a line for each key: name, role (view, operate or admin) and the
 * SHA-256 of the key in hexadecimal digits. Without a file anybody on this machine may do
 * everything, and the API listens nowhere else.
 */
public final class ApiKeys {

  /** What a caller may do; each may also do what those before it may. */
  public enum Role {
    /** Look. */
    VIEW,
    /** Change the topology, and run a proxy. */
    OPERATE,
    /** Take out and bring in everything. */
    ADMIN
  }

  /**
   * Who calls.
   *
   * @param name for the audit log
   * @param role what they may do
   */
  public record Caller(String name, Role role) {}

  private record Entry(String name, Role role, String hash) {}

  /** Nobody needs a key. */
  public static final ApiKeys OPEN = new ApiKeys(List.of(), true);

  private final List<Entry> entries;
  private final boolean open;

  private ApiKeys(List<Entry> entries, boolean open) {
    this.entries = entries;
    this.open = open;
  }

  /** Whether nobody needs a key. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it can't be read, or a line is wrong; the message names the line
   */
  public static ApiKeys read(Path file) throws IOException {
    List<Entry> entries = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      number++;
      String text = line.strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      String[] words = text.split("\\s+", -1);
      boolean right =
          words.length == 3
              && words[1].matches("view|operate|admin")
              && words[2].matches("[0-9a-fA-F]{64}");
      if (!right) {
        throw new IOException(
            file + ":" + number + ": not NAME view|operate|admin SHA256 in 64 hexadecimal digits");
      }
      entries.add(
          new Entry(
              words[0],
              Role.valueOf(words[1].toUpperCase(Locale.ROOT)),
              words[2].toLowerCase(Locale.ROOT)));
    }
    if (entries.isEmpty()) {
      throw new IOException(file + " names nobody");
    }
    return new ApiKeys(entries, false);
  }

  /** Who has this key; compared in the same time for each. */
  Optional<Caller> caller(@Nullable String key) {
    if (open) {
      return Optional.of(new Caller("local", Role.ADMIN));
    }
    if (key == null) {
      return Optional.empty();
    }
    byte[] hash = HexFormat.of().formatHex(sha256(key)).getBytes(StandardCharsets.US_ASCII);
    Caller found = null;
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(hash, entry.hash().getBytes(StandardCharsets.US_ASCII))) {
        found = new Caller(entry.name(), entry.role());
      }
    }
    return Optional.ofNullable(found);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }
}
