/**
 * What a cluster looks like at one epoch: nodes, weights, the rule that places tokens.
 *
 * <p>All types are immutable values, checked when they are made. May import {@code hash} and {@code
 * token}.
 */
@NullMarked
package dev.beltway.topology;

import org.jspecify.annotations.NullMarked;
