package dev.beltway.control.lead;

import dev.beltway.handover.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps what is removed from nodes, in files that only the owner of the process may read. */
public final class Keeper {

  /** Where lines go. */
  interface Lines {
    void write(String line) throws IOException;
  }

  private final Path folder;

  /** Keeps in this folder, which is made when it is needed. */
  public Keeper(Path folder) {
    this.folder = folder;
  }

  /** Where a task's lines go: one file for each look at all keys. */
  Lines of(Task task) {
    if (!(task instanceof Task.Scrub scrub)) {
      return line -> {
        throw new IOException("nothing is kept for " + task.getClass().getSimpleName());
      };
    }
    Path file = folder.resolve("removed-by-scrub-" + scrub.request() + ".jsonl");
    return line -> append(file, line);
  }

  /** On disk when it returns: what it is about is removed next. */
  private synchronized void append(Path file, String line) throws IOException {
    Files.createDirectories(folder);
    if (!Files.exists(file)) {
      Files.createFile(file);
      if (!file.toFile().setReadable(false, false) || !file.toFile().setReadable(true, true)) {
        throw new IOException(file + " can't be kept from others' eyes");
      }
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
      ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(false);
    }
  }
}
