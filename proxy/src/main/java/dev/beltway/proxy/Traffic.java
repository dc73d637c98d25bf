package dev.beltway.proxy;

import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.CommandTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts of one worker, written by its thread alone. How many there are is fixed: commands that the
 * table doesn't have share one name.
 */
final class Traffic {

  /** What commands outside the table are counted as. */
  static final String OTHER = "other";

  /** The classes of commands that latencies are kept for. */
  static final List<String> CLASSES = List.of("read", "write", "other");

  /** Upper bounds of the latency classes, in nanoseconds. */
  static final long[] BOUNDS = {
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000L
  };

  private static final List<String> NAMES = new ArrayList<>();
  private static final Map<String, Integer> INDEX = new HashMap<>();
  private static final List<Integer> CLASS_OF = new ArrayList<>();

  static {
    NAMES.add(OTHER);
    CLASS_OF.add(2);
    for (Command command : CommandTable.redis().commands()) {
      INDEX.put(command.name(), NAMES.size());
      NAMES.add(command.errorName());
      CLASS_OF.add(command.writes() ? 1 : command.flags().contains("readonly") ? 0 : 2);
    }
  }

  /** Requests by command. */
  final long[] requests = new long[NAMES.size()];

  /** Error replies by command. */
  final long[] errors = new long[NAMES.size()];

  long connectionsAccepted;
  long evicted;
  long protocolErrors;
  long bytesIn;
  long bytesOut;
  long slow;

  Traffic copy() {
    Traffic copy = new Traffic();
    copy.add(this);
    return copy;
  }

  void add(Traffic other) {
    for (int i = 0; i < requests.length; i++) {
      requests[i] += other.requests[i];
      errors[i] += other.errors[i];
    }
    connectionsAccepted += other.connectionsAccepted;
    evicted += other.evicted;
    protocolErrors += other.protocolErrors;
    bytesIn += other.bytesIn;
    bytesOut += other.bytesOut;
    slow += other.slow;
  }

  /** The commands' names, in the order of their numbers. */
  static List<String> names() {
    return NAMES;
  }

  /** A command's number. */
  static int number(Command command) {
    return INDEX.getOrDefault(command.name(), 0);
  }

  /** The class of a command's number. */
  static int classOf(int number) {
    return CLASS_OF.get(number);
  }

  /** Counts of one worker and one node. */
  static final class OfNode {
    final long[] requests = new long[CLASSES.size()];
    final long[] errors = new long[CLASSES.size()];
    final long[] nanos = new long[CLASSES.size()];
    final long[][] latencies = new long[CLASSES.size()][BOUNDS.length + 1];
    long requestBytes;
    long replyBytes;
    long failures;
    long connects;

    void answered(int kind, long took, int bytes, boolean error) {
      requests[kind]++;
      nanos[kind] += took;
      replyBytes += bytes;
      if (error) {
        errors[kind]++;
      }
      int at = 0;
      while (at < BOUNDS.length && took > BOUNDS[at]) {
        at++;
      }
      latencies[kind][at]++;
    }

    OfNode copy() {
      OfNode copy = new OfNode();
      copy.add(this);
      return copy;
    }

    void add(OfNode other) {
      for (int kind = 0; kind < requests.length; kind++) {
        requests[kind] += other.requests[kind];
        errors[kind] += other.errors[kind];
        nanos[kind] += other.nanos[kind];
        for (int i = 0; i < latencies[kind].length; i++) {
          latencies[kind][i] += other.latencies[kind][i];
        }
      }
      requestBytes += other.requestBytes;
      replyBytes += other.replyBytes;
      failures += other.failures;
      connects += other.connects;
    }
  }
}
