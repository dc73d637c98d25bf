package dev.beltway.proxy;

import dev.beltway.resp.command.FrameArguments;
import dev.beltway.token.HashTag;
import java.nio.charset.StandardCharsets;

/**
 * SORT's BY and GET name further keys by a pattern. They can be read only if they are sure to be on
 * the node of the sorted key: where the pattern's hash tag has no star in it and is on that node.
 */
final class SortPatterns {

  static final String REFUSAL =
      "ERR BY and GET of SORT must have a hash tag whose owner is the node of the sorted key";

  private SortPatterns() {}

  static boolean fit(View view, FrameArguments request) {
    if (view.links().size() == 1) {
      return true;
    }
    NodeLink node = view.owner(request, 1);
    boolean[] fit = {true};
    visit(request, (option, pattern) -> fit[0] &= fits(view, node, pattern));
    return fit[0];
  }

  /** Which option, if any, names keys by a pattern: BY, GET, or the empty text. */
  static String names(FrameArguments request) {
    String[] named = {""};
    visit(request, (option, pattern) -> named[0] = option);
    return named[0];
  }

  private interface Visitor {
    void pattern(String option, String pattern);
  }

  /** Visits the patterns that name further keys, skipping options' arguments as a server does. */
  private static void visit(FrameArguments request, Visitor visitor) {
    for (int i = 2; i < request.count(); i++) {
      boolean more = i + 1 < request.count();
      if (request.is(i, "LIMIT")) {
        i += 2;
      } else if (request.is(i, "STORE")) {
        i++;
      } else if (more && request.is(i, "BY")) {
        i++;
        if (request.text(i).indexOf('*') >= 0) {
          visitor.pattern("BY", request.text(i));
        }
      } else if (more && request.is(i, "GET")) {
        i++;
        if (!request.is(i, "#")) {
          visitor.pattern("GET", request.text(i));
        }
      }
    }
  }

  private static boolean fits(View view, NodeLink node, String pattern) {
    String tag = HashTag.of(pattern);
    return view.routing().placement().partitioner().hashTags()
        && tag.length() < pattern.length()
        && tag.indexOf('*') < 0
        && view.owner(pattern.getBytes(StandardCharsets.UTF_8)) == node;
  }
}
