/** Experiments on keys and rings. May import {@code core} alone. */
@NullMarked
package dev.beltway.lab;

import org.jspecify.annotations.NullMarked;
