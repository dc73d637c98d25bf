package dev.beltway.cli.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a cluster on this machine. Its lock is the system's, which lets go of it however
 * the process ends, so that a folder nobody holds is one whose process is dead.
 */
final class Home implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Home.class);

  private static final String BEGUN = "has-begun";
  private static final String PREFIX = "beltway-up-";
  private static final String UNREADY = "beltway-new-";
  private static final String LOCK = "lock";

  /** A file in each folder that goes with its process; nobody else's is deleted. */
  private static final String TEMPORARY = "goes-with-its-process";

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
        try {
          if (other.getFileName().toString().startsWith(PREFIX)
              && Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
              && Files.isRegularFile(other.resolve(TEMPORARY), LinkOption.NOFOLLOW_LINKS)
              && Files.isRegularFile(other.resolve(LOCK), LinkOption.NOFOLLOW_LINKS)
              && Files.getOwner(other, LinkOption.NOFOLLOW_LINKS)
                  .equals(Files.getOwner(made, LinkOption.NOFOLLOW_LINKS))) {
            cleanDead(other, told);
          }
        } catch (NoSuchFileException e) { // Its own process has just ended, and taken it along.
          LOG.debug("gone meanwhile: {}", other);
        }
      }
    }
    FileChannel lock = hold(made);
    if (lock == null) {
      throw new IOException(made + " can't be locked");
    }
    Files.createFile(made.resolve(TEMPORARY));
    // Under its name only now that it is held: another start must not take it for a dead one's.
    Path folder = all.resolve(PREFIX + made.getFileName().toString().substring(UNREADY.length()));
    Files.move(made, folder);
    return new Home(folder.toRealPath(), false, lock);
  }

  private static void cleanDead(Path folder, Consumer<String> told) throws IOException {
    FileChannel lock = hold(folder);
    if (lock != null) {
      Home dead = new Home(folder.toRealPath(), false, lock);
      boolean clean = false;
      try {
        clean = dead.clean(told);
      } finally {
        if (clean) {
          dead.close();
        } else {
          dead.release(); // Who looks for what has stayed needs what is written here.
        }
      }
    }
  }

  private static @Nullable FileChannel hold(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      return null;
    }
    return channel;
  }

  /** Ends what is left here; whether nothing stays. */
  private boolean clean(Consumer<String> told) throws IOException {
    boolean clean = true;
    for (Path node : nodes()) {
      switch (LocalRedis.endLeftOver(node, secret("password"))) {
        case ENDED -> told.accept("ended " + node.getFileName() + " of an earlier run");
        case STAYS -> {
          clean = false;
          told.accept(
              "left alone: the process in "
                  + node.resolve("redis.pid")
                  + " may be of an earlier run, but doesn't say so");
        }
        case NONE -> { // The usual case.
        }
      }
    }
    return clean;
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
    Path all = folder.resolve("nodes");
    Path node = all.resolve(id).normalize();
    if (!all.equals(node.getParent())) {
      throw new IllegalArgumentException("\"" + id + "\" is no name of a folder");
    }
    return node;
  }

  Path folder() {
    return folder;
  }

  /** Whether it has begun before, and got as far as a topology that is stored. */
  boolean hasBegun() {
    return Files.exists(folder.resolve(BEGUN));
  }

  /** From now on it has. */
  void begun() throws IOException {
    Private.write(folder.resolve(BEGUN), "");
  }

  boolean isKept() {
    return kept;
  }

  /** A random text that is made once, and that this user alone may read. */
  String secret(String name) throws IOException {
    Path file = folder.resolve(name);
    if (Files.isRegularFile(file)) {
      String kept = Files.readString(file).strip();
      if (kept.length() < SECRET_BYTES) {
        throw new IOException(file + " holds no secret of " + SECRET_BYTES + " characters or more");
      }
      return kept;
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
      Folders.deleteAll(folder);
    }
    release();
  }

  private void release() {
    try {
      lock.close();
    } catch (IOException e) {
      return; // The system lets go of it.
    }
  }
}
