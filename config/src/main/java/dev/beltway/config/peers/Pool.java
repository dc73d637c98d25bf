package dev.beltway.config.peers;

import dev.beltway.topology.Topology;
import java.util.List;

/**
 * A pool that was read from another system's configuration.
 *
 * @param name what it is called there
 * @param topology that maps every key as the other system does
 * @param notes what is different all the same, or was left out, in sentences
 */
public record Pool(String name, Topology topology, List<String> notes) {

  /** Copies the list. */
  public Pool {
    notes = List.copyOf(notes);
  }
}
