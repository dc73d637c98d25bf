package dev.beltway.placement;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.PeerHashes;
import dev.beltway.token.Partitioner;
import dev.beltway.token.TokenMap;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * The points of other systems, bit for bit. Nodes stand in the order of the list, since that is
 * what decides between equal points there.
 */
final class PeerRings {

  private static final int WIDTH = 32;

  private PeerRings() {}

  /** Writes the points of a node, 32 bits each, from an index on. */
  private interface PointsOf {
    void write(Node node, int[] points, int from, int to);
  }

  static Points ketama(Topology topology, KetamaRule rule) {
    return points(
        topology,
        rule.variant() == KetamaVariant.SPYMEMCACHED_JAVA,
        rule.variant().isWeighted()
            ? (node, points, from, to) -> digestPoints(rule.variant().label(node), points, from, to)
            : (node, points, from, to) -> hashPoints(rule, node, points, from, to));
  }

  private static void hashPoints(KetamaRule rule, Node node, int[] points, int from, int to) {
    VnodeLabel label = new VnodeLabel(rule.variant().label(node), "-");
    HashFunction hash = rule.keyHash();
    for (int index = 0; index < to - from; index++) {
      points[from + index] = (int) hash.hash(label.bytes(), 0, label.encode(index));
    }
  }

