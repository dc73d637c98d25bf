package dev.beltway.cli;

import dev.beltway.lab.keys.KeyLog;
import dev.beltway.lab.keys.KeyLogException;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a file of keys, and the reading of it. */
final class KeyInput {

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description = "A file of keys, one a line; - is standard input. Gzip is recognised.")
  @Nullable String file;

  @Option(
      names = "--keys-format",
      paramLabel = "lines|jsonl",
      defaultValue = "lines",
      description =
          "lines: a line is a key (default). jsonl: a line is a JSON string, for keys with control"
              + " characters or none at all.")
  String format = "lines";

  /** Writing failed, as opposed to reading: the reader of standard output has gone, most likely. */
  static final class OutputException extends UncheckedIOException {

    private static final long serialVersionUID = 1L;

    OutputException(IOException cause) {
      super(cause);
    }
  }

  boolean isGiven() {
    return file != null;
  }

  /** Reads all keys; skipped lines are a warning. */
  KeyLog.Counts read(Terminal terminal, KeyLog.KeyVisitor visitor)
      throws BadInputException, IOException {
    String name = String.valueOf(file);
    KeyLog.Format keyFormat = format();
    KeyLog.KeyVisitor guarded =
        (bytes, offset, length) -> {
          try {
            visitor.visit(bytes, offset, length);
          } catch (IOException e) {
            throw new OutputException(e);
          }
        };
    try (InputStream in = open(name, terminal);
        ProgressStream progress = new ProgressStream(in, size(name), terminal)) {
      KeyLog.Counts counts = KeyLog.read(progress, keyFormat, guarded);
      if (counts.blank() > 0 || counts.tooLong() > 0) {
        terminal.warn(
            String.format(
                Locale.ROOT,
                "%s: of %,d lines %,d were empty and %,d longer than %,d bytes; those were skipped",
                name,
                counts.lines(),
                counts.blank(),
                counts.tooLong(),
                KeyLog.MOST_BYTES));
      }
      return counts;
    } catch (KeyLogException e) {
      throw new BadInputException(name + ": " + e.getMessage());
    } catch (NoSuchFileException e) {
      throw new BadInputException(name + ": there is no such file");
    } catch (AccessDeniedException e) {
      throw new BadInputException(name + ": can't be read: permission denied");
    } catch (IOException e) {
      throw new BadInputException(name + ": can't be read: " + e.getMessage());
    } catch (OutputException e) {
      throw e.getCause();
    }
  }

  KeyLog.Format format() throws BadInputException {
    return switch (format) {
      case "lines" -> KeyLog.Format.LINES;
      case "jsonl" -> KeyLog.Format.JSONL;
      default ->
          throw new BadInputException(
              "--keys-format: \"" + format + "\" is not one of lines, jsonl");
    };
  }

  private static InputStream open(String name, Terminal terminal) throws IOException {
    if (name.equals("-")) {
      return new FilterInputStream(terminal.in()) {
        @Override
        public void close() {
          // Standard input is not ours to close.
        }
      };
    }
    Path path = Path.of(name);
    // A pipe has no position, which the channel that Files opens would ask for.
    return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path)
        ? new FileInputStream(name)
        : Files.newInputStream(path);
  }

  private static long size(String name) throws IOException {
    boolean known = !name.equals("-") && Files.isRegularFile(Path.of(name));
    return known ? Files.size(Path.of(name)) : -1;
  }

  /** Shows how much of a file has been read, once that takes a moment. */
  private static final class ProgressStream extends FilterInputStream {

    private static final long NOTEWORTHY_BYTES = 8 << 20;

    private final @Nullable ProgressBar bar;

    ProgressStream(InputStream in, long size, Terminal terminal) {
      super(in);
      boolean shown = terminal.progress() && (size < 0 || size > NOTEWORTHY_BYTES);
      this.bar =
          shown
              ? new ProgressBarBuilder()
                  .setTaskName("reading keys")
                  .setInitialMax(size)
                  .setUnit(" MiB", 1 << 20)
                  .setConsumer(new ConsoleProgressBarConsumer(terminal.err()))
                  .build()
              : null;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count = super.read(bytes, offset, length);
      if (bar != null && count > 0) {
        bar.stepBy(count);
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      if (bar != null) {
        bar.close();
      }
      super.close();
    }
  }
}
