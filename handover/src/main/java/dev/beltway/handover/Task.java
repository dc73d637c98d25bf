package dev.beltway.handover;

import java.util.Set;

/**
 * A piece of work at nodes that the leader wants done. Each may be done twice without harm, and is
 * done in the leader's term or not at all. What a task was done for is in it, so that what was done
 * for something else never counts.
 */
public sealed interface Task {

  /** The node that it is about, for people. */
  String node();

  /** Nobody of an earlier term gives orders to this process any more. */
  record RaiseTerm(String node, String run) implements Task {}

  /** Asks how the node is; gives {@link NodeFacts}. */
  record Probe(String node, long number) implements Task {}

  /** Makes a proxy's login. */
  record Login(String node, String run, Registration registration) implements Task {}

  /** Removes a proxy's login, and with it all its connections. */
  record Logout(String node, String user) implements Task {}

  /** Whether a node can take part; gives a refusal, or an empty text. */
  record Preflight(String node, boolean forced, long stamp) implements Task {}

  /** Counts what would leave a source; gives {@link dev.beltway.handover.Survey.Result}. */
  record Survey(String node, long stamp) implements Task {}

  /**
   * Looks whether all keys of a node belong there; gives {@link dev.beltway.handover.Scrub.Result}.
   */
  record Scrub(String node, long request, boolean repairs) implements Task {}

  /** Whether keys can go from a node to another; gives a refusal, or an empty text. */
  record TryOut(String node, String target, long stamp) implements Task {}

  /** Closes a node's token. */
  record CloseToken(String node, long stamp) implements Task {}

  /** Removes the users of transfers to a node, and of proxies that are gone. */
  record DropUsers(String node, Set<String> keep, long stamp) implements Task {}

  /** Removes the users of one source's transfers to a node. */
  record DropTransfers(String node, String source, long stamp) implements Task {}

  /** Looks for moving keys at a target; gives the name of one, or an empty text (rule 6). */
  record Search(String node, String run, long stamp) implements Task {}

  /** Asks for the run id; gives it. */
  record AskRun(String node, long stamp) implements Task {}

  /**
   * Removes copies elsewhere of moving keys that are at this node, which counts as long as it is
   * this process; gives how many.
   */
  record Clear(String node, String run, long stamp) implements Task {}

  /** Removes moving keys here that have arrived at their target; gives how many. */
  record DropArrived(String node, String run) implements Task {}

  /** Removes keys that the node owns in no mapping; gives how many. */
  record Purge(String node, String run) implements Task {}

  /** Makes the transfers' users at all targets, then sets the token. */
  record OpenToken(String node, TransferToken token) implements Task {}

  /** Moves what is at a source until a whole pass finds nothing; gives {@link Walk.Result}. */
  record Move(String node, TransferToken token) implements Task {}
}
