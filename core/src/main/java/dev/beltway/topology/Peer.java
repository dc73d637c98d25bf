package dev.beltway.topology;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What another system calls a node, where Beltway takes over that system's mapping and the name
 * there is not the address.
 *
 * @param name the text that the other system makes points from: a twemproxy server's name, an nginx
 *     server as it is written; 1 to {@value #MOST_CHARS} characters
 * @param haproxyId HAProxy's numeric server id, 1 to 2³¹ − 1
 */
public record Peer(Optional<String> name, OptionalInt haproxyId) {

  /** No other name than the address. */
  public static final Peer SAME = new Peer(Optional.empty(), OptionalInt.empty());

  private static final int MOST_CHARS = 300;

  /** Checks each part. */
  public Peer {
    if (name.isPresent()
        && (name.get().isEmpty()
            || name.get().length() > MOST_CHARS
            || !Texts.isPlain(name.get()))) {
      throw new IllegalArgumentException(
          "name \""
              + Texts.visible(name.get())
              + "\" is not 1 to 300 characters without control characters");
    }
    if (haproxyId.isPresent()) {
      Ranges.check("haproxyId", haproxyId.getAsInt(), 1, Integer.MAX_VALUE);
    }
  }

  /** Known by that name. */
  public static Peer named(String name) {
    return new Peer(Optional.of(name), OptionalInt.empty());
  }

  /** Known by that HAProxy id. */
  public static Peer numbered(int haproxyId) {
    return new Peer(Optional.empty(), OptionalInt.of(haproxyId));
  }

  /** What the other system makes points from: the name, else the address, else the id. */
  static String nameOf(Node node) {
    return node.peer().name().orElseGet(() -> node.address().orElse(node.id()));
  }

  /** Appends weight, id and name of each node that isn't drained, for canonical forms. */
  static void describe(List<Node> nodes, StringBuilder text) {
    for (Node node : nodes) {
      if (!node.isDrained()) {
        text.append("node ").append(node.weight()).append(' ').append(node.id()).append('\n');
        text.append("name ").append(nameOf(node)).append('\n');
      }
    }
  }
}
