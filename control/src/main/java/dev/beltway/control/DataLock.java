package dev.beltway.control;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Keeps two processes from using one folder: two ZooKeepers on the same files would each lose what
 * the other wrote. The system lets go of it when the process ends, however it does.
 */
final class DataLock implements AutoCloseable {

  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes a folder.
   *
   * @throws IOException if another process has it
   */
  static DataLock of(Path folder) throws IOException {
    Files.createDirectories(folder);
    FileChannel channel =
        FileChannel.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new DataLock(channel);
      }
    } catch (OverlappingFileLockException e) {
      // Another one in this process has it.
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IOException("another control process runs with " + folder);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      return; // The system lets go of it.
    }
  }
}
