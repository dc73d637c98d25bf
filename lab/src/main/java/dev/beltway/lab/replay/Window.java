package dev.beltway.lab.replay;

/**
 * What happened to a certain number of requests in a row.
 *
 * @param start the number of the first one relative to the change, negative before it
 * @param requests all requests, of any kind
 * @param reads requests that a cache may answer
 * @param hits those that a cache did answer, new owner or old
 * @param oldReads questions to an old owner because the new one had nothing
 * @param wanted reads that the caches would have answered without the change
 * @param lost those of them that they didn't answer
 * @param firstWanted of the wanted reads, those that are the first of their key since the change
 * @param firstLost those of them that were not answered; a key is lost once, then it is there again
 */
public record Window(
    long start,
    long requests,
    long reads,
    long hits,
    long oldReads,
    long wanted,
    long lost,
    long firstWanted,
    long firstLost) {

  /** Reads that went on to the database behind the caches. */
  public long backend() {
    return reads - hits;
  }

  /** Hits over reads; 1 if there were no reads. */
  public double hitRatio() {
    return reads == 0 ? 1 : hits / (double) reads;
  }

  /** The part of the wanted reads that was lost; 0 if none were wanted. */
  public double lostPart() {
    return wanted == 0 ? 0 : lost / (double) wanted;
  }

  /** The part of the first wanted reads of each key that was lost; 0 if none were wanted. */
  public double firstLostPart() {
    return firstWanted == 0 ? 0 : firstLost / (double) firstWanted;
  }

  /** Both together; begins where this one does. */
  public Window plus(Window other) {
    return new Window(
        start,
        requests + other.requests,
        reads + other.reads,
        hits + other.hits,
        oldReads + other.oldReads,
        wanted + other.wanted,
        lost + other.lost,
        firstWanted + other.firstWanted,
        firstLost + other.firstLost);
  }
}
