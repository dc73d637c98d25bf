/**
 * Bytes to positions: the hash functions that place tokens and keys.
 *
 * <p>A position is an unsigned 64-bit number. Every function here is defined on bytes, with its
 * byte order stated, so that a service written in another language computes the same position. The
 * package imports nothing of Beltway's; it needs hash4j and the JDK.
 */
@NullMarked
package dev.beltway.hash;

import org.jspecify.annotations.NullMarked;
