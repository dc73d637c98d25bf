package dev.beltway.cli;

import dev.beltway.lab.report.Page;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes a report, whole or not at all, and never over anything but an earlier report. */
final class ReportFile {

  private ReportFile() {}

  /** Checks before the work begins what would hinder the writing after it. */
  static void check(Path file) throws BadInputException {
    Path folder = file.toAbsolutePath().getParent();
    if (file.toString().isEmpty() || file.toString().equals("-")) {
      throw new BadInputException("--report: \"" + file + "\" is not a file name");
    }
    if (folder == null || !Files.isDirectory(folder)) {
      throw new BadInputException("--report: " + file + ": the folder doesn't exist");
    }
    if (Files.exists(file) && !isReport(file)) {
      throw new BadInputException(
          "--report: " + file + " exists and is no report of Beltway; name another file");
    }
  }

  private static boolean isReport(Path file) {
    byte[] begin = Page.BEGIN.getBytes(StandardCharsets.UTF_8);
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(begin.length), StandardCharsets.UTF_8).equals(Page.BEGIN);
    } catch (IOException e) {
      return false;
    }
  }

  static void write(Path file, String html) throws BadInputException, IOException {
    check(file); // Something may have appeared meanwhile.
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IllegalStateException("checked before");
    }
    Path part = folder.resolve(".beltway-" + Long.toHexString(System.nanoTime()) + ".part");
    try {
      Files.writeString(part, "", StandardOpenOption.CREATE_NEW);
      try {
        Files.writeString(part, html);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (AccessDeniedException e) {
      throw new BadInputException("--report: " + file + ": can't be written: permission denied");
    } catch (IOException e) {
      String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
      throw new IOException(
          file + ": can't be written: " + (reason == null ? "the folder takes no files" : reason),
          e);
    }
  }
}
