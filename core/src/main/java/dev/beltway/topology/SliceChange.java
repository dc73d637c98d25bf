package dev.beltway.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * One change of a slice table. Each node that has too much gives up exactly the surplus, and what
 * is given up goes to those that have too little; nothing else moves.
 *
 * <p>What may be chosen is which intervals are given up, and how they are cut, and that decides how
 * many intervals there are afterwards. Finding the fewest is a packing problem; these rules come
 * close and are the same for everyone:
 *
 * <ol>
 *   <li>A giver gives its smallest intervals whole, as many as fit into its surplus.
 *   <li>It cuts one interval for the rest, at an end that touches something given up or a receiver,
 *       so that no new piece appears; else next to another giver that has to cut too, so that two
 *       cuts make one piece; else at the end of its largest interval.
 *   <li>A piece that a neighbouring receiver can use up is merged into the neighbour; a neighbour
 *       that needs less takes its part from the piece's side. What is left is handed out in order,
 *       cut only where a receiver's need ends.
 * </ol>
 */
final class SliceChange {

  private static final int GAP = -1;

  private final SliceTable table;
  private final long tolerance;
  private final List<String> ids;
  private final double[] weights;
  private final long[] current;

  /** The owner of each interval, as an index into {@link #ids}. */
  private final int[] ownerOf;

  /** What each node has still to give up, and to get. */
  private long[] surplus = {};

  private long[] need = {};

  private final boolean[] whole;
  private final long[] cutLeft;
  private final long[] cutRight;

