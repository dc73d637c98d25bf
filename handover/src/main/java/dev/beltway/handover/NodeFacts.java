package dev.beltway.handover;

/**
 * What a node says of itself.
 *
 * @param run its run id
 * @param role master or slave
 * @param version such as 7.0.15
 * @param keys in all databases
 * @param durable whether it writes each command to disk before it answers
 * @param openDefault whether anybody may log in without a password
 */
public record NodeFacts(
    String run, String role, String version, long keys, boolean durable, boolean openDefault) {}
