package dev.beltway.cli;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;

/** Hash functions by name. */
final class HashOption {

  private HashOption() {}

  /** One that a ring can use. */
  static HashFunction ofRing(String name) throws BadInputException {
    HashFunction hash = HashFunctions.all().get(name);
    if (hash == null) {
      throw new BadInputException(
          "--hash: \""
              + name
              + "\" is unknown; known are "
              + String.join(", ", HashFunctions.all().keySet()));
    }
    return hash;
  }

  /** One of all, those of other systems by their full names. */
  static HashFunction ofAny(String name) throws BadInputException {
    HashFunction peer = PeerHashes.all().get(name);
    if (peer != null) {
      return peer;
    }
    HashFunction hash = HashFunctions.all().get(name);
    if (hash == null) {
      throw new BadInputException(
          "--hash: \""
              + name
              + "\" is unknown; known are "
              + String.join(", ", HashFunctions.all().keySet())
              + ", and of other systems "
              + String.join(", ", PeerHashes.all().keySet()));
    }
    return hash;
  }
}