  SliceChange(SliceTable table, List<Node> nodes, long tolerance) {
    this.table = table;
    this.tolerance = tolerance;
    TreeSet<String> all = new TreeSet<>(NodeId.UTF8_ORDER);
    all.addAll(table.owners());
    nodes.forEach(node -> all.add(node.id()));
    this.ids = List.copyOf(all);
    Map<String, Integer> index = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      index.put(ids.get(i), i);
    }
    this.weights = new double[ids.size()];
    for (Node node : nodes) {
      weights[index.getOrDefault(node.id(), 0)] = node.weight().value();
    }
    this.current = new long[ids.size()];
    int intervals = table.intervals();
    this.ownerOf = new int[intervals];
    for (int i = 0; i < intervals; i++) {
      ownerOf[i] = index.getOrDefault(table.owners().get(table.ownerIndex(i)), 0);
      current[ownerOf[i]] += length(i);
    }
    this.whole = new boolean[intervals];
    this.cutLeft = new long[intervals];
    this.cutRight = new long[intervals];
  }

  private long length(int interval) {
    return table.end(interval) - table.start(interval);
  }

  SliceTable apply() {
    if (Arrays.stream(weights).allMatch(weight -> weight == 0)) {
      return SliceTable.EMPTY;
    }
    long[] targets = SliceTargets.of(weights, current, tolerance);
    if (Arrays.equals(targets, current)) {
      return table;
    }
    if (table.intervals() == 0) {
      return anew(targets);
    }
    surplus = new long[ids.size()];
    need = new long[ids.size()];
    for (int node = 0; node < targets.length; node++) {
      surplus[node] = Math.max(0, current[node] - targets[node]);
      need[node] = Math.max(0, targets[node] - current[node]);
    }
    giveUp();
    return handOut(pieces());
  }

  private SliceTable anew(long[] targets) {
    Cut cut = new Cut();
    long start = 0;
    for (int node = 0; node < targets.length; node++) {
      cut.add(start, targets[node], node);
      start += targets[node];
    }
    return cut.table();
  }

  private void giveUp() {
    Map<Integer, List<Integer>> intervalsOf = new HashMap<>();
    for (int i = 0; i < ownerOf.length; i++) {
      if (surplus[ownerOf[i]] > 0) {
        intervalsOf.computeIfAbsent(ownerOf[i], unused -> new ArrayList<>()).add(i);
      }
    }
    List<Integer> givers = intervalsOf.keySet().stream().sorted().toList();
    for (int giver : givers) {
      List<Integer> smallestFirst = intervalsOf.getOrDefault(giver, List.of());
      smallestFirst.sort(Comparator.comparingLong(this::length));
      for (int i : smallestFirst) {
        if (length(i) > surplus[giver]) {
          break;
        }
        whole[i] = true;
        surplus[giver] -= length(i);
      }
    }
    for (int giver : givers) {
      if (surplus[giver] > 0) {
        cutBesideWhatIsFree(giver, intervalsOf.getOrDefault(giver, List.of()));
      }
    }
    cutInPairs();
    for (int giver : givers) {
      if (surplus[giver] > 0) {
        List<Integer> own = intervalsOf.getOrDefault(giver, List.of());
        cutRight[own.get(own.size() - 1)] = take(giver);
      }
    }
  }

  private long take(int giver) {
    long all = surplus[giver];
    surplus[giver] = 0;
    return all;
  }

  /** Cuts the largest interval that has something given up or a receiver beside it. */
  private void cutBesideWhatIsFree(int giver, List<Integer> smallestFirst) {
    for (int at = smallestFirst.size() - 1; at >= 0; at--) {
      int i = smallestFirst.get(at);
      if (whole[i]) {
        return;
      }
      if (i > 0 && isFree(i - 1)) {
        cutLeft[i] = take(giver);
        return;
      }
      if (i + 1 < ownerOf.length && isFree(i + 1)) {
        cutRight[i] = take(giver);
        return;
      }
    }
  }

  private boolean isFree(int interval) {
    return whole[interval] || need[ownerOf[interval]] > 0;
  }

  private void cutInPairs() {
    for (int i = 0; i + 1 < ownerOf.length; i++) {
      int left = ownerOf[i];
      int right = ownerOf[i + 1];
      if (!whole[i] && !whole[i + 1] && surplus[left] > 0 && surplus[right] > 0) {
        cutRight[i] = take(left);
        cutLeft[i + 1] = take(right);
      }
    }
  }

  /** A stretch of the ring: kept by its owner, or given up. */
  private record Piece(long start, long length, int owner) {}

  /** The ring after the givers have given; what is given up in one stretch is one piece. */
  private List<Piece> pieces() {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < ownerOf.length; i++) {
      long start = table.start(i);
      long length = length(i);
      if (whole[i]) {
        add(pieces, start, length, GAP);
      } else {
        add(pieces, start, cutLeft[i], GAP);
        long kept = length - cutLeft[i] - cutRight[i];
        add(pieces, start + cutLeft[i], kept, ownerOf[i]);
        add(pieces, start + cutLeft[i] + kept, cutRight[i], GAP);
      }
    }
    return pieces;
  }

  private static void add(List<Piece> pieces, long start, long length, int owner) {
    if (length == 0) {
      return;
    }
    int last = pieces.size() - 1;
    if (last >= 0 && pieces.get(last).owner() == owner) {
      Piece before = pieces.get(last);
      pieces.set(last, new Piece(before.start(), before.length() + length, owner));
    } else {
      pieces.add(new Piece(start, length, owner));
    }
  }

  /** Hands what was given up to those in need. */
  private SliceTable handOut(List<Piece> pieces) {
    long[] toLeft = new long[pieces.size()];
    long[] toRight = new long[pieces.size()];
    for (int pass = 0; pass < 3; pass++) {
      for (int k = 0; k < pieces.size(); k++) {
        if (pieces.get(k).owner() == GAP && toLeft[k] == 0 && toRight[k] == 0) {
          long length = pieces.get(k).length();
          int left = k > 0 ? pieces.get(k - 1).owner() : GAP;
          int right = k + 1 < pieces.size() ? pieces.get(k + 1).owner() : GAP;
          if (pass == 0) {
            toLeft[k] = left == right ? usedUpBy(left, length) : 0;
          } else if (pass == 1) {
            toLeft[k] = usedUpBy(left, length);
            toRight[k] = toLeft[k] > 0 ? 0 : usedUpBy(right, length);
          } else {
            toLeft[k] = upTo(left, length);
            toRight[k] = upTo(right, length - toLeft[k]);
          }
        }
      }
    }
    Cut cut = new Cut();
    int next = 0;
    for (int k = 0; k < pieces.size(); k++) {
      Piece piece = pieces.get(k);
      if (piece.owner() != GAP) {
        cut.add(piece.start(), piece.length(), piece.owner());
        continue;
      }
      long start = piece.start();
      long left = piece.length() - toLeft[k] - toRight[k];
      if (toLeft[k] > 0) {
        cut.add(start, toLeft[k], pieces.get(k - 1).owner());
        start += toLeft[k];
      }
      while (left > 0) {
        while (need[next] == 0) {
          next++;
        }
        long part = Math.min(left, need[next]);
        cut.add(start, part, next);
        need[next] -= part;
        start += part;
        left -= part;
      }
      if (toRight[k] > 0) {
        cut.add(start, toRight[k], pieces.get(k + 1).owner());
      }
    }
    return cut.table();
  }

  /** The whole length if the node needs that much, else 0; its need shrinks by the result. */
  private long usedUpBy(int node, long length) {
    return node != GAP && need[node] >= length ? upTo(node, length) : 0;
  }

  private long upTo(int node, long length) {
    if (node == GAP) {
      return 0;
    }
    long part = Math.min(need[node], length);
    need[node] -= part;
    return part;
  }

  /** Collects intervals in ascending order, neighbours of one owner joined. */
  private final class Cut {

    private long[] starts = new long[ownerOf.length + 2 * ids.size() + 1];
    private int[] owners = new int[starts.length];
    private int count;

    void add(long start, long length, int owner) {
      if (length == 0 || count > 0 && owners[count - 1] == owner) {
        return;
      }
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
        owners = Arrays.copyOf(owners, 2 * count);
      }
      starts[count] = start;
      owners[count++] = owner;
    }

    SliceTable table() {
      int[] newIndex = new int[ids.size()];
      Arrays.fill(newIndex, GAP);
      for (int i = 0; i < count; i++) {
        newIndex[owners[i]] = 0;
      }
      List<String> owning = new ArrayList<>();
      for (int node = 0; node < newIndex.length; node++) {
        if (newIndex[node] != GAP) {
          newIndex[node] = owning.size();
          owning.add(ids.get(node));
        }
      }
      int[] ownerOfInterval = new int[count];
      for (int i = 0; i < count; i++) {
        ownerOfInterval[i] = newIndex[owners[i]];
      }
      return new SliceTable(owning, Arrays.copyOf(starts, count), ownerOfInterval);
    }
  }
}
