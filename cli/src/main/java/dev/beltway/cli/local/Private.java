package dev.beltway.cli.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that this user alone may read. */
final class Private {

  private Private() {}

  private static FileAttribute<?>[] attributes(String permissions) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** Writes a file, over what is there. */
  static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(file, attributes("rw-------"));
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Makes a folder, if it isn't there. */
  static Path folder(Path folder) throws IOException {
    try {
      Path parent = folder.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      return Files.createDirectory(folder, attributes("rwx------"));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw new IOException(folder + " is no folder", e);
      }
      return folder;
    }
  }
}