  private static void digestPoints(String name, int[] points, int from, int to) {
    VnodeLabel label = new VnodeLabel(name, "-");
    MessageDigest md5 = md5();
    int at = from;
    for (int index = 0; at < to; index++) {
      md5.update(label.bytes(), 0, label.encode(index));
      byte[] digest = md5.digest();
      for (int word = 0; word < KetamaRule.POINTS_OF_DIGEST; word++) {
        int octet = word * Integer.BYTES;
        points[at++] =
            digest[octet] & 0xff
                | (digest[octet + 1] & 0xff) << 8
                | (digest[octet + 2] & 0xff) << 16
                | (digest[octet + 3] & 0xff) << 24;
      }
    }
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks MD5", e);
    }
  }

  static Points nginx(Topology topology) {
    return points(
        topology,
        false,
        (node, points, from, to) -> chainedPoints(topology.rule().nameOf(node), points, from, to));
  }

  /** Each point is the CRC of host, NUL, port and the point before it. */
  private static void chainedPoints(String server, int[] points, int from, int to) {
    byte[] prefix = (nginxHost(server) + '\0' + nginxPort(server)).getBytes(StandardCharsets.UTF_8);
    byte[] label = Arrays.copyOf(prefix, prefix.length + Integer.BYTES);
    int previous = 0;
    for (int i = from; i < to; i++) {
      for (int octet = 0; octet < Integer.BYTES; octet++) {
        label[prefix.length + octet] = (byte) (previous >>> (8 * octet));
      }
      CRC32 crc = new CRC32();
      crc.update(label);
      previous = (int) crc.getValue();
      points[i] = previous;
    }
  }

  /** Where the port begins in a server as nginx has it written; its length if there is none. */
  private static int nginxColon(String server) {
    int digits = server.length();
    while (digits > 0 && server.charAt(digits - 1) >= '0' && server.charAt(digits - 1) <= '9') {
      digits--;
    }
    return digits > 0 && server.charAt(digits - 1) == ':' ? digits - 1 : server.length();
  }

  private static boolean isSocketFile(String server) {
    return server.regionMatches(true, 0, "unix:", 0, 5);
  }

  private static String nginxHost(String server) {
    return isSocketFile(server) ? server.substring(5) : server.substring(0, nginxColon(server));
  }

  private static String nginxPort(String server) {
    int colon = nginxColon(server);
    return isSocketFile(server) || colon == server.length() ? "" : server.substring(colon + 1);
  }

  static Points workflow(Topology topology, WorkflowRule rule) {
    List<Node> owners = owning(topology, false);
    int[] counts = counts(topology, owners);
    long[] tokens = new long[Arrays.stream(counts).sum()];
    int at = 0;
    for (int owner = 0; owner < counts.length; owner++) {
      for (int index = 0; index < counts[owner]; index++) {
        tokens[at++] = rule.hash().position(rule.label(owners.get(owner), index));
      }
    }
    return firstOfEqual(topology, owners, tokens, counts);
  }

  /** HAProxy's points; what each owns ends half way to the next, where nearness changes. */
  static TokenPlacement haproxy(Topology topology, HaproxyRule rule) {
    Map<String, Integer> ids = HaproxyRule.ids(topology.nodes());
    Points points =
        points(
            topology,
            false,
            (node, into, from, to) -> {
              int first =
                  ids.getOrDefault(node.id(), 0) * (HaproxyRule.POINTS * HaproxyRule.MOST_WEIGHT);
              for (int i = from; i < to; i++) {
                into[i] = PeerHashes.haproxyMix(first + i - from);
              }
            });
    return new Nearest(topology, rule.partitioner(), points.owners(), halfWays(points.tokenMap()));
  }

  private static TokenMap halfWays(TokenMap points) {
    int size = points.size();
    long[] at = new long[size];
    int[] ownerOf = new int[size];
    int[] filled = new int[1];
    points.forEachToken(
        (token, owner) -> {
          at[filled[0]] = token >>> WIDTH;
          ownerOf[filled[0]++] = owner;
        });
    List<List<Long>> ends = new ArrayList<>();
    for (int owner = 0; owner < points.owners(); owner++) {
      ends.add(new ArrayList<>());
    }
    for (int i = 0; i < size; i++) {
      long next = i + 1 < size ? at[i + 1] : at[0] + (1L << WIDTH);
      // At the same distance from both the lower one is meant, so the half is rounded down.
      long half = at[i] + (next - at[i]) / 2;
      ends.get(ownerOf[i]).add(half << WIDTH);
    }
    int[] counts = ends.stream().mapToInt(List::size).toArray();
    return TokenMap.of(
        ends.stream().flatMap(List::stream).mapToLong(Long::longValue).toArray(), counts);
  }

  private static Points points(Topology topology, boolean lastWins, PointsOf pointsOf) {
    List<Node> owners = owning(topology, lastWins);
    int[] counts = counts(topology, owners);
    int[] points = new int[Arrays.stream(counts).sum()];
    int at = 0;
    for (int owner = 0; owner < counts.length; owner++) {
      pointsOf.write(owners.get(owner), points, at, at + counts[owner]);
      at += counts[owner];
    }
    long[] tokens = Arrays.stream(points).mapToLong(point -> (long) point << WIDTH).toArray();
    boolean kept = topology.rule() instanceof KetamaRule rule && !dropsEqualPoints(rule);
    return kept
        ? new Points(topology, topology.rule().partitioner(), owners, TokenMap.of(tokens, counts))
        : firstOfEqual(topology, owners, tokens, counts);
  }

  private static boolean dropsEqualPoints(KetamaRule rule) {
    return rule.variant() == KetamaVariant.SPYMEMCACHED_JAVA;
  }

  /**
   * Of equal tokens only the first owner's is there at all, as nginx and sorted maps have it; a
   * node that has none left, since another has its name, is no owner.
   */
  private static Points firstOfEqual(
      Topology topology, List<Node> owners, long[] tokens, int[] counts) {
    Set<Long> seen = new HashSet<>();
    long[] kept = new long[tokens.length];
    int[] keptCounts = new int[counts.length];
    int at = 0;
    int written = 0;
    for (int owner = 0; owner < counts.length; owner++) {
      for (int i = 0; i < counts[owner]; i++) {
        if (seen.add(tokens[at])) {
          kept[written++] = tokens[at];
          keptCounts[owner]++;
        }
        at++;
      }
    }
    List<Node> left = new ArrayList<>();
    for (int owner = 0; owner < counts.length; owner++) {
      if (keptCounts[owner] > 0) {
        left.add(owners.get(owner));
      }
    }
    return new Points(
        topology,
        topology.rule().partitioner(),
        left,
        TokenMap.of(
            Arrays.copyOf(kept, written),
            Arrays.stream(keptCounts).filter(count -> count > 0).toArray()));
  }

  private static List<Node> owning(Topology topology, boolean reversed) {
    Map<String, Integer> points = topology.holdings();
    List<Node> owners = new ArrayList<>(topology.nodes());
    owners.removeIf(node -> points.getOrDefault(node.id(), 0) == 0);
    if (reversed) {
      Collections.reverse(owners);
    }
    return owners;
  }

  private static int[] counts(Topology topology, List<Node> owners) {
    Map<String, Integer> points = topology.holdings();
    return owners.stream().mapToInt(node -> points.getOrDefault(node.id(), 0)).toArray();
  }

  /** Ranges without an order of further owners: the second nearest is not the next clockwise. */
  private static final class Nearest extends TokenPlacement {

    Nearest(Topology topology, Partitioner partitioner, List<Node> owners, TokenMap map) {
      super(topology, partitioner, owners, map);
    }
  }
}
