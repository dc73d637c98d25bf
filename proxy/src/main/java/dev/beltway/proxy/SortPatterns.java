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
    NodeLink node = view.owner(request, 1);
    if (view.links().size() == 1) {
      return true;
    }
    for (int i = 2; i + 1 < request.count(); i++) {
      boolean get = request.is(i, "GET");
      if (get || request.is(i, "BY")) {
        i++;
        String pattern = request.text(i);
        boolean names = get ? !pattern.equals("#") : pattern.indexOf('*') >= 0;
        if (names && !fits(view, node, pattern)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean fits(View view, NodeLink node, String pattern) {
    String tag = HashTag.of(pattern);
    return view.routing().placement().partitioner().hashTags()
        && tag.length() < pattern.length()
        && tag.indexOf('*') < 0
        && view.owner(pattern.getBytes(StandardCharsets.UTF_8)) == node;
  }
}
