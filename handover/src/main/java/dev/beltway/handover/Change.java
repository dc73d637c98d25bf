package dev.beltway.handover;

/**
 * What is being changed, by whom and why, for people.
 *
 * @param what in a few words
 * @param who asked for it
 * @param why as they say it; may be empty
 * @param forced whether a server is taken for the node that it is named as, whatever it says
 */
public record Change(String what, String who, String why, boolean forced) {

  /** Not forced. */
  public Change(String what, String who, String why) {
    this(what, who, why, false);
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
}
