package dev.beltway.control.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.store.Codec;
import dev.beltway.placement.Placement;
import dev.beltway.placement.RangedPlacement;
import dev.beltway.topology.Node;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Who owns what, to be drawn: the ends of all ranges as their upper 32 bits, and the owner of each,
 * in little-endian bytes that JSON carries as base64. A range begins where the one before it ends;
 * the first one begins at the last one's end, across the top. 32 bits are finer than any screen;
 * what is drawn is no input of a decision.
 */
final class Ranges {

  private Ranges() {}

  /** Those of a placement; field {@code ranged} is false where it has none. */
  static ObjectNode of(Placement placement) {
    ObjectNode root = Codec.object();
    root.put("algorithm", placement.topology().rule().algorithm());
    root.put("ranged", placement instanceof RangedPlacement);
    if (placement instanceof RangedPlacement ranged) {
      ArrayNode owners = root.putArray("owners");
      for (Node node : placement.owners()) {
        owners.add(node.id());
      }
      int[] count = new int[1];
      ranged.tokenMap().forEachRange((start, end, owner) -> count[0]++);
      ByteBuffer ends = ByteBuffer.allocate(4 * count[0]).order(ByteOrder.LITTLE_ENDIAN);
      ByteBuffer whose = ByteBuffer.allocate(4 * count[0]).order(ByteOrder.LITTLE_ENDIAN);
      ranged
          .tokenMap()
          .forEachRange(
              (start, end, owner) -> {
                ends.putInt((int) (end >>> 32));
                whose.putInt(owner);
              });
      root.put("count", count[0]);
      root.put("ends", ends.array());
      root.put("whose", whose.array());
    }
    return root;
  }
}
