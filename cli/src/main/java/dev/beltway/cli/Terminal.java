package dev.beltway.cli;

import dev.beltway.lab.log.Printable;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where a command reads and writes. Text is UTF-8 whatever the locale.
 *
 * @param in standard input
 * @param sink what standard output ends in; knows whether it failed
 * @param out standard output
 * @param err standard error, for errors, warnings and progress
 * @param colour whether output may be coloured
 * @param progress whether progress may be shown on standard error
 */
record Terminal(
    InputStream in, Sink sink, PrintStream out, PrintStream err, boolean colour, boolean progress) {

  private static final int BUFFER = 1 << 16;

  /** A terminal on streams that are no terminal: no colour, no progress. */
  static Terminal on(InputStream in, OutputStream out, OutputStream err) {
    Sink sink = new Sink(out);
    return new Terminal(in, sink, stream(sink), stream(err), false, false);
  }

  /**
   * The terminal of this process. Whether its streams are terminals is told by the launcher, in the
   * system properties {@code beltway.stdout.terminal} and {@code beltway.stderr.terminal}, since
   * Java 17 can't tell them apart.
   */
  static Terminal ofProcess() {
    String noColour = System.getenv("NO_COLOR");
    boolean colour =
        Boolean.getBoolean("beltway.stdout.terminal")
            && (noColour == null || noColour.isEmpty())
            && !"dumb".equals(System.getenv("TERM"));
    Sink sink = new Sink(new FileOutputStream(FileDescriptor.out));
    return new Terminal(
        System.in,
        sink,
        stream(sink),
        stream(new FileOutputStream(FileDescriptor.err)),
        colour,
        Boolean.getBoolean("beltway.stderr.terminal"));
  }

  private static PrintStream stream(OutputStream out) {
    return new PrintStream(new BufferedOutputStream(out, BUFFER), false, StandardCharsets.UTF_8);
  }

  String bold(String text) {
    return styled("1", text);
  }

  String good(String text) {
    return styled("32", text);
  }

  String bad(String text) {
    return styled("31;1", text);
  }

  String doubtful(String text) {
    return styled("33", text);
  }

  String faint(String text) {
    return styled("2", text);
  }

  private String styled(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }

  void warn(String message) {
    err.println("warning: " + Printable.message(message));
  }
}
