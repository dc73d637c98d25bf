package dev.beltway.resp.command;

/** What a command does to a key. */
public enum Effect {
  /** Reads a value. */
  READ,
  /** Stores a value. */
  WRITE,
  /** Changes a value that may be there; for how long it lives stays as it was. */
  MODIFY,
  /** Changes for how long a value lives, if it is there. */
  EXPIRE,
  /** Removes a value. */
  DELETE,
  /** Anything else, or not known. */
  OTHER
}
