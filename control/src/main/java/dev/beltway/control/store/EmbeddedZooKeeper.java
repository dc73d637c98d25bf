package dev.beltway.control.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/** A ZooKeeper server in this process, with its data on disk. */
public final class EmbeddedZooKeeper implements AutoCloseable {

  private static final int START_MILLIS = 20_000;

  private final ZooKeeperServerEmbedded server;
  private final String address;

  private EmbeddedZooKeeper(ZooKeeperServerEmbedded server, String address) {
    this.server = server;
    this.address = address;
  }

  /**
   * Starts it.
   *
   * @throws IOException if it can't, such as where the port is taken or the folder not writable
   */
  public static EmbeddedZooKeeper start(Path folder, String host, int port) throws IOException {
    Properties properties = new Properties();
    properties.put("clientPort", Integer.toString(port));
    properties.put("clientPortAddress", host);
    properties.put("admin.enableServer", "false");
    properties.put("tickTime", "500");
    properties.put("minSessionTimeout", "2000");
    properties.put("maxSessionTimeout", "20000");
    properties.put("maxClientCnxns", "1000");
    properties.put("autopurge.snapRetainCount", "3");
    properties.put("autopurge.purgeInterval", "1");
    properties.put("snapshot.trust.empty", "true");
    ZooKeeperServerEmbedded server = null;
    try {
      Files.createDirectories(folder);
      server =
          ZooKeeperServerEmbedded.builder()
              .baseDir(folder)
              .configuration(properties)
              .exitHandler(ExitHandler.LOG_ONLY)
              .build();
      server.start(START_MILLIS);
      return new EmbeddedZooKeeper(server, host + ":" + port);
    } catch (Exception e) { // It declares nothing more exact.
      if (server != null) {
        server.close();
      }
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw new IOException(
          "ZooKeeper can't start at "
              + host
              + ":"
              + port
              + " with "
              + folder
              + ": "
              + cause.getMessage(),
          e);
    }
  }

  /** Where it is, for clients. */
  public String address() {
    return address;
  }

  @Override
  public void close() {
    server.close();
  }
}
