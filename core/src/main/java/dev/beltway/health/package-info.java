/**
 * Judging nodes: a failure detector with hysteresis. Pure: time is an argument, probes are somebody
 * else's.
 */
@NullMarked
package dev.beltway.health;

import org.jspecify.annotations.NullMarked;
