package dev.beltway.placement;

/**
 * A placement whose order of nodes is that of their tokens: from the position's owner on clockwise,
 * past the top and round.
 */
public interface ClockwisePlacement extends RangedPlacement, OrderedPlacement {}
