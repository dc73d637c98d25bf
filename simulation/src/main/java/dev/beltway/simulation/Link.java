package dev.beltway.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection between somebody and a model server. What was sent waits at the server until it is
 * its turn, also when its sender is gone.
 */
final class Link {

  /** A command under way, or its answer. */
  static final class Message {
    final List<String> command;
    final Consumer<@Nullable Object> answered;
    boolean executed;
    @Nullable Object reply;

    Message(List<String> command, Consumer<@Nullable Object> answered) {
      this.command = command;
      this.answered = answered;
    }
  }

  final ModelRedis node;
  final ModelRedis.Connection server;
  final String run;
  final String owner;
  final Runnable onLost;
  final Deque<Message> inbound = new ArrayDeque<>();
  final Deque<Message> replies = new ArrayDeque<>();

  /** Whether its owner knows that it is gone. */
  boolean lost;

  boolean listed;

  Link(ModelRedis node, ModelRedis.Connection server, String owner, Runnable onLost) {
    this.node = node;
    this.server = server;
    this.run = node.run();
    this.owner = owner;
    this.onLost = onLost;
  }

  boolean hasWork() {
    return !inbound.isEmpty() && !server.dead || !lost && (!replies.isEmpty() || server.dead);
  }

  /** Whether somebody waits for an answer. */
  boolean isWaiting() {
    return !inbound.isEmpty() || !replies.isEmpty();
  }
}
