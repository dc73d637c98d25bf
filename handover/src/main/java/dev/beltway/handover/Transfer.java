package dev.beltway.handover;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How keys leave their source: MIGRATE inside a script there, which compares the token before it
 * answers anything, and breaks it when it can't know whether a key has arrived (rule 5).
 */
public final class Transfer {

  /** The script. */
  public static final String SCRIPT = Script.TRANSFER.text();

  /** What EVALSHA calls the script. */
  public static final String SHA = Script.TRANSFER.sha();

  /**
   * A key with more bytes than this is not moved in one step: its source and its target would
   * answer nobody for longer than some milliseconds (rule 10).
   */
  public static final long BIG = 256 << 10;

  /** A limit that no key exceeds; a number that Lua has exactly. */
  static final long ANY_SIZE = Long.MAX_VALUE >> 10;

  private static final String REFUSED = "BELTWAYTOKEN";
  private static final String BROKEN = "BELTWAYBROKEN";
  private static final String TOO_BIG = "BELTWAYBIG";

  /** What became of a transfer. */
  public enum Kind {
    /** The keys are not at the source any more, and never will be again under this token. */
    MOVED,
    /** The token is another one, or closed: nothing happened. */
    REFUSED,
    /** The token broke in this transfer: only control can say what has arrived. */
    BROKEN,
    /** The first key is copied by the mover alone: nothing happened. */
    BIG,
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
   * @param looked how many keys, from the first, this is about
   * @param keys that have left for this target since the token was opened
   * @param bytes of those
   * @param replaced keys that were at the target already, put there by somebody else
   */
  public record Outcome(
      Kind kind, String text, int looked, long keys, long bytes, List<String> replaced) {

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
   * A transfer of one key as a command for the source.
   *
   * @param seen the token with the run id that the caller saw at the source when it connected
   * @param control the control database
   * @param millis how long the source may wait for the target
   */
  public static List<String> command(
      TransferToken seen, int control, String target, int millis, Key key) {
    return command(seen, control, target, millis, key.database(), List.of(key.name()), false);
  }

  /**
   * A transfer of some keys of a database.
   *
   * @param copies whether they stay here
   */
  public static List<String> command(
      TransferToken seen,
      int control,
      String target,
      int millis,
      int database,
      List<String> keys,
      boolean copies) {
    return Script.TRANSFER.command(
        keys, arguments(seen, control, target, millis, database, Pace.MOST_BYTES, BIG, copies));
  }

  /** What the script is told beside keys. */
  static List<String> arguments(
      TransferToken seen,
      int control,
      String target,
      int millis,
      int database,
      int batchBytes,
      long keyBytes,
      boolean copies) {
    return List.of(
        Integer.toString(control),
        seen.text(),
        Integer.toString(database),
        Names.mark(target),
        Integer.toString(millis),
        Integer.toString(batchBytes),
        Long.toString(keyBytes),
        copies ? "COPY" : "");
  }

  /**
   * Reads an answer.
   *
   * @param reply as {@link Step} describes replies
   */
  public static Outcome outcome(@Nullable Object reply) {
    if (reply instanceof List<?> list && list.size() >= 3) {
      List<String> replaced = new ArrayList<>();
      list.subList(3, list.size()).forEach(each -> replaced.add(String.valueOf(each)));
      return new Outcome(
          Kind.MOVED,
          "",
          (int) number(list.get(0)),
          number(list.get(1)),
          number(list.get(2)),
          replaced);
    }
    String text = reply instanceof ErrorReply error ? error.text() : String.valueOf(reply);
    Kind kind = Kind.NOT_TAKEN;
    if (text.startsWith(REFUSED)) {
      kind = Kind.REFUSED;
    } else if (text.startsWith(BROKEN)) {
      kind = Kind.BROKEN;
    } else if (text.startsWith(TOO_BIG)) {
      kind = Kind.BIG;
    } else if (text.startsWith("NOSCRIPT")) {
      kind = Kind.UNKNOWN_SCRIPT;
    }
    return new Outcome(kind, text, 0, 0, 0, List.of());
  }

  static long number(@Nullable Object reply) {
    return reply instanceof Long number ? number : 0;
  }

  /** Whether an error says that the token is not the one that was shown. */
  static boolean isRefused(String text) {
    return text.startsWith(REFUSED);
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
}
