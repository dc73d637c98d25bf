package dev.beltway.lab.log;

import java.io.IOException;

/** Takes one key after the other. */
@FunctionalInterface
public interface KeyVisitor {
  /** One key: {@code length} bytes from {@code offset}, valid during the call only. */
  void visit(byte[] bytes, int offset, int length) throws IOException;
}
