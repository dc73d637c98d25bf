/**
 * The policy {@code next}: what may be routed around, and what must be emptied or swept before that
 * is safe. Pure; the proxy does what it says.
 */
@NullMarked
package dev.beltway.proxy.failover;

import org.jspecify.annotations.NullMarked;
