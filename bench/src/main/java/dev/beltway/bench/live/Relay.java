package dev.beltway.bench.live;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands before a server, and cuts connections to it: from then on nothing of them gets through.
 */
public final class Relay implements AutoCloseable {

  private static final int BUFFER = 16 << 10;

  private final ServerSocket server;
  private final int to;
  private final Set<Pipe> pipes = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** To a port of this machine. */
  public Relay(int to) throws IOException {
    this.to = to;
    this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "relay-" + to);
    thread.setDaemon(true);
    thread.start();
  }

  /** Where it listens. */
  public String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = server.accept();
        Socket target = new Socket();
        try {
          target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to), 2_000);
          client.setTcpNoDelay(true);
          target.setTcpNoDelay(true);
        } catch (IOException e) {
          client.close();
          continue;
        }
        Pipe pipe = new Pipe(client, target);
        pipes.add(pipe);
        pipe.begin();
      } catch (IOException e) {
        if (!closed) {
          Cluster.pause(5);
        }
      }
    }
  }

  /** A connection with both its directions. */
  private final class Pipe {
    private final Socket client;
    private final Socket target;
    private boolean cut;

    Pipe(Socket client, Socket target) {
      this.client = client;
      this.target = target;
    }

    void begin() {
      for (boolean up : new boolean[] {true, false}) {
        Thread thread = new Thread(() -> copy(up), "relay-pipe");
        thread.setDaemon(true);
        thread.start();
      }
    }

    private void copy(boolean up) {
      try {
        InputStream in = (up ? client : target).getInputStream();
        OutputStream out = (up ? target : client).getOutputStream();
        byte[] buffer = new byte[BUFFER];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          synchronized (this) { // Whatever comes after the cut is gone.
            if (cut) {
              return;
            }
            out.write(buffer, 0, read);
          }
        }
      } catch (IOException e) {
        // The other side has gone, or the connection was cut.
      } finally {
        cut();
      }
    }

    void cut() {
      synchronized (this) {
        cut = true;
      }
      pipes.remove(this);
      for (Socket socket : List.of(client, target)) {
        try {
          socket.setSoLinger(true, 0);
          socket.close();
        } catch (IOException e) {
          // It was closed already.
        }
      }
    }
  }

  /** Cuts all connections. */
  public void cutAll() {
    List.copyOf(pipes).forEach(Pipe::cut);
  }

  /** Cuts one connection. */
  public void cutOne(SplittableRandom random) {
    List<Pipe> all = List.copyOf(pipes);
    if (!all.isEmpty()) {
      all.get(random.nextInt(all.size())).cut();
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    server.close();
    cutAll();
  }
}
