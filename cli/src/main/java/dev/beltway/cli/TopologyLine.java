package dev.beltway.cli;

import dev.beltway.topology.Topology;
import java.util.Locale;

/** A topology in one line. */
final class TopologyLine {

  private TopologyLine() {}

  static String of(Topology topology) {
    String unit = unit(topology);
    return String.format(
        Locale.ROOT,
        "epoch %d, %s by %s, %s%s, fingerprint %s",
        topology.epoch(),
        topology.rule().algorithm(),
        topology.rule().partitioner().hash(),
        Formats.plural(topology.nodes().size(), "node"),
        unit.isEmpty() ? "" : ", " + Formats.count(topology.tokens()) + " " + unit,
        topology.fingerprint());
  }

  private static String unit(Topology topology) {
    return topology.rule().sizeUnit();
  }
}
