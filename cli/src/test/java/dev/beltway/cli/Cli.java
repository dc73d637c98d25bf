package dev.beltway.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs the program in this process. */
final class Cli {

  /** The project's folder. */
  static final Path ROOT = Path.of(System.getProperty("beltway.root", ".."));

  /** What a run left behind. */
  record Run(int code, String out, String err) {}

  private Cli() {}

  static Run run(String... arguments) {
    return runWith(new byte[0], arguments);
  }

  static Run runWith(byte[] input, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = Main.run(Terminal.on(new ByteArrayInputStream(input), out, err), arguments);
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  static String example(String name) {
    return ROOT.resolve("examples").resolve(name).toString();
  }
}
