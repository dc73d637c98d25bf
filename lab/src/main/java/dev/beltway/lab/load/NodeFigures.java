package dev.beltway.lab.load;

/**
 * What one node gets of a log.
 *
 * @param id the node
 * @param keys its different keys
 * @param requests its requests
 * @param bytes the bytes of the values that they ask for or bring
 */
public record NodeFigures(String id, Count keys, long requests, long bytes) {}
