package dev.beltway.cli.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** A Redis server's program: the machine's own, else the one that comes along for its kind. */
public final class RedisBinary {

  private RedisBinary() {}

  /**
   * Finds it.
   *
   * @param folder where the one that comes along is unpacked, if it is needed
   * @throws IOException if there is none for this kind of machine, or the folder can't be written
   */
  public static Path find(Path folder) throws IOException {
    String path = System.getenv("PATH");
    for (String place : (path == null ? "" : path).split(":", -1)) {
      Path own = Path.of(place.isEmpty() ? "." : place, "redis-server").toAbsolutePath();
      if (Files.isExecutable(own)) {
        return own;
      }
    }
    return unpack(folder);
  }

  /** The one that comes along. */
  static Path unpack(Path folder) throws IOException {
    String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String cpu = System.getProperty("os.arch", "");
    String kind =
        (os.contains("mac") ? "darwin" : "linux")
            + "-"
            + (cpu.equals("aarch64") ? "arm64" : "amd64");
    try (InputStream in = RedisBinary.class.getResourceAsStream("/redis-server-7.0.15-" + kind)) {
      if (in == null) {
        throw new IOException("there is no redis-server on this machine, and none for " + kind);
      }
      Path server = folder.resolve("redis-server");
      Files.copy(in, server, StandardCopyOption.REPLACE_EXISTING);
      if (!server.toFile().setExecutable(true)) {
        throw new IOException(server + " can't be made executable");
      }
      return server;
    }
  }
}
