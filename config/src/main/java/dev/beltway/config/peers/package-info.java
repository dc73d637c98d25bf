/**
 * Pools of other systems: their configuration read into topologies that map every key as they do,
 * and written from topologies that have their algorithm.
 */
@NullMarked
package dev.beltway.config.peers;

import org.jspecify.annotations.NullMarked;
