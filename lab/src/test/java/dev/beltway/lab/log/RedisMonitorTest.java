package dev.beltway.lab.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real Redis says in MONITOR, read again: every key that was sent, byte for byte. */
@Tag("needs-redis")
class RedisMonitorTest {

  private static final int COMMANDS = 3_000;

  @TempDir private Path folder;

  @Test
  void everyKeyIsReadAgain() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process redis =
        new ProcessBuilder(
                "redis-server",
                "--port",
                "" + port,
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("redis.log").toFile())
            .start();
    try (Socket monitor = connect(port, redis);
        Socket client = connect(port, redis)) {
      compare(monitor, client);
    } finally {
      redis.destroy();
      assertThat(redis.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Socket connect(int port, Process redis) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      try {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return socket;
      } catch (IOException e) {
        if (!redis.isAlive() || System.nanoTime() > deadline) {
          throw e;
        }
        // Waits for the process, not for time: returns early if it ends.
        redis.waitFor(50, TimeUnit.MILLISECONDS);
      }
    }
  }

  private static void compare(Socket monitor, Socket client) throws Exception {
    InputStream seen = new BufferedInputStream(monitor.getInputStream());
    InputStream answers = new BufferedInputStream(client.getInputStream());
    send(monitor, List.of("MONITOR".getBytes(StandardCharsets.US_ASCII)));
    assertThat(line(seen)).isEqualTo("+OK");
    Random random = new Random(20_261_130);
    List<String> sent = new ArrayList<>();
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    for (int i = 0; i < COMMANDS; i++) {
      List<byte[]> command = new ArrayList<>();
      List<byte[]> keys = new ArrayList<>();
      int kind = random.nextInt(6);
      int count = kind == 0 ? 1 + random.nextInt(4) : kind == 3 ? 2 : 1;
      for (int k = 0; k < count; k++) {
        byte[] key = new byte[random.nextInt(40)];
        random.nextBytes(key);
        keys.add(key);
      }
      switch (kind) {
        case 0 -> {
          command.add(word("mget"));
          command.addAll(keys);
        }
        case 1 -> command.addAll(List.of(word("SET"), keys.get(0), word("\"v\\\n")));
        case 2 -> command.addAll(List.of(word("Expire"), keys.get(0), word("100")));
        case 3 -> {
          command.addAll(List.of(word("EVAL"), word("return redis.call('get',KEYS[1])")));
          command.addAll(List.of(word("2"), keys.get(0), keys.get(1)));
        }
        case 4 -> command.addAll(List.of(word("object"), word("encoding"), keys.get(0)));
        default -> command.addAll(List.of(word("unlink"), keys.get(0)));
      }
      send(client, command);
      keys.forEach(key -> sent.add(new String(key, StandardCharsets.ISO_8859_1)));
      int lines = kind == 3 ? 2 : 1; // The call that the script makes is told as well.
      for (int l = 0; l < lines; l++) {
        String told = line(seen);
        assertThat(told).startsWith("+");
        log.writeBytes((told.substring(1) + "\n").getBytes(StandardCharsets.ISO_8859_1));
      }
      answer(answers);
    }
    List<String> read = new ArrayList<>();
    LogCounts counts =
        KeyLog.readKeys(
            new ByteArrayInputStream(log.toByteArray()),
            LogFormat.monitor(),
            (bytes, offset, length) ->
                read.add(new String(bytes, offset, length, StandardCharsets.ISO_8859_1)));
    assertThat(read).isEqualTo(sent);
    assertThat(counts.used()).isEqualTo(COMMANDS);
    assertThat(counts.skipped()).containsOnlyKeys(Skip.IN_SCRIPT);
  }

  private static byte[] word(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void send(Socket socket, List<byte[]> command) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(word("*" + command.size() + "\r\n"));
    for (byte[] part : command) {
      out.writeBytes(word("$" + part.length + "\r\n"));
      out.writeBytes(part);
      out.writeBytes(word("\r\n"));
    }
    socket.getOutputStream().write(out.toByteArray());
    socket.getOutputStream().flush();
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server has gone");
      }
      line.write(c);
    }
    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  /** Reads one reply and drops it. */
  private static void answer(InputStream in) throws IOException {
    String head = line(in);
    int size =
        head.startsWith("$") || head.startsWith("*") ? Integer.parseInt(head.substring(1)) : -1;
    if (head.startsWith("$") && size >= 0) {
      in.readNBytes(size + 2);
    }
    for (int i = 0; head.startsWith("*") && i < size; i++) {
      answer(in);
    }
  }
}
