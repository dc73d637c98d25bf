package dev.beltway.cli;

import dev.beltway.config.TopologyFileException;
import dev.beltway.config.TopologyFiles;
import dev.beltway.topology.Topology;
import java.nio.file.Path;

/** Reads a topology file named on the command line. */
final class TopologyInput {

  private TopologyInput() {}

  static Topology read(Path file) throws BadInputException {
    try {
      return TopologyFiles.read(file);
    } catch (TopologyFileException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }
}
