/** The control plane: wires the store, the leader and the API together. */
@NullMarked
package dev.beltway.control;

import org.jspecify.annotations.NullMarked;
