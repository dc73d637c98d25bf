/**
 * What a change of topology does: the difference of two placements, the steps to take, limits. May
 * import every other package of the library.
 */
@NullMarked
package dev.beltway.plan;

import org.jspecify.annotations.NullMarked;
