/**
 * The hand-over in a made-up world: the real gate, participant, conductor, orders and walk, between
 * model servers, a model store and model clients, on one thread, every choice drawn from a seed.
 */
@NullMarked
package dev.beltway.simulation;

import org.jspecify.annotations.NullMarked;
