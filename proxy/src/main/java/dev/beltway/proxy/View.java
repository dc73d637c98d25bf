package dev.beltway.proxy;

import dev.beltway.placement.Placement;
import dev.beltway.resp.command.FrameArguments;
import dev.beltway.topology.Node;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;

/**
 * A routing as one worker sees it: from a key straight to its own link to the node. Replaced as a
 * whole when the routing changes.
 */
final class View {

  private static final int USUAL_KEY = 4 << 10;

  private final Routing routing;
  private final Placement placement;
  private final NodeLink[] byOwner;
  private final List<NodeLink> walk;
  private final List<NodeLink> links;
  private final byte[] scratch = new byte[USUAL_KEY];

  /**
   * Of a routing.
   *
   * @param placement who owns what at the moment: the routing's own, or one without those that are
   *     out
   * @param links by node id
   */
  View(Routing routing, Placement placement, Map<String, NodeLink> links) {
    this.routing = routing;
    this.placement = placement;
    this.byOwner =
        placement.owners().stream()
            .map(Node::id)
            .map(id -> link(links, id))
            .toArray(NodeLink[]::new);
    this.walk = routing.nodes().stream().map(node -> link(links, node.id())).toList();
    this.links = walk.stream().distinct().toList();
  }

  private static NodeLink link(Map<String, NodeLink> links, String id) {
    NodeLink link = links.get(id);
    if (link == null) {
      throw new IllegalStateException("no link to node " + id);
    }
    return link;
  }

  Routing routing() {
    return routing;
  }

  /** The links to all nodes that own something, by id. */
  List<NodeLink> links() {
    return links;
  }

  /** The links in the order in which a walk over all keys visits them; some twice. */
  List<NodeLink> walk() {
    return walk;
  }

  /** Where a key lives. Allocates nothing for keys up to 4 KiB. */
  NodeLink owner(FrameArguments request, int argument) {
    return owner(request.buf(), request.offset(argument), request.length(argument));
  }

  NodeLink owner(ByteBuf buf, int offset, int length) {
    if (length > KeyTooLongException.LONGEST) {
      throw new KeyTooLongException();
    }
    byte[] bytes = length <= scratch.length ? scratch : new byte[length];
    buf.getBytes(offset, bytes, 0, length);
    return byOwner[placement.ownerIndex(bytes, 0, length)];
  }

  /** Where a key that stands in an array lives. */
  NodeLink owner(byte[] key) {
    return byOwner[placement.ownerIndex(key, 0, key.length)];
  }

  /** Whoever may answer what every node can answer: the first that isn't out. */
  NodeLink any() {
    for (NodeLink link : links) {
      if (link.out() == null) {
        return link;
      }
    }
    return links.get(0);
  }
}
