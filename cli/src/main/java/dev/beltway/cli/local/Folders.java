package dev.beltway.cli.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders that go with a process. */
public final class Folders {

  private Folders() {}

  /** Deletes a folder and all in it, as far as that is possible; links are not followed. */
  public static void deleteAll(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      return; // The next start, or the system, clears it.
    }
  }
}
