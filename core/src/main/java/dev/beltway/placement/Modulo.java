package dev.beltway.placement;

import dev.beltway.topology.Topology;

/** {@code hash % N}, on the hash's own width. */
final class Modulo extends Listed {

  Modulo(Topology topology) {
    super(topology);
  }

  @Override
  int index(long hash, int count) {
    return (int) Long.remainderUnsigned(hash, count);
  }
}
