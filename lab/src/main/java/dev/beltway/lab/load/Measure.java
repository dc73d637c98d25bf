package dev.beltway.lab.load;

/** By what keys and nodes are compared. */
public enum Measure {
  /** Requests, a line counting for as many as it says. */
  REQUESTS,
  /** Bytes of values: requests times sizes. */
  BYTES
}
