package dev.beltway.lab.load;

/**
 * One of the hottest keys.
 *
 * @param key the key
 * @param owner the id of its node
 * @param amount its requests, or bytes
 * @param reads the part of its requests that only read, 0 to 1
 */
public record HotKey(Key key, String owner, Count amount, double reads) {}
