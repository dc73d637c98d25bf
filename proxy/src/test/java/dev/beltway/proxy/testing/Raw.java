package dev.beltway.proxy.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Bytes to and from a server, whatever they are. */
public final class Raw implements AutoCloseable {

  private final Socket socket;

  public Raw(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(20_000);
  }

  public Raw send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  public Raw send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Reads so many bytes. */
  public String read(int length) throws IOException {
    return new String(socket.getInputStream().readNBytes(length), StandardCharsets.ISO_8859_1);
  }

  /** Reads until that text has come, or the end; what was read. */
  public String readUntil(String end) throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (text.indexOf(end) < 0) {
      int b = in.read();
      if (b < 0) {
        return text + "<closed>";
      }
      text.append((char) b);
    }
    return text.toString();
  }

  /** Ends our side and reads all that still comes; ends with {@code <closed>}. */
  public String finish() throws IOException {
    socket.shutdownOutput();
    return rest();
  }

  /** Reads all that comes until the other side closes. */
  public String rest() throws IOException {
    try {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1)
          + "<closed>";
    } catch (SocketTimeoutException e) {
      return "<still open>";
    }
  }

  /** Whether nothing comes for so long. */
  public boolean isSilent(long millis) throws IOException {
    int before = socket.getSoTimeout();
    socket.setSoTimeout((int) millis);
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(before);
    }
  }

  /**
   * What a server answers to these bytes and then to an ECHO. They go in one write, since a server
   * that closes while we still write resets the connection, and its answer is lost.
   */
  public static String exchange(int port, String text, boolean byteByByte) throws IOException {
    String all = text + "*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$7\r\nthe-end\r\n";
    try (Raw raw = new Raw(port)) {
      if (byteByByte) {
        for (byte b : all.getBytes(StandardCharsets.ISO_8859_1)) {
          raw.send(new byte[] {b});
        }
      } else {
        raw.send(all);
      }
      return raw.readUntil("the-end\r\n");
    }
  }

  @Override
  public void close() throws IOException {
    socket.setSoLinger(false, 0);
    socket.close();
  }

  /** Waits until something is so. */
  public static void until(String what, Check check) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!check.isSo()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it did not come about within 30 s that " + what);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Something that becomes true. */
  public interface Check {
    boolean isSo() throws Exception;
  }
}
