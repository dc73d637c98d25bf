package dev.beltway.placement;

import dev.beltway.token.TokenMap;

/** A placement whose owners hold ranges of positions: its differences and shares are exact. */
public interface RangedPlacement extends Placement {

  /** The ranges; owners' ordinals are indexes into {@link #owners()}. */
  TokenMap tokenMap();

  /** The memory that lookups need, in bytes, without the objects' headers. */
  default long bytes() {
    return tokenMap().bytes();
  }
}
