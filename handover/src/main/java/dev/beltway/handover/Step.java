package dev.beltway.handover;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a piece of work at nodes: what to ask, and how to go on with the answer. Whoever
 * drives it owns the connections and the time; the work itself has neither.
 *
 * <p>Texts are {@link Latin1}. An answer is a text, a {@link Long}, a list, an {@link ErrorReply},
 * or null. Each node is asked on one connection from the beginning to the end of the work, logged
 * in and in the control database at first; if it is lost, the work has failed.
 */
public sealed interface Step {

  /**
   * A node is asked.
   *
   * @param node whom
   * @param command what
   * @param then what follows from the answer
   */
  record Ask(String node, List<String> command, Function<@Nullable Object, Step> then)
      implements Step {

    /** Copies the command. */
    public Ask {
      command = List.copyOf(command);
    }
  }

  /**
   * Some time passes.
   *
   * @param millis how long
   * @param then what follows
   */
  record Wait(long millis, Supplier<Step> then) implements Step {}

  /**
   * Something is written where it outlives this process, before anything else is done.
   *
   * @param line what
   * @param then what follows
   */
  record Keep(String line, Supplier<Step> then) implements Step {}

  /**
   * It is done.
   *
   * @param result what came of it
   */
  record Done(Object result) implements Step {}

  /**
   * It can't be done now.
   *
   * @param reason why
   * @param deposed whether another leader gives the orders
   */
  record Failed(String reason, boolean deposed) implements Step {}

  /** Asks, and takes an error for a failure. */
  static Step ask(String node, List<String> command, Function<@Nullable Object, Step> then) {
    return new Ask(
        node,
        command,
        reply ->
            reply instanceof ErrorReply error
                ? new Failed(
                    "node " + node + " answered " + command.get(0) + " with " + error.text(), false)
                : then.apply(reply));
  }

  /** Asks, whatever the answer. */
  static Step tell(String node, List<String> command, Function<@Nullable Object, Step> then) {
    return new Ask(node, command, then);
  }

  /** Done, without anything to tell. */
  static Step done() {
    return new Done("");
  }

  /** It can't be done. */
  static Step failed(String reason) {
    return new Failed(reason, false);
  }
}
