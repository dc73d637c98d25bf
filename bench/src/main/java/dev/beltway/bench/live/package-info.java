/** A live cluster of real processes, loaded and measured from outside. */
@NullMarked
package dev.beltway.bench.live;

import org.jspecify.annotations.NullMarked;
