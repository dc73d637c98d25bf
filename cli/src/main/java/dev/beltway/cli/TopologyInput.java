package dev.beltway.cli;

import dev.beltway.config.TopologyFileException;
import dev.beltway.config.TopologyFiles;
import dev.beltway.config.TopologyText;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Topology files named on the command line. */
final class TopologyInput {

  private TopologyInput() {}

  static Topology read(Path file) throws BadInputException {
    try {
      return TopologyFiles.read(file);
    } catch (TopologyFileException e) {
      throw new BadInputException(String.valueOf(e.getMessage()));
    }
  }

  /** Writes a new file whole or not at all: a full disk leaves nothing behind. */
  static void write(Path file, Topology topology) throws BadInputException, IOException {
    String text =
        file.toString().endsWith(".json")
            ? TopologyText.json(topology)
            : TopologyText.yaml(topology);
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new BadInputException(file + ": the folder doesn't exist");
    }
    Path part = Files.createTempFile(folder, ".beltway", ".part");
    try {
      Files.writeString(part, text);
      Files.createLink(file, part); // Fails where a file has appeared meanwhile.
    } catch (FileAlreadyExistsException e) {
      throw new BadInputException(file + " exists already; name a new file");
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
