/**
 * Connections on an event loop: reading frames without copying what needs no copy, and pipelined
 * connections to nodes that answer in order. Everything here belongs to one event loop's thread.
 */
@NullMarked
package dev.beltway.resp.client;

import org.jspecify.annotations.NullMarked;
