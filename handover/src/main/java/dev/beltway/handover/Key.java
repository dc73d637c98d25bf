package dev.beltway.handover;

/**
 * A key in a database.
 *
 * @param database its number
 * @param name its bytes as {@link Latin1}
 */
public record Key(int database, String name) {}
