package dev.beltway.cli;

import dev.beltway.config.TopologyFileException;
import dev.beltway.config.TopologyFiles;
import dev.beltway.config.TopologyText;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

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
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new BadInputException(file + ": the folder doesn't exist");
    }
    // Not createTempFile, whose files nobody else may read.
    Path part = folder.resolve(".beltway-" + Long.toHexString(System.nanoTime()) + ".part");
    try {
      Files.writeString(part, "", StandardOpenOption.CREATE_NEW);
      try {
        Files.writeString(part, text);
        publish(part, file);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (FileAlreadyExistsException e) {
      throw new BadInputException(file + " exists already; name a new file");
    } catch (AccessDeniedException e) {
      throw new BadInputException(file + ": can't be written: permission denied");
    } catch (IOException e) {
      String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
      String why = reason == null ? "the folder takes no files" : reason;
      throw new IOException(file + ": can't be written: " + why, e);
    }
  }

  /**
   * A link appears whole, and fails where a file has appeared meanwhile, which a move doesn't; but
   * not every file system has links.
   */
  private static void publish(Path part, Path file) throws IOException {
    try {
      Files.createLink(file, part);
    } catch (FileAlreadyExistsException | AccessDeniedException e) {
      throw e;
    } catch (UnsupportedOperationException | FileSystemException e) {
      if (Files.exists(file)) {
        throw new FileAlreadyExistsException(file.toString());
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
