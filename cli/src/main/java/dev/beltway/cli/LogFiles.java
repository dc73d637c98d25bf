package dev.beltway.cli;

import dev.beltway.lab.log.KeyLog;
import dev.beltway.lab.log.KeyLogException;
import dev.beltway.lab.log.LogCounts;
import dev.beltway.lab.log.LogFormat;
import dev.beltway.lab.log.RequestVisitor;
import dev.beltway.lab.log.Skip;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/** Opens logs by name, {@code -} being standard input, and reads them with a progress bar. */
final class LogFiles {

  private LogFiles() {}

  /** Writing failed, as opposed to reading: the reader of standard output has gone, most likely. */
  static final class OutputException extends UncheckedIOException {

    private static final long serialVersionUID = 1L;

    OutputException(IOException cause) {
      super(cause);
    }
  }

  /**
   * What was read.
   *
   * @param counts of lines
   * @param damage what ended the reading before the end of the log
   */
  record Outcome(LogCounts counts, Optional<String> damage) {}

  /**
   * Reads one log. Damage in its midst is part of the outcome; a log of which nothing can be read
   * is bad input.
   */
  static Outcome read(String name, LogFormat format, Terminal terminal, RequestVisitor visitor)
      throws BadInputException, IOException {
    check(name);
    RequestVisitor guarded =
        request -> {
          try {
            visitor.visit(request);
          } catch (IOException e) {
            throw new OutputException(e);
          }
        };
    try (InputStream in = open(name, terminal);
        ProgressStream progress = new ProgressStream(in, size(name), terminal)) {
      return new Outcome(KeyLog.read(progress, format, guarded), Optional.empty());
    } catch (KeyLogException e) {
      return new Outcome(e.counts(), Optional.of(name + ": " + e.getMessage()));
    } catch (IOException e) {
      throw new BadInputException(name + ": can't be read: " + e.getMessage());
    } catch (OutputException e) {
      throw e.getCause();
    }
  }

  /** Checks that there is such a log, before hours are spent on another. */
  static void check(String name) throws BadInputException {
    Path path = Path.of(name);
    if (name.equals("-")) {
      return;
    }
    if (!Files.exists(path)) {
      throw new BadInputException(name + ": there is no such file");
    }
    if (Files.isDirectory(path)) {
      throw new BadInputException(name + ": is a folder");
    }
    if (!Files.isReadable(path)) {
      throw new BadInputException(name + ": can't be read: permission denied");
    }
  }

  /** Whether the log can be read a second time. */
  static boolean isRereadable(String name) {
    return !name.equals("-") && Files.isRegularFile(Path.of(name));
  }

  /** What was skipped, for people: {@code 3 empty (the first in line 7), 1 too long (line 9)}. */
  static String skipped(LogCounts counts) {
    return counts.skipped().entrySet().stream()
        .map(
            entry ->
                Formats.count(entry.getValue().lines())
                    + " "
                    + entry.getKey().text()
                    + (entry.getValue().lines() == 1 ? " (line " : " (the first in line ")
                    + Formats.count(entry.getValue().first())
                    + ")")
        .collect(Collectors.joining(", "));
  }

  /** Warns of lines that give reason to doubt the file. */
  static void warn(String name, LogCounts counts, Terminal terminal) {
    boolean doubtful = counts.skipped().keySet().stream().anyMatch(reason -> !reason.isOrdinary());
    if (doubtful) {
      terminal.warn(
          name
              + ": of "
              + Formats.plural(counts.lines(), "line")
              + " "
              + Formats.count(counts.allSkipped())
              + " skipped: "
              + skipped(counts)
              + (counts.skipped(Skip.TOO_LONG) > 0
                  ? "; the longest allowed has " + Formats.count(KeyLog.MOST_BYTES) + " bytes"
                  : ""));
    }
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
    return isRereadable(name) ? Files.size(Path.of(name)) : -1;
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
                  .showSpeed()
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
