package dev.beltway.handover;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How keys leave their source: MIGRATE inside a script there, which compares the token before it
 * answers anything, and breaks it when it can't know whether a key has arrived (rule 5).
 */
public final class Transfer {

  /** The script. */
  public static final String SCRIPT = read("transfer.lua");

  /** What EVALSHA calls the script. */
  public static final String SHA = sha1(SCRIPT);

  private static final String REFUSED = "BELTWAYTOKEN";
  private static final String BROKEN = "BELTWAYBROKEN";

  /** What became of a transfer. */
  public enum Kind {
    /** The keys are not at the source any more, and never will be again under this token. */
    MOVED,
    /** The token is another one, or closed: nothing happened. */
    REFUSED,
    /** The token broke in this transfer: only control can say what has arrived. */
    BROKEN,
    /** The source doesn't know the script: nothing happened. */
    UNKNOWN_SCRIPT,
    /** The target did not take it: nothing has moved, or some keys of a batch have. */
    NOT_TAKEN
  }

  /**
   * What became of a transfer.
   *
   * @param kind whether the keys have left
   * @param text what the source said, if they have not
   * @param replaced keys that were at the target already, put there by somebody else
   */
  public record Outcome(Kind kind, String text, List<String> replaced) {

    /** Copies the list. */
    public Outcome {
      replaced = List.copyOf(replaced);
    }

    /** Whether the keys have left. */
    public boolean isMoved() {
      return kind == Kind.MOVED;
    }
  }

  private Transfer() {}

  /**
   * A transfer as a command for the source.
   *
   * @param seen the token with the run id that the caller saw at the source when it connected
   * @param control the control database
   * @param millis how long the source may wait for the target
   */
  public static List<String> command(
      TransferToken seen, int control, String target, int millis, int database, List<String> keys) {
    List<String> words = new ArrayList<>();
    words.add("EVALSHA");
    words.add(SHA);
    words.add(Integer.toString(keys.size()));
    words.addAll(keys);
    words.add(Integer.toString(control));
    words.add(seen.text());
    words.add(Integer.toString(database));
    words.add(Names.mark(target));
    words.add(Integer.toString(millis));
    return words;
  }

  /**
   * Reads an answer.
   *
   * @param reply as {@link Step} describes replies
   */
  public static Outcome outcome(@Nullable Object reply) {
    if (reply instanceof ErrorReply error) {
      String text = error.text();
      Kind kind = Kind.NOT_TAKEN;
      if (text.startsWith(REFUSED)) {
        kind = Kind.REFUSED;
      } else if (text.startsWith(BROKEN)) {
        kind = Kind.BROKEN;
      } else if (text.startsWith("NOSCRIPT")) {
        kind = Kind.UNKNOWN_SCRIPT;
      }
      return new Outcome(kind, text, List.of());
    }
    List<String> replaced = new ArrayList<>();
    if (reply instanceof List<?> list) {
      list.forEach(each -> replaced.add(String.valueOf(each)));
    }
    return new Outcome(Kind.MOVED, "", replaced);
  }

  /**
   * A target as it stands in a token.
   *
   * @param host where the source finds it
   * @param user its login there
   * @param password the login's
   */
  public static String place(String host, int port, String user, String password) {
    return host + "\n" + port + "\n" + user + "\n" + password;
  }

  private static String read(String name) {
    try (InputStream in = Transfer.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-1", e);
    }
  }
}
