package dev.beltway.topology;

import dev.beltway.token.Partitioner;
import java.util.BitSet;

/**
 * A set of slots, written as {@code 0-5460,9000}. Immutable.
 *
 * <p>The written form has no leading zeros or spaces and is in ascending order, whatever the order
 * it was read in.
 */
public final class SlotRanges {

  /** No slots. */
  public static final SlotRanges NONE = new SlotRanges(new BitSet());

  private final BitSet slots;

  private SlotRanges(BitSet slots) {
    this.slots = slots;
  }

  /** The slots of a set, which is copied. */
  public static SlotRanges of(BitSet slots) {
    if (slots.length() > Partitioner.MOST_SLOTS) {
      throw new IllegalArgumentException(
          "slot " + (slots.length() - 1) + " is outside 0 to " + (Partitioner.MOST_SLOTS - 1));
    }
    return new SlotRanges((BitSet) slots.clone());
  }

  /**
   * Reads {@code 0-5460,9000}; an empty text is no slots.
   *
   * @throws IllegalArgumentException if the text isn't of this form, a range descends, or a slot
   *     stands twice
   */
  public static SlotRanges parse(String text) {
    BitSet slots = new BitSet();
    if (text.isBlank()) {
      return NONE;
    }
    for (String part : text.split(",", -1)) {
      String range = part.strip();
      int dash = range.indexOf('-');
      int first = number(dash < 0 ? range : range.substring(0, dash), range);
      int last = dash < 0 ? first : number(range.substring(dash + 1), range);
      if (last < first) {
        throw new IllegalArgumentException("slots \"" + range + "\" descend");
      }
      int twice = slots.nextSetBit(first);
      if (twice >= 0 && twice <= last) {
        throw new IllegalArgumentException("slot " + twice + " stands twice");
      }
      slots.set(first, last + 1);
    }
    return new SlotRanges(slots);
  }

  private static int number(String digits, String range) {
    String text = digits.strip();
    if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(
          "slots \"" + Texts.visible(range) + "\" are not of the form 0-5460,9000");
    }
    int slot = Integer.parseInt(text);
    if (slot >= Partitioner.MOST_SLOTS) {
      throw new IllegalArgumentException(
          "slot " + slot + " is outside 0 to " + (Partitioner.MOST_SLOTS - 1));
    }
    return slot;
  }

  /** The slots as a new set. */
  public BitSet toSet() {
    return (BitSet) slots.clone();
  }

  /** How many slots there are. */
  public int count() {
    return slots.cardinality();
  }

  /** The largest slot, or −1 if there is none. */
  public int largest() {
    return slots.length() - 1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlotRanges ranges && slots.equals(ranges.slots);
  }

  @Override
  public int hashCode() {
    return slots.hashCode();
  }

  /** In the written form. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int first = slots.nextSetBit(0); first >= 0; ) {
      int end = slots.nextClearBit(first);
      text.append(text.isEmpty() ? "" : ",").append(first);
      if (end > first + 1) {
        text.append('-').append(end - 1);
      }
      first = slots.nextSetBit(end);
    }
    return text.toString();
  }
}
