package dev.beltway.proxy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which nodes must be emptied before they serve, in a file, an id a line: a proxy that is killed
 * while it routes around a node must know of it when it starts again. Written whole or not at all,
 * and on the disk before it is relied on.
 */
final class Owed {

  private static final Logger LOG = LoggerFactory.getLogger(Owed.class);

  private final Path file;
  private Set<String> nodes;

  private Owed(Path file, Set<String> nodes) {
    this.file = file;
    this.nodes = nodes;
  }

  /**
   * What the file says; nothing, if there is none yet, which is made.
   *
   * @throws IOException if it can't be read or written
   */
  static Owed read(Path file) throws IOException {
    try {
      Set<String> nodes = new TreeSet<>();
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
          if (!line.isBlank() && !line.startsWith("#")) {
            nodes.add(line);
          }
        }
      }
      Owed owed = new Owed(file, nodes);
      owed.store(nodes);
      return owed;
    } catch (IOException e) {
      throw new IOException("the record " + file + " can't be read and written: " + e, e);
    }
  }

  Set<String> nodes() {
    return nodes;
  }

  /** Writes them down; whether that was possible. */
  boolean write(Collection<String> now) {
    if (nodes.equals(Set.copyOf(now))) {
      return true;
    }
    try {
      store(now);
      nodes = new TreeSet<>(now);
      return true;
    } catch (IOException e) {
      LOG.atError()
          .addKeyValue("file", file.toString())
          .addKeyValue("reason", String.valueOf(e.getMessage()))
          .log("the record of nodes to be emptied can't be written; nothing is routed otherwise");
      return false;
    }
  }

  private void store(Collection<String> now) throws IOException {
    StringBuilder text =
        new StringBuilder("# Nodes to be emptied before they serve; beltway's own.\n");
    now.forEach(node -> text.append(node).append('\n'));
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (FileChannel channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      channel.write(StandardCharsets.UTF_8.encode(text.toString()));
      channel.force(true);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** For messages. */
  @Override
  public String toString() {
    return List.copyOf(nodes) + " in " + file;
  }
}
