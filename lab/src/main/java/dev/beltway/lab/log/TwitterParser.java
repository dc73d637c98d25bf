package dev.beltway.lab.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Twitter's cache traces (Yang, Yue, Vinayak, OSDI 2020): time, key, key size, value size, client,
 * operation, TTL. Keys may have commas of their own, so fields are counted from both ends.
 */
final class TwitterParser implements LineParser {

  private static final int FIELDS_AFTER_KEY = 5;

  private final int[] commas = new int[FIELDS_AFTER_KEY];

  @Override
  public @Nullable Skip parse(byte[] line, int from, int to, Request request, RequestVisitor out)
      throws IOException {
    int first = from;
    while (first < to && line[first] != ',') {
      first++;
    }
    int at = to;
    for (int i = FIELDS_AFTER_KEY - 1; i >= 0; i--) {
      do {
        at--;
      } while (at > first && line[at] != ',');
      if (at <= first) {
        return Skip.MALFORMED;
      }
      commas[i] = at;
    }
    request.time = Numbers.time(line, from, first);
    request.size = Numbers.whole(line, commas[1] + 1, commas[2], Request.MOST_SIZE);
    request.operation = Operation.of(line, commas[3] + 1, commas[4]);
    request.ttl = Numbers.milliseconds(line, commas[4] + 1, to);
    if (request.time == Numbers.NONE || request.size < 0 || request.ttl < 0) {
      return Skip.MALFORMED;
    }
    if (first + 1 == commas[0]) {
      return Skip.EMPTY_KEY;
    }
    request.key(line, first + 1, commas[0]);
    out.visit(request);
    return null;
  }
}
