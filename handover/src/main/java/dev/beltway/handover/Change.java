package dev.beltway.handover;

/**
 * What is being changed, by whom and why, for people; and how keys are to move.
 *
 * @param what in a few words
 * @param who asked for it
 * @param why as they say it; may be empty
 * @param forced whether a doubtful server is taken as it is
 * @param options how keys move
 */
public record Change(String what, String who, String why, boolean forced, MoveOptions options) {

  /** Not forced, and as usual. */
  public Change(String what, String who, String why) {
    this(what, who, why, false, MoveOptions.USUAL);
  }

  /** How long each text may be. */
  public static final int LONGEST = 500;

  /** Checks the lengths. */
  public Change {
    for (String text : new String[] {what, who, why}) {
      if (text.length() > LONGEST) {
        throw new IllegalArgumentException(
            "a text of " + text.length() + " characters is longer than " + LONGEST);
      }
    }
  }

  /** With other options. */
  public Change with(MoveOptions next) {
    return new Change(what, who, why, forced, next);
  }
}
