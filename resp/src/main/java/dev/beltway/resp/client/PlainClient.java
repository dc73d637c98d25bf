package dev.beltway.resp.client;

import dev.beltway.resp.codec.ReplyScanner;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.JdkSslContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection that asks one thing after the other and waits for each answer: for work beside the
 * traffic, in a thread of its own. Not thread-safe.
 */
public final class PlainClient implements AutoCloseable {

  private static final int READ_BYTES = 64 << 10;

  private final Socket socket;
  private final ReplyScanner scanner = new ReplyScanner(RespLimits.OF_A_SERVER);
  private final byte[] chunk = new byte[READ_BYTES];
  private ByteBuf read = Unpooled.buffer();

  private PlainClient(Socket socket) {
    this.socket = socket;
  }

  /**
   * Connects, without logging in.
   *
   * @param timeout for connecting and for each answer
   */
  public static PlainClient connect(InetSocketAddress address, Duration timeout)
      throws IOException {
    InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(resolved, (int) timeout.toMillis());
      socket.setSoTimeout((int) timeout.toMillis());
      return new PlainClient(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Connects to a node and logs in as these settings say. */
  public static PlainClient login(
      InetSocketAddress address, NodeSettings settings, Duration timeout) throws IOException {
    PlainClient client = connect(address, timeout);
    try {
      if (settings.tls().isPresent()) {
        client = client.encrypted(settings, address, timeout);
      }
      if (settings.password().isPresent()) {
        client.ask("AUTH", settings.user(), settings.password().get());
      }
      client.ask("CLIENT", "SETNAME", settings.clientName());
      return client;
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  private PlainClient encrypted(NodeSettings settings, InetSocketAddress address, Duration timeout)
      throws IOException {
    if (!(settings.tls().orElseThrow() instanceof JdkSslContext tls)) {
      throw new IOException("TLS of the JDK is needed here");
    }
    Socket wrapped =
        tls.context()
            .getSocketFactory()
            .createSocket(socket, address.getHostString(), address.getPort(), true);
    wrapped.setSoTimeout((int) timeout.toMillis());
    return new PlainClient(wrapped);
  }

  /**
   * Asks and waits for the answer.
   *
   * @return as {@link RespReader} reads it
   * @throws IOException if there is none, or it is an error
   */
  public @Nullable Object ask(String... words) throws IOException {
    Object answer = tell(words);
    if (answer instanceof RespReader.Failed failed) {
      throw new IOException(words[0] + " was answered with " + failed.text());
    }
    return answer;
  }

  /** Asks and waits for the answer, which may be an error. */
  public @Nullable Object tell(String... words) throws IOException {
    byte[][] arguments = new byte[words.length][];
    for (int i = 0; i < words.length; i++) {
      arguments[i] = words[i].getBytes(StandardCharsets.UTF_8);
    }
    return tell(arguments);
  }

  /** Asks in bytes and waits for the answer, which may be an error. */
  public @Nullable Object tell(byte[]... arguments) throws IOException {
    ByteBuf request = Unpooled.buffer();
    RespWriter.request(request, arguments);
    write(request);
    return next();
  }

  /** Writes bytes as they are. */
  public void write(ByteBuf bytes) throws IOException {
    bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
  }

  /** Waits for the next answer. */
  public @Nullable Object next() throws IOException {
    byte[] frame = nextFrame();
    return RespReader.read(Unpooled.wrappedBuffer(frame), 0);
  }

  /** Waits for the next answer, in its bytes. */
  public byte[] nextFrame() throws IOException {
    InputStream in = socket.getInputStream();
    try {
      while (!scanner.scan(read, read.readerIndex(), read.writerIndex())) {
        int length = in.read(chunk);
        if (length < 0) {
          throw new IOException("the connection was closed");
        }
        read.writeBytes(chunk, 0, length);
      }
    } catch (RespException e) {
      throw new IOException(e.text(), e);
    }
    byte[] frame = new byte[scanner.length()];
    read.readBytes(frame);
    scanner.reset();
    if (!read.isReadable()) {
      read = read.capacity() > 1 << 20 ? Unpooled.buffer() : read.clear();
    }
    return frame;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed as far as we are concerned.
    }
  }
}
