package dev.beltway.resp.command;

/** What a router does with a command. */
public enum Treatment {
  /** It goes to the node that owns its keys, all of which must be on one node. */
  ONE_NODE("goes to the node that owns its keys; several keys must be on one node"),
  /** It has no key; any node can answer. */
  ANY_NODE("answered by one node, whichever"),
  /** Each node gets what it owns, and the replies are joined. */
  SPLIT("split by owner, replies joined; not atomic over several nodes"),
  /** Every node gets it, and the replies are joined. */
  EVERY_NODE("sent to every node, replies joined"),
  /** Every node gets it, and new connections to nodes get it too. */
  REMEMBERED("sent to every node, and again to a node that restarts"),
  /** Answered by the router. */
  LOCAL("answered by the proxy"),
  /** May wait at the node, so it gets a connection of its own. */
  BLOCKING("has a connection of its own while it waits; keys on one node"),
  /** Part of a transaction, which is on one node. */
  TRANSACTION("transaction on one node"),
  /** Makes the client a subscriber. */
  SUBSCRIBE("channels live on the node that owns their name, patterns on every node"),
  /** Goes to the node that owns the channel's name. */
  CHANNEL("goes to the node that owns the channel's name"),
  /** Removes everything, which must have been allowed. */
  FLUSH("sent to every node, if the proxy was started with --allow-flush"),
  /** Not done. */
  REFUSED("refused");

  private final String text;

  Treatment(String text) {
    this.text = text;
  }

  /** In a few words, for documents. */
  public String text() {
    return text;
  }
}
