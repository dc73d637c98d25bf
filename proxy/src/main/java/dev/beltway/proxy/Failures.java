package dev.beltway.proxy;

import dev.beltway.resp.client.CallFailure;

/**
 * What clients are told when a node can't answer. The code says what a client may do: after {@code
 * CLUSTERDOWN} and {@code TRYAGAIN} the command was not executed and can be sent again, after
 * {@code ERR} that isn't known.
 */
final class Failures {

  private Failures() {}

  static String text(String node, CallFailure failure) {
    return switch (failure.kind()) {
      case DOWN, REFUSED -> "CLUSTERDOWN node " + node + " is down: " + failure.text();
      case BUSY -> "TRYAGAIN node " + node + " is behind: " + failure.text();
      case SILENT, LOST ->
          "ERR node "
              + node
              + " did not answer, the command may have been executed: "
              + failure.text();
    };
  }
}
