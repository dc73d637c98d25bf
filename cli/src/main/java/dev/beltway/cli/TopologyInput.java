package dev.beltway.cli;

import dev.beltway.config.ConfigFileException;
import dev.beltway.config.TopologyFiles;
import dev.beltway.config.TopologyText;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Locale;

/** Topology files named on the command line. */
final class TopologyInput {

  private TopologyInput() {}

  static Topology read(Path file) throws BadInputException {
    try {
      return TopologyFiles.read(file);
    } catch (ConfigFileException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }

  /** Writes a new file whole or not at all: a full disk leaves nothing behind. */
  static void write(Path file, Topology topology) throws BadInputException, IOException {
    String text =
        file.toString().toLowerCase(Locale.ROOT).endsWith(".json")
            ? TopologyText.json(topology)
            : TopologyText.yaml(topology);
    if (text.getBytes(StandardCharsets.UTF_8).length > TopologyFiles.MOST_BYTES) {
      throw new BadInputException(
          file
              + ": the topology takes more than "
              + TopologyFiles.MOST_BYTES / (1 << 20)
              + " MiB, the most that is read; nothing was written");
    }
    try {
      WholeFile.create(file, text);
    } catch (FileAlreadyExistsException e) {
      throw new BadInputException(file + " exists already; name a new file");
    }
  }
}
