/** A WebSocket service whose sessions stay where they are. */
@NullMarked
package dev.beltway.examples.sessions;

import org.jspecify.annotations.NullMarked;
