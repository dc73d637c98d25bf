package dev.beltway.cli;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;

/** Hash functions by name. */
final class HashOption {

  private HashOption() {}

  /** One that a ring can use. */
  static HashFunction ofRing(String name) throws BadInputException {
    return named(name, "");
  }

  /** One of all, those of other systems by their full names. */
  static HashFunction ofAny(String name) throws BadInputException {
    HashFunction peer = PeerHashes.all().get(name);
    return peer != null
        ? peer
        : named(name, ", and of other systems " + String.join(", ", PeerHashes.all().keySet()));
  }

  private static HashFunction named(String name, String others) throws BadInputException {
    HashFunction hash = HashFunctions.all().get(name);
    if (hash == null) {
      throw new BadInputException(
          "--hash: \""
              + name
              + "\" is unknown; known are "
              + String.join(", ", HashFunctions.all().keySet())
              + others);
    }
    return hash;
  }
}
