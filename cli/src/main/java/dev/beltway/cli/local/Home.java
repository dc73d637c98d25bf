package dev.beltway.cli.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The folder of a cluster on this machine. Its lock is the system's, which lets go of it however
 * the process ends, so that a folder nobody holds is one whose process is dead.
 */
final class Home implements AutoCloseable {

  private static final String PREFIX = "beltway-up-";
  private static final String UNREADY = "beltway-new-";
  private static final String LOCK = "lock";
  private static final int SECRET_BYTES = 24;

  private final Path folder;
  private final boolean kept;
  private final FileChannel lock;

  private Home(Path folder, boolean kept, FileChannel lock) {
    this.folder = folder;
    this.kept = kept;
    this.lock = lock;
  }

  /**
   * One that stays.
   *
   * @param told of what a dead predecessor had left there
   * @throws IOException if another process has it, or it can't be written
   */
  static Home kept(Path folder, Consumer<String> told) throws IOException {
    Private.folder(folder);
    FileChannel lock = hold(folder);
    if (lock == null) {
      throw new IOException("another beltway up runs with " + folder);
    }
    Home home = new Home(folder.toRealPath(), true, lock);
    home.clean(told);
    return home;
  }

  /**
   * One that goes with the process. What dead predecessors of this user left is cleaned first.
   *
   * @param told of that
   */
  static Home temporary(Consumer<String> told) throws IOException {
    Path made = Files.createTempDirectory(UNREADY);
    Path all = Objects.requireNonNull(made.toAbsolutePath().getParent());
    try (Stream<Path> others = Files.list(all)) {
      for (Path other : others.toList()) {
        if (other.getFileName().toString().startsWith(PREFIX)
            && Files.isRegularFile(other.resolve(LOCK))
            && Files.getOwner(other).equals(Files.getOwner(made))) {
          cleanDead(other, told);
        }
      }
    }
    FileChannel lock = hold(made);
    if (lock == null) {
      throw new IOException(made + " can't be locked");
    }
    // Under its name only now that it is held: another start must not take it for a dead one's.
    Path folder = all.resolve(PREFIX + made.getFileName().toString().substring(UNREADY.length()));
    Files.move(made, folder);
    return new Home(folder.toRealPath(), false, lock);
  }

  private static void cleanDead(Path folder, Consumer<String> told) throws IOException {
    FileChannel lock = hold(folder);
    if (lock != null) {
      try (Home dead = new Home(folder.toRealPath(), false, lock)) {
        dead.clean(told);
      }
    }
  }

  private static @org.jspecify.annotations.Nullable FileChannel hold(Path folder)
      throws IOException {
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      return null;
    }
    return channel;
  }

  private void clean(Consumer<String> told) throws IOException {
    for (Path node : nodes()) {
      switch (LocalRedis.endLeftOver(node, secret("password"))) {
        case ENDED -> told.accept("ended " + node.getFileName() + " of an earlier run");
        case STAYS ->
            told.accept(
                "left alone: the process in "
                    + node.resolve("redis.pid")
                    + " may be of an earlier run, but doesn't say so");
        case NONE -> { // The usual case.
        }
      }
    }
  }

  /** The folders of its nodes, by name. */
  List<Path> nodes() throws IOException {
    List<Path> nodes = new ArrayList<>();
    Path all = folder.resolve("nodes");
    if (Files.isDirectory(all)) {
      try (Stream<Path> folders = Files.list(all)) {
        folders
            .filter(Files::isDirectory)
            .sorted(Comparator.comparing(Path::toString))
            .forEach(nodes::add);
      }
    }
    return nodes;
  }

  Path node(String id) {
    return folder.resolve("nodes").resolve(id);
  }

  Path folder() {
    return folder;
  }

  boolean isKept() {
    return kept;
  }

  /** A random text that is made once, and that this user alone may read. */
  String secret(String name) throws IOException {
    Path file = folder.resolve(name);
    if (Files.isRegularFile(file)) {
      return Files.readString(file).strip();
    }
    byte[] bytes = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(bytes);
    String secret = HexFormat.of().formatHex(bytes);
    Private.write(file, secret);
    return secret;
  }

  /** Lets go of it; one that doesn't stay is deleted. */
  @Override
  public void close() {
    if (!kept) {
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      } catch (IOException | java.io.UncheckedIOException e) {
        // The next start, or the system, clears it.
      }
    }
    try {
      lock.close();
    } catch (IOException e) {
      return; // The system lets go of it.
    }
  }
}
