package dev.beltway.lab.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Turns the lines of one file into requests. May remember a header; not thread-safe. */
interface LineParser {

  /**
   * Reads one line, {@code bytes[from..to)} without its end, and gives its requests to {@code out}.
   *
   * @param request to fill and hand on
   * @return why there was no request, or null if there was one
   * @throws KeyLogException if the whole file makes no sense
   */
  @Nullable Skip parse(byte[] bytes, int from, int to, Request request, RequestVisitor out)
      throws IOException, KeyLogException;
}
