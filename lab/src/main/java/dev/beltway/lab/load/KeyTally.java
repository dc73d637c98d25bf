package dev.beltway.lab.load;

import dev.beltway.lab.log.Request;
import java.util.List;

/** Tells keys apart: how many there are, on which node, and which have the most requests. */
interface KeyTally {

  /**
   * Counts one request.
   *
   * @param hash the key's, 64 well mixed bits
   * @param owner the index of its owner
   * @param ownerAfter the index of its owner after the change; any where none is looked at
   * @param moves whether its owner changes
   */
  void add(Request request, long hash, int owner, int ownerAfter, boolean moves);

  /** The different keys of an owner. */
  Count keys(int owner);

  /** The different keys of an owner after the change. */
  Count keysAfter(int owner);

  /** All different keys. */
  Count allKeys();

  /** The different keys that change their owner. */
  Count movedKeys();

  /**
   * The keys with the most requests, or bytes, the largest first; as many as are known for sure to
   * be among the large ones, {@code most} at most.
   */
  List<Frequency> largest(Measure measure, int most);

  /** What an estimate of {@link #largest} can be too high by, in requests or bytes; 0 if exact. */
  long largestError(Measure measure);

  /** Whether {@link #missedBelow} holds for sure. */
  boolean isCertain(Measure measure);

  /** How much every key has that {@link #largest} may have missed, at most. */
  long missedBelow(Measure measure);
}
