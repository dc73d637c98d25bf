/**
 * The data plane: sessions of Redis clients, routed by a topology to plain Redis servers.
 *
 * <p>Each event loop has a {@link dev.beltway.proxy.Worker} of its own, with its own connections to
 * the nodes: a request never changes thread, and nothing here locks. What workers share is
 * immutable and published by one volatile write.
 */
@NullMarked
package dev.beltway.proxy;

import org.jspecify.annotations.NullMarked;
