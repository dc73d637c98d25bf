package dev.beltway.config.peers;

import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.Topology;

/** What refusals say of a topology. */
final class Exports {

  private Exports() {}

  static String describe(Topology topology) {
    String algorithm = topology.rule().algorithm();
    return topology.rule() instanceof KetamaRule ketama
        ? algorithm + " of " + ketama.variant().text()
        : algorithm;
  }
}
