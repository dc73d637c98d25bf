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
   * Where a node's server is, or would be if it were started.
   *
   * @throws IOException if there is no port left
   */
  String address(String id) throws IOException;

  /**
   * Sees to it that the server of a node runs; one that runs already stays as it is.
   *
   * @return where it is; the same as {@link #address} says
   * @throws IOException if it doesn't start
   */
  String serve(String id) throws IOException;

  /** What the load has seen; fields {@code requests, misses, wrong, errors, error}. */
  ObjectNode load();
}
