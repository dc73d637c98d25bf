package dev.beltway.lab.log;

import java.io.IOException;

/** Takes one request after the other. */
@FunctionalInterface
public interface RequestVisitor {
  /** One request, valid during the call only. */
  void visit(Request request) throws IOException;
}
