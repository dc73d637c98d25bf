package dev.beltway.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files that appear whole or not at all: a full disk or a kill leaves nothing of that name behind.
 */
final class WholeFile {

  private WholeFile() {}

  /** Makes the file appear at its place. */
  private interface Publication {
    void publish(Path part, Path file) throws IOException;
  }

  /**
   * Writes a new file.
   *
   * @throws FileAlreadyExistsException if there is one of that name
   */
  static void create(Path file, String text) throws BadInputException, IOException {
    write(file, text, WholeFile::link);
  }

  /** Writes a file, in place of one of that name. */
  static void replace(Path file, String text) throws BadInputException, IOException {
    write(file, text, (part, whole) -> Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE));
  }

  private static void write(Path file, String text, Publication publication)
      throws BadInputException, IOException {
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
        publication.publish(part, file);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (FileAlreadyExistsException e) {
      throw e;
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
  private static void link(Path part, Path file) throws IOException {
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
