package dev.beltway.handover;

/**
 * An error that a node has answered.
 *
 * @param text without the leading minus
 */
public record ErrorReply(String text) {}
