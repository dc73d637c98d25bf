package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.testing.Seeded;
import dev.beltway.token.Partitioner;
import dev.beltway.topology.SlotsRule;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slots against what a real Redis says, for keys of every kind. */
@Tag("needs-redis")
class RedisSlotsTest {

  private static final int KEYS = 20_000;

  @Test
  void agreesWithClusterKeyslot(@TempDir Path folder) throws Exception {
    int port = freePort();
    Process redis =
        new ProcessBuilder(
                "redis-server",
                "--port",
                "" + port,
                "--bind",
                "127.0.0.1",
                "--cluster-enabled",
                "yes",
                "--save",
                "",
                "--dir",
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("redis.log").toFile())
            .start();
    try (Socket socket = connect(port, redis)) {
      compare(socket);
    } finally {
      redis.destroy();
      assertThat(redis.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void compare(Socket socket) throws IOException {
    Seeded random = new Seeded(20_151_130);
    List<byte[]> keys = new ArrayList<>();
    ByteArrayOutputStream commands = new ByteArrayOutputStream();
    for (int i = 0; i < KEYS; i++) {
      byte[] key = key(random);
      keys.add(key);
      commands.writeBytes(ascii("*3\r\n$7\r\nCLUSTER\r\n$7\r\nKEYSLOT\r\n$" + key.length + "\r\n"));
      commands.writeBytes(key);
      commands.writeBytes(ascii("\r\n"));
    }
    OutputStream out = socket.getOutputStream();
    Thread writer =
        new Thread(
            () -> {
              try {
                out.write(commands.toByteArray());
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    writer.start();
    InputStream in = new BufferedInputStream(socket.getInputStream());
    for (byte[] key : keys) {
      String reply = line(in);
      assertThat(reply).startsWith(":");
      long position = SlotsRule.REDIS.partitioner().position(key);
      assertThat(Partitioner.slotAt(position, SlotsRule.REDIS_SLOTS))
          .as(new String(key, StandardCharsets.ISO_8859_1))
          .isEqualTo(Integer.parseInt(reply.substring(1)));
    }
  }

  /** Text, any bytes at all, and arrangements of braces. */
  private static byte[] key(Seeded random) {
    byte[] key;
    switch (random.nextInt(3)) {
      case 0 -> key = random.nextKey(40).getBytes(StandardCharsets.UTF_8);
      case 1 -> {
        key = new byte[random.nextInt(60)];
        for (int i = 0; i < key.length; i++) {
          key[i] = (byte) random.nextInt(256);
        }
      }
      default -> {
        key = new byte[random.nextInt(9)];
        for (int i = 0; i < key.length; i++) {
          key[i] = (byte) "{}ab".charAt(random.nextInt(4));
        }
      }
    }
    return key;
  }

  private static Socket connect(int port, Process redis) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        return socket;
      } catch (IOException e) {
        if (!redis.isAlive() || System.nanoTime() > until) {
          throw e;
        }
        // Waits for the process, not for time: returns early if it ends.
        redis.waitFor(50, TimeUnit.MILLISECONDS);
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("the server closed the connection");
      }
      line.append((char) b);
    }
    return line.substring(0, line.length() - 1);
  }
}
