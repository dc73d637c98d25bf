/**
 * Tokens, key positions and the token map: the one structure that ring, slots and every other
 * placement with ranges compile to.
 *
 * <p>A position is an unsigned 64-bit number; a range is {@code (start, end]}; a position that
 * equals a token belongs to that token. May import {@code hash} alone.
 */
@NullMarked
package dev.beltway.token;

import org.jspecify.annotations.NullMarked;
