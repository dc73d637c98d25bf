package dev.beltway.control.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * What a control process can do besides that runs on one machine with everything else, as {@code
 * beltway up} does: start the server of a node, and tell what a load that runs beside has seen.
 * Thread-safe.
 */
public interface Sandbox {

  /**
   * Sees to it that the server of a node runs; one that runs already stays as it is.
   *
   * @return where it is
   * @throws IOException if it doesn't start, or there are too many
   */
  String serve(String id) throws IOException;

  /** What the load has seen; fields {@code requests, misses, wrong, errors, error}. */
  ObjectNode load();
}
