package dev.beltway.lab.load;

/**
 * How much one key has.
 *
 * @param key the key
 * @param amount its requests or bytes
 * @param reads the part of its requests that only read, 0 to 1; in long logs of a sample of them
 */
public record Frequency(Key key, Count amount, double reads) {}
