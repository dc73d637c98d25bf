package dev.beltway.resp.command;

/**
 * One group of keys among a command's arguments, by the key specifications of Redis's own COMMAND.
 *
 * @param effect what is done to these keys
 * @param keyword in capitals, after which to begin; empty if {@code begin} is an index
 * @param begin index of the first argument of the group, or where the search for the keyword
 *     begins, negative from the end
 * @param counted whether the group begins with the number of its keys
 * @param last the last key relative to the first, negative from the end; or where the number stands
 * @param step from key to key
 * @param limit with a last key of −1: divide what is left by this
 * @param first relative index of the first key behind the number
 */
public record KeyGroup(
    Effect effect,
    String keyword,
    int begin,
    boolean counted,
    int last,
    int step,
    int limit,
    int first) {

  /** Takes a key that was found. */
  public interface Visitor {
    /** One key. */
    void key(int argument, Effect effect);
  }

  /** Whether the keys always stand at the same places, whatever the other arguments say. */
  boolean isFixed() {
    return keyword.isEmpty() && !counted;
  }

  /** Visits the keys among the arguments, in their order. O(keys), and a search for a keyword. */
  void visit(Arguments arguments, Visitor visitor) {
    if (!keyword.isEmpty() && !counted && last == 0) {
      everyKey(arguments, visitor);
      return;
    }
    int from = keyword.isEmpty() ? begin : afterKeyword(arguments);
    int count = arguments.count();
    if (from < 1 || from >= count) {
      return;
    }
    if (counted) {
      long number = from + last < count ? arguments.number(from + last) : 0;
      for (long i = 0; i < number && from + first + i * step < count; i++) {
        visitor.key((int) (from + first + i * step), effect);
      }
      return;
    }
    int end = last >= 0 ? from + last : count + last;
    if (last == -1 && limit > 1) {
      end = from + (count - from) / limit - 1;
    }
    for (int i = from; i <= end && i < count; i += step) {
      visitor.key(i, effect);
    }
  }

  /**
   * STORE and the like may stand several times, and a server takes the last: each counts, so that
   * none is overlooked.
   */
  private void everyKey(Arguments arguments, Visitor visitor) {
    int from = begin < 0 ? Math.max(1, arguments.count() + begin) : begin;
    for (int i = from; i + 1 < arguments.count(); i++) {
      if (arguments.is(i, keyword)) {
        visitor.key(i + 1, effect);
      }
    }
  }

  private int afterKeyword(Arguments arguments) {
    int direction = begin < 0 ? -1 : 1;
    int from = begin < 0 ? arguments.count() + begin : begin;
    for (int i = from; i >= 1 && i < arguments.count(); i += direction) {
      if (arguments.is(i, keyword)) {
        return i + 1;
      }
    }
    return -1;
  }
}
