/**
 * How evenly a placement loads its nodes: reports beside theory, and lint for known mistakes. May
 * import {@code hash}, {@code token}, {@code topology} and {@code placement}.
 */
@NullMarked
package dev.beltway.balance;

import org.jspecify.annotations.NullMarked;
