package dev.beltway.control.lead;

import dev.beltway.handover.ErrorReply;
import dev.beltway.handover.Latin1;
import dev.beltway.handover.Names;
import dev.beltway.handover.RoutingState;
import dev.beltway.handover.Step;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.topology.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Does steps at real nodes. If a connection is lost while something that was sent on it is
 * unanswered, the work doesn't count as failed before the node has confirmed that the connection is
 * gone, or is another process: what is late could do harm. Thread-safe.
 */
public final class NodeDriver implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int RETRY_MILLIS = 200;
  private static final int MOST_IDLE = 4;

  private final NodeSettings login;
  private final int control;
  private final Map<InetSocketAddress, Deque<Connection>> idle = new ConcurrentHashMap<>();
  private volatile boolean ended;

  /**
   * A driver.
   *
   * @param login of the administrator at every node
   * @param control the control database
   */
  public NodeDriver(NodeSettings login, int control) {
    this.login = login;
    this.control = control;
  }

  /** A connection of the administrator's. */
  private record Connection(InetSocketAddress address, PlainClient client, String id, String run) {}

  /** How nodes are found. */
  public static @Nullable InetSocketAddress address(RoutingState routing, String id) {
    return routing
        .node(id)
        .flatMap(node -> node.address())
        .map(text -> InetSocketAddress.createUnresolved(Address.hostName(text), Address.port(text)))
        .orElse(null);
  }

  /**
   * Does a piece of work to its end; waits for nodes.
   *
   * @param changes whether it could do harm if some of it were done late
   * @param lines where what is to be kept goes
   */
  Step drive(Step first, RoutingState routing, boolean changes, Keeper.Lines lines) {
    Map<String, Connection> open = new HashMap<>();
    Step step = first;
    try {
      while (!(step instanceof Step.Done || step instanceof Step.Failed)) {
        if (step instanceof Step.Wait wait) {
          TimeUnit.MILLISECONDS.sleep(wait.millis());
          step = wait.then().get();
          continue;
        } else if (step instanceof Step.Keep keep) {
          try {
            lines.write(keep.line());
          } catch (IOException e) {
            return Step.failed("what is to be removed can't be kept: " + e.getMessage());
          }
          step = keep.then().get();
          continue;
        }
        String node;
        List<String> command;
        if (step instanceof Step.Ask ask) {
          node = ask.node();
          command = ask.command();
        } else if (step instanceof Step.Scan scan) {
          node = scan.node();
          command = scan.command();
        } else {
          throw new IllegalStateException("no such step: " + step);
        }
        Connection connection = open.get(node);
        if (connection == null) {
          try {
            connection = take(node, routing);
          } catch (IOException e) {
            return Step.failed("node " + node + ": " + e.getMessage());
          }
          open.put(node, connection);
        }
        Object reply;
        try {
          reply = connection.client().tell(bytes(command));
        } catch (IOException e) {
          open.remove(node);
          if (changes) {
            makeSure(connection);
          } else {
            connection.client().close();
          }
          return Step.failed("node " + node + ": " + e.getMessage());
        }
        step =
            step instanceof Step.Scan scan
                ? scanned(scan, reply)
                : ((Step.Ask) step).then().apply(reply(reply));
      }
      if (step instanceof Step.Done) {
        open.values().forEach(this::giveBack);
        open.clear();
      }
      return step;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Step.failed("this process ends");
    } finally {
      open.values().forEach(connection -> connection.client().close());
    }
  }

  /** Most keys of a scan are looked at by their bytes alone. */
  private static Step scanned(Step.Scan scan, @Nullable Object read) {
    if (!(read instanceof List<?> both)) {
      return scan.answered(reply(read));
    }
    List<String> keys = new ArrayList<>();
    for (Object key : (List<?>) Objects.requireNonNull(both.get(1))) {
      byte[] bytes = (byte[]) Objects.requireNonNull(key);
      if (scan.wanted().test(bytes)) {
        keys.add(Latin1.text(bytes));
      }
    }
    return scan.then().apply(String.valueOf(reply(both.get(0))), keys);
  }

  private static byte[][] bytes(List<String> command) {
    byte[][] words = new byte[command.size()][];
    for (int i = 0; i < words.length; i++) {
      words[i] = Latin1.bytes(command.get(i));
    }
    return words;
  }

  private static @Nullable Object reply(@Nullable Object read) {
    if (read instanceof RespReader.Failed failed) {
      return new ErrorReply(failed.text());
    } else if (read instanceof byte[] bytes) {
      return Latin1.text(bytes);
    } else if (read instanceof List<?> list) {
      List<@Nullable Object> all = new ArrayList<>();
      list.forEach(each -> all.add(reply(each)));
      return all;
    }
    return read;
  }

  private Connection take(String node, RoutingState routing) throws IOException {
    InetSocketAddress address = address(routing, node);
    if (address == null) {
      throw new IOException("it has no address");
    }
    Deque<Connection> spare = idle.get(address);
    while (spare != null) {
      Connection connection;
      synchronized (spare) {
        connection = spare.poll();
      }
      if (connection == null) {
        break;
      }
      try {
        connection.client().ask("SELECT", Integer.toString(control));
        return connection;
      } catch (IOException e) {
        connection.client().close(); // It was idle too long, or the node has restarted.
      }
    }
    return connect(address);
  }

  private Connection connect(InetSocketAddress address) throws IOException {
    PlainClient client = PlainClient.login(address, login, TIMEOUT);
    try {
      String id = RespReader.text(client.ask("CLIENT", "ID"));
      String info = RespReader.text(client.ask("INFO", "server"));
      client.ask("CLIENT", "SETNAME", Names.CONTROL_CLIENT);
      Object selected = client.tell("SELECT", Integer.toString(control));
      if (selected instanceof RespReader.Failed failed) {
        throw new IOException(
            "database " + control + ", which Beltway keeps its notes in: " + failed.text());
      }
      return new Connection(address, client, id, run(info));
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  private static String run(String info) {
    int at = info.indexOf("run_id:");
    int end = info.indexOf('\r', at);
    return at < 0 || end < 0 ? "" : info.substring(at + "run_id:".length(), end);
  }

  private void giveBack(Connection connection) {
    Deque<Connection> spare = idle.computeIfAbsent(connection.address(), a -> new ArrayDeque<>());
    synchronized (spare) {
      if (!ended && spare.size() < MOST_IDLE) {
        spare.push(connection);
        return;
      }
    }
    connection.client().close();
  }

  /** Nothing that was sent on this connection can be done any more when this returns. */
  private void makeSure(Connection lost) {
    lost.client().close();
    while (!ended) {
      try {
        Connection other = connect(lost.address());
        try (PlainClient client = other.client()) {
          if (other.run().equals(lost.run())) {
            Object killed = client.tell("CLIENT", "KILL", "ID", lost.id());
            if (killed instanceof RespReader.Failed failed) {
              throw new IOException(failed.text());
            }
          }
          return;
        }
      } catch (IOException e) {
        try {
          TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  @Override
  public void close() {
    ended = true;
    for (Deque<Connection> spare : idle.values()) {
      synchronized (spare) {
        spare.forEach(connection -> connection.client().close());
        spare.clear();
      }
    }
  }
}
