/**
 * Positions to owners: {@link dev.beltway.placement.Placement} and the algorithms behind it.
 *
 * <p>{@link dev.beltway.placement.Placements} makes them; the implementations are hidden. What an
 * algorithm can do beyond finding an owner shows in the interface that its placement has: {@link
 * dev.beltway.placement.RangedPlacement} for ranges, {@link
 * dev.beltway.placement.ClockwisePlacement} for preference lists. May import {@code hash}, {@code
 * token} and {@code topology}.
 */
@NullMarked
package dev.beltway.placement;

import org.jspecify.annotations.NullMarked;
