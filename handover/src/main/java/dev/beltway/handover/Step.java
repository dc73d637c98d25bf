package dev.beltway.handover;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
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
   * A node is asked for some of its keys, of which only some are wanted; whoever drives it need not
   * make texts of the others.
   *
   * @param node whom
   * @param cursor where it goes on
   * @param count how many keys are to be looked at
   * @param wanted which keys are wanted, by their bytes
   * @param then what follows from the next cursor and the wanted keys
   * @param failed what follows from an error
   */
  record Scan(
      String node,
      String cursor,
      int count,
      Predicate<byte[]> wanted,
      BiFunction<String, List<String>, Step> then,
      Function<ErrorReply, Step> failed)
      implements Step {

    /** As a command. */
    public List<String> command() {
      return List.of("SCAN", cursor, "COUNT", Integer.toString(count));
    }

    /** What follows from an answer whose keys are texts. */
    public Step answered(@Nullable Object reply) {
      if (reply instanceof ErrorReply error) {
        return failed.apply(error);
      }
      List<?> both = (List<?>) Objects.requireNonNull(reply);
      List<String> keys = new ArrayList<>();
      for (Object key : (List<?>) both.get(1)) {
        String text = String.valueOf(key);
        if (wanted.test(Latin1.bytes(text))) {
          keys.add(text);
        }
      }
      return then.apply(String.valueOf(both.get(0)), keys);
    }
  }

  /** Asks for keys, and takes an error for a failure. */
  static Step scan(
      String node,
      String cursor,
      int count,
      Predicate<byte[]> wanted,
      BiFunction<String, List<String>, Step> then) {
    return new Scan(
        node,
        cursor,
        count,
        wanted,
        then,
        error -> failed("node " + node + " answered SCAN with " + error.text()));
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
