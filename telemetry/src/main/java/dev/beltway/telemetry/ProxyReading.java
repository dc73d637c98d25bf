package dev.beltway.telemetry;

import java.util.List;
import java.util.Map;

/**
 * What a proxy has counted, read at one moment.
 *
 * @param commands requests and error replies by command
 * @param nodes by node id
 * @param clients connected now
 * @param accepted clients since the start
 * @param refused clients, for there were too many
 * @param evicted clients, for they held too much memory
 * @param protocolErrors requests that were no RESP
 * @param bytesIn from clients
 * @param bytesOut to clients
 * @param slow requests above the limit for slow ones
 * @param faults of the program itself
 * @param bufferBytes that buffers take
 * @param epoch of the topology
 * @param fingerprint of the topology, its first 52 bits as a number
 * @param around nodes that are routed around
 * @param dirty whether stand-in copies may be left
 * @param handover what it does about keys that move; zeros where it obeys a file
 */
public record ProxyReading(
    Map<String, Command> commands,
    Map<String, Node> nodes,
    long clients,
    long accepted,
    long refused,
    long evicted,
    long protocolErrors,
    long bytesIn,
    long bytesOut,
    long slow,
    long faults,
    long bufferBytes,
    long epoch,
    long fingerprint,
    long around,
    boolean dirty,
    Handover handover) {

  /**
   * What it does about keys that change their node, in a cluster.
   *
   * @param phase 0 steady, 1 preparing, 2 fencing, 3 moving, 4 reversing
   * @param version of the state that is obeyed
   * @param acknowledged the last version that was
   * @param waiting clients whose requests are held now
   * @param held requests ever
   * @param heldSeconds that they waited together
   * @param heldTooLong requests whose clients were told to try again
   * @param transfers of keys that were asked for
   * @param transfersFailed those that moved nothing
   */
  public record Handover(
      int phase,
      long version,
      long acknowledged,
      long waiting,
      long held,
      double heldSeconds,
      long heldTooLong,
      long transfers,
      long transfersFailed) {}

  /**
   * One command.
   *
   * @param requests answered
   * @param errors among the answers
   */
  public record Command(long requests, long errors) {}

  /**
   * One node.
   *
   * @param up whether it answers
   * @param ringShare the share of all keys that it owns
   * @param fairShare the share that its weight stands for
   * @param waiting requests that it has not answered
   * @param connections to it
   * @param requestBytes sent to it
   * @param replyBytes from it
   * @param failures requests that it has not answered for good
   * @param connects connections made
   * @param classes what was answered, by class of command
   */
  public record Node(
      boolean up,
      double ringShare,
      double fairShare,
      long waiting,
      long connections,
      long requestBytes,
      long replyBytes,
      long failures,
      long connects,
      Map<String, Answers> classes) {}

  /**
   * Answers of one class of commands.
   *
   * @param errors among them
   * @param seconds that they took together
   * @param bounds upper bounds in seconds of the counts
   * @param counts how many took so long, one more than there are bounds
   */
  public record Answers(long errors, double seconds, List<Double> bounds, List<Long> counts) {}
}
