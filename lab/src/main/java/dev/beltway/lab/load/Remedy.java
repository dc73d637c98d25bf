package dev.beltway.lab.load;

import dev.beltway.balance.LoadReport;

/**
 * What becomes of the load if hot keys are treated in some way, computed on the topology itself.
 *
 * @param kind the way
 * @param amount parts of a key, replicas, or keys near the clients
 * @param keys how many of the hottest keys are treated
 * @param requests the load by requests afterwards, as parts of all requests before
 * @param total all requests that reach nodes afterwards: fewer with a near cache, more where each
 *     write goes to several places
 * @param before all requests that reached nodes before
 */
public record Remedy(
    Kind kind, int amount, int keys, LoadReport requests, double total, double before) {

  /** The ways. */
  public enum Kind {
    /**
     * A key is cut into parts of other names, {@code key#0} to {@code key#m−1}: each read asks for
     * one of them, each write goes to all.
     */
    SALT,
    /**
     * A key is kept by the first R nodes of its preference list, and reads are spread over them.
     */
    REPLICAS,
    /** Clients keep the hottest keys and answer reads themselves, at best all of them. */
    NEAR_CACHE
  }

  /** All requests that reach nodes, over those before. */
  public double overBefore() {
    return before == 0 ? 1 : total / before;
  }

  /** The remedy in words. */
  public String describe() {
    String which = keys == 1 ? "hottest key" : String.format("%,d hottest keys", keys);
    return switch (kind) {
      case SALT -> which + (amount == 1 ? " under another name" : " in " + amount + " parts each");
      case REPLICAS -> which + (amount == 1 ? " on 1 node" : " on " + amount + " nodes each");
      case NEAR_CACHE -> which + " kept by the clients, at best";
    };
  }
}
