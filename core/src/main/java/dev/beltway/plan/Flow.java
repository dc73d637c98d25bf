package dev.beltway.plan;

/**
 * What moves from one node to another.
 *
 * @param from the node that owns it before
 * @param to the node that owns it afterwards
 * @param share of all keys, 0 to 1
 */
public record Flow(String from, String to, double share) {}
