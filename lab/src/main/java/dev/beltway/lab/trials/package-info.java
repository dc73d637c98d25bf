/**
 * Trials: the same question asked of many seeded sets of node names, so that no single draw is sold
 * as a result. May import the core.
 */
@NullMarked
package dev.beltway.lab.trials;

import org.jspecify.annotations.NullMarked;
