package dev.beltway.lab.tables;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One published figure or claim, judged.
 *
 * @param source where it stands
 * @param name what it is
 * @param printed what is printed there; null where there is only code, or a control
 * @param computed what comes out here
 * @param met whether the figure holds
 * @param note what to know about it; may be empty
 */
public record Figure(
    String source, String name, JsonNode printed, JsonNode computed, Met met, String note) {

  /** Whether a figure holds. */
  public enum Met {
    /**
     * The same comes out here; where nothing is printed, the same as from the article's own code.
     */
    YES,
    /** Something else comes out here. */
    NO,
    /** The article's own code doesn't give what is printed, and neither does anything here. */
    NOT_REPRODUCIBLE
  }
}
