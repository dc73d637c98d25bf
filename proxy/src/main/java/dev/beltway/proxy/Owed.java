package dev.beltway.proxy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which nodes must be emptied before they serve, in a file: a proxy that is killed while it routes
 * around a node must know of it when it starts again. Written whole or not at all, and on the disk
 * before it is relied on.
 */
final class Owed {

  private static final Logger LOG = LoggerFactory.getLogger(Owed.class);

  private static final String NODE = "node ";
  private static final String PROXY = "proxy ";

  private final Path file;
  private final String name;
  private final String predecessor;
  private Set<String> nodes;
  private Set<String> foreign = Set.of();

  private Owed(Path file, String name, String predecessor, Set<String> nodes) {
    this.file = file;
    this.name = name;
    this.predecessor = predecessor;
    this.nodes = nodes;
  }

  /**
   * What the file says; nothing, if there is none yet, which is made.
   *
   * @param name what this proxy calls itself at the nodes, for its successor
   * @throws IOException if it can't be read or written
   */
  static Owed read(Path file, String name) throws IOException {
    try {
      Set<String> nodes = new TreeSet<>();
      String predecessor = "";
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
          if (line.startsWith(NODE)) {
            nodes.add(line.substring(NODE.length()));
          } else if (line.startsWith(PROXY)) {
            predecessor = line.substring(PROXY.length());
          }
        }
      }
      Owed owed = new Owed(file, name, predecessor, nodes);
      owed.store(nodes);
      return owed;
    } catch (IOException e) {
      throw new IOException("the record " + file + " can't be read and written: " + e, e);
    }
  }

  /** What is owed of these nodes. The others stay written down, for they may return. */
  Set<String> of(Collection<String> ids) {
    Set<String> known = new TreeSet<>(nodes);
    known.retainAll(ids);
    Set<String> others = new TreeSet<>(nodes);
    others.removeAll(ids);
    foreign = others;
    nodes = known;
    return known;
  }

  /** What the proxy before this one was called at the nodes; empty if there was none. */
  String predecessor() {
    return predecessor;
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
        new StringBuilder("# Nodes to be emptied before they serve; written by the proxy.\n");
    text.append(PROXY).append(name).append('\n');
    now.forEach(node -> text.append(NODE).append(node).append('\n'));
    foreign.forEach(node -> text.append(NODE).append(node).append('\n'));
    Path whole = file.toAbsolutePath();
    Path part = whole.resolveSibling(whole.getFileName() + ".part");
    try (FileChannel channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(whole.getParent(), StandardOpenOption.READ)) {
      folder.force(true); // So that the new name outlives a loss of power.
    }
  }
}
