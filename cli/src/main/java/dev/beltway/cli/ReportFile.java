package dev.beltway.cli;

import dev.beltway.lab.report.Page;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

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
    if (!Files.isWritable(folder)) {
      throw new BadInputException("--report: " + file + ": the folder can't be written to");
    }
    if (Files.isSymbolicLink(file)) {
      throw new BadInputException("--report: " + file + " is a link; name the file itself");
    }
    if (Files.exists(file) && !(Files.isRegularFile(file) && isReport(file))) {
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
    WholeFile.replace(file, html);
  }
}
